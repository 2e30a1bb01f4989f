# Everything a contributor does. `make help` lists it; CI calls the same targets.
# Needs Python 3.11 or newer with its venv module, and make. All else is set up in .venv.

PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,$(shell \
	command -v $(name) >/dev/null 2>&1 && $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
JOBS ?= auto
PM4PY := .pm4py
# Exit status 1 where a dependency of uv.lock is in the database of vulnerabilities (osv.dev).
AUDIT ?= --frozen --preview-features audit-command
LOGS ?= ../shared/data/*.xes*
SIZES ?= 1e6 1e7

.DEFAULT_GOAL := help
.PHONY: help demo test lint types docs bench experiments format lock pm4py clean

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.core ## publish a map of the example log into demo-out/
	@$(BIN)/hushmap release examples/hospital.csv --max-risk 0.2 --out demo-out --overwrite
	@echo "Look at demo-out/public/certificate.html, or run: $(BIN)/hushmap show demo-out"

test: $(VENV)/.all ## run all tests
	@$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

lint: $(VENV)/.all ## check style, the rules of the house and the dependencies
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports
	@found=$$(UV_HTTP_RETRIES=0 UV_HTTP_TIMEOUT=5 $(UV) audit $(AUDIT) 2>&1); case $$? in \
	0) ;; \
	1) echo "$$found"; exit 1 ;; \
	*) echo "Known vulnerabilities of dependencies: not checked ($$(echo "$$found" | sed -n 's/^error: //p' | head -n 1))" ;; \
	esac

types: $(VENV)/.all ## check the types, strictly
	@$(BIN)/mypy

docs: $(VENV)/.all ## build the documentation into site/, strictly, and run its examples
	@$(BIN)/zensical build --strict --clean
	@$(BIN)/python -m pytest -q -n $(JOBS) tests/docs

bench: $(VENV)/.all ## measure against peers into bench/RESULTS.md: make bench SIZES="1e6 1e7 5e7 2e8"
	@$(BIN)/python bench/run.py --sizes "$(SIZES)"

experiments: $(VENV)/.all ## run the paper's evaluation: make experiments LOGS="../shared/data/*.xes*"
	@$(BIN)/python experiments/run.py $(LOGS)

format: $(VENV)/.all ## bring the code into its form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

pm4py: $(PM4PY)/.ready ## set up pm4py for its tests, apart: it is AGPL and never a dependency

lock: $(UV) ## refresh the lock file
	@$(UV) lock --upgrade

clean: ## remove what the targets made
	rm -rf $(VENV) $(PM4PY) demo-out bench/out experiments/out site .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(UV):
	@test -n "$(PYTHON)" || { echo "hushmap needs Python 3.11 or newer, and none was found. Name one: make PYTHON=/path/to/python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python has no venv module. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv

$(VENV)/.core: $(UV) pyproject.toml uv.lock
	@test -e $(VENV)/.all || $(UV) sync --quiet --frozen --inexact --no-dev --extra web
	@touch $@

$(VENV)/.all: $(UV) pyproject.toml uv.lock
	@$(UV) sync --quiet --frozen --inexact --all-extras
	@touch $@ $(VENV)/.core

$(PM4PY)/.ready: $(UV)
	@echo "setting up $(PM4PY) …"
	@$(UV) venv --quiet --clear --python $(BIN)/python $(PM4PY)
	@$(UV) pip install --quiet --compile-bytecode --python $(PM4PY)/bin/python pm4py
	@touch $@
