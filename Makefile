# Two commands matter: `make run` (the whole workflow on the demo) and `make test`. `make help` lists all.
SHELL := /bin/bash
PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
BENCH ?=
TESTS ?= tests
READY := .venv/ready
IN_VENV := source .venv/bin/activate &&
export MPLBACKEND := Agg
export PYTHONDONTWRITEBYTECODE :=  # where it is set, each of a run's processes starts a second later

.PHONY: help run test lint bench report report-public clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: $(READY)  ## set up and run the workflow (settings: config.yaml)
	@$(IN_VENV) snakemake --cores $(CORES)

test: $(READY)  ## set up and run all tests
	@# These first, by themselves: they compile the loops, which else each worker and each job would compile for itself.
	@$(IN_VENV) OMP_NUM_THREADS=1 python -m pytest tests/scripts/test_face_chain.py tests/library/figures
	@$(IN_VENV) OMP_NUM_THREADS=1 python -m pytest -n $$(($(CORES) + 2)) --dist loadscope --no-loadscope-reorder $(TESTS)

lint: $(READY)  ## format, style and the order of the library's rooms
	@$(IN_VENV) ruff check . && ruff format --check . && snakefmt --check --no-sort Snakefile workflow && snakemake --lint \
	  && lint-imports --no-cache

bench: $(READY)  ## run all benches, or one: make bench BENCH=registration
	@$(IN_VENV) OMP_NUM_THREADS=1 python tests/benchmarks/run.py $(BENCH)

report: $(READY)  ## Snakemake's report on everything, private results included: for internal use
	@$(IN_VENV) snakemake --cores $(CORES) reported && snakemake --report results/private/report.html reported

report-public: $(READY)  ## a report and an archive to publish, made from the release folder alone and checked
	@$(IN_VENV) snakemake --cores $(CORES) results/public/releases.html results/public/releases.zip

clean:  ## remove results; data/ and the ledgers stay
	find results -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} + ; rm -rf .snakemake

$(READY): requirements.lock envs/make_venv.sh
	@PYTHON="$(PYTHON)" bash envs/make_venv.sh
	@touch $@
