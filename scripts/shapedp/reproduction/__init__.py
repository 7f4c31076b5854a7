"""The papers' experiments, repeated and put right: who does not reproduce papers never opens this room.

`experiments` says what is run, the modules `claims_*` what the papers say of it, `drawn_*` show it.
"""
