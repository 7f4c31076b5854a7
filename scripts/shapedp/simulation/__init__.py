"""The papers' experiments, repeated and put right: `plan` says what is run, `claims_*` what the papers say of it."""
