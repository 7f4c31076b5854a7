# Two commands matter: `make run` (the whole workflow on the demo) and `make test`. `make help` lists all.
SHELL := /bin/bash
PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
BENCH ?=
POPULATION ?=
PART ?=
TESTS ?= tests
READY := .venv/ready
# The environment with its loops compiled, which else each worker and each first job would compile for itself.
LOOPS := .venv/loops
IN_VENV := source .venv/bin/activate &&
PYTEST := $(IN_VENV) OMP_NUM_THREADS=1 python -m pytest
QUICKER := "not long and not thorough"
# What rests on factorisations: it must not depend on which kernels OpenBLAS takes for a processor.
NUMERICAL := tests/library/privacy/manifolds tests/library/privacy/learned tests/library/privacy tests/library/releases/model \
  tests/library/surfaces/registration tests/scripts/test_shape_changes.py
KERNEL ?= $(shell test -e .venv/ready && $(IN_VENV) python tests/kernels.py)
TIMED := TIMEFORMAT='%0R s by the clock, %0U + %0S s of processor time'
export MPLBACKEND := Agg
export PYTHONDONTWRITEBYTECODE :=  # where it is set, each of a run's processes starts a second later

.PHONY: help run example example-surface study check test test-all test-kernel test-long fresh lint bench report report-public docs prove clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: $(LOOPS)  ## set up and run the workflow (settings: config.yaml)
	@$(IN_VENV) snakemake --cores $(CORES)

example: $(LOOPS)  ## 45 simulated faces that pip can get, through the whole chain to a release and its page: data/example
	@$(IN_VENV) bash envs/fetch_example.sh && snakemake --cores $(CORES) --configfile envs/example.yaml \
	  --directory data/example

example-surface: $(LOOPS)  ## 56 tiles of terrain, no faces, through the whole chain to a release and its page: data/example_surface
	@$(IN_VENV) mkdir -p data/example_surface && python envs/example_surfaces.py data/example_surface && \
	  cd data/example_surface && { test -f template.ply || shapedp template public --subject terrain \
	  --source "a survey that comes with matplotlib" --output template.ply; } && cd ../.. && \
	  snakemake release --cores $(CORES) --configfile envs/example_surface.yaml --directory data/example_surface

study: $(LOOPS)  ## five laboratories of 40 people, one mean face by letters alone: data/study_demo
	@$(IN_VENV) python envs/demo_study.py data/study_demo --cores $(CORES)

check: $(LOOPS)  ## the library's own tests, without those that take seconds each
	@$(PYTEST) -n $(CORES) -m "not long and not slow" tests/library

test: $(LOOPS)  ## set up and run the tests; make test TESTS=tests/library/surfaces/scans runs that path, whole
ifeq ($(TESTS),tests)
	@$(TIMED) && time { $(PYTEST) -n $$(($(CORES) + 1)) -m $(QUICKER) tests; }
else
	@$(PYTEST) -n $(CORES) $(TESTS)
endif

test-all: $(LOOPS)  ## besides: kills, faults, browser, SLURM, tiny benches, tutorials; what CI runs
	@$(TIMED) && time { $(PYTEST) -n $$(($(CORES) + 1)) tests; }

test-kernel: $(LOOPS)  ## the numerical tests as on another kind of processor, KERNEL=Haswell or what there is
	@kernel="$(KERNEL)"; [ -n "$$kernel" ] || { echo "this processor can run no other kernel"; exit 0; }; \
	  echo "OPENBLAS_CORETYPE=$$kernel"; export OPENBLAS_CORETYPE="$$kernel"; \
	  $(TIMED) && time { $(PYTEST) -n $(CORES) -m "not long and not thorough and not slow" $(NUMERICAL); }

test-long: $(LOOPS)  ## what takes long by nature; before an issue is closed
	@$(PYTEST) -n $(CORES) -m long $(TESTS)

fresh:  ## make run and make test in a bare Debian made for it (as root, with debootstrap)
	@bash envs/fresh_root.sh

lint: $(READY)  ## format, style and the order of the library's rooms
	@$(IN_VENV) ruff check . && ruff format --check . && snakefmt --check . && snakemake --lint \
	  && lint-imports --no-cache

bench: $(LOOPS)  ## run all benches, or one: make bench BENCH=registration
	@$(IN_VENV) OMP_NUM_THREADS=1 python tests/benchmarks/run.py $(BENCH) \
	  $(if $(POPULATION),--population $(POPULATION)) $(if $(PART),--part $(PART))

report: $(READY)  ## Snakemake's report on everything, private results included: for internal use
	@$(IN_VENV) snakemake --cores $(CORES) reported && snakemake --report results/private/report.html reported

report-public: $(READY)  ## a report and an archive to publish, made from the release folder alone and checked
	@$(IN_VENV) snakemake --cores $(CORES) results/public/releases.html results/public/releases.zip

docs: $(READY)  ## the documentation as one folder to read without a network: results/docs/index.html
	@$(IN_VENV) sphinx-build -W -q -b html docs results/docs && echo results/docs/index.html

prove: $(READY)  ## check the proofs of the sensitivities with Coq, and write docs/proofs.md
	@$(IN_VENV) python docs/proofs/prove.py

clean:  ## remove results; data/ and the ledgers stay
	find results -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} + ; rm -rf .snakemake

$(READY): requirements.lock envs/make_venv.sh
	@PYTHON="$(PYTHON)" bash envs/make_venv.sh
	@touch $@

$(LOOPS): $(READY) $(shell grep -rlE 'import (loop|njit)|numba' scripts/shapedp --include=*.py)
	@echo "shapedp: compiling the loops (once, a minute or two), by faces that go through the whole chain"
	@$(IN_VENV) OMP_NUM_THREADS=1 python -c 'from shapedp.app.cli import doctor; print("shapedp:", doctor.one_face())' \
	  || echo "shapedp: the loops could not be compiled beforehand; the first run does it" >&2
	@touch $@
