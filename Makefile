# Every target sets up what it needs: a .venv with exactly the versions in constraints.txt.
# Another Python: make PYTHON=python3.13 grade

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LAB_FLAGS ?=

.DEFAULT_GOAL := help
.PHONY: help grade lab test test-all notebooks lint check site outputs starters address constraints clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

grade: $(READY) ## Grade every exercise in exercises/
	@$(BIN)/grader check --all

lab: $(READY) ## Open the course in JupyterLab
	@$(BIN)/grader lab -- $(LAB_FLAGS)

test: $(READY) ## Run the tests and the notebooks
	@$(BIN)/python tools/run_tests.py quick

test-all: $(READY) ## Run these and the slow tests
	@$(BIN)/python tools/run_tests.py all

notebooks: $(READY) ## Run the notebooks and compare every output with the stored one
	@$(BIN)/python tools/run_tests.py notebooks

lint: $(READY) ## Check style, types, and which part may import which
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

check: lint test-all ## Everything CI runs

site: $(READY) ## Build the site into build/site; it needs no network
	@$(BIN)/python -m sphinx -q -W --keep-going -b html -c docs . build/site
	@echo "Open build/site/index.html"

outputs: $(READY) ## For authors: store anew what the notebooks, the README's picture and the golden texts show
	@$(BIN)/python tools/refresh_notebooks.py
	@$(BIN)/python tools/report_picture.py
	@$(BIN)/python -m pytest -q --refresh-golden tests/test_cli.py tests/test_cli_audit.py

starters: ## For authors: make exercises/ as it is now what `grader reset` restores
	@$(PYTHON) tools/refresh_starters.py

address: $(READY) ## For authors: bring the repository's address from pyproject.toml to notebooks and pages
	@$(BIN)/python tools/refresh_address.py

constraints: ## For authors: pin the newest versions of every dependency
	@$(PYTHON) tools/refresh_constraints.py

clean: ## Remove the .venv and the caches; your exercises stay
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Installs over what is there, so a changed pin costs seconds and an interrupted set-up is finished.
$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "No '$(PYTHON)' here. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Setting up $(VENV): this downloads PyTorch and JupyterLab, once, and takes some minutes."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[notebooks,site,tests]'
	@touch $(READY)
