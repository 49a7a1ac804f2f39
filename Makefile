# Every target sets up what it needs: a .venv with exactly the versions in constraints.txt, with uv where
# it is on PATH and pip elsewhere. Learners get the course and JupyterLab; the developers' tools follow
# with the first target that uses them.
# Another Python: make PYTHON=python3.13 grade

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# PyTorch's CUDA build, to test on; PyPI's default on Linux x86-64.
CUDA_TORCH ?= 2.14.1
CUDA_VENV := .venv-cuda
CUDA_READY := $(CUDA_VENV)/.ready-$(CUDA_TORCH)
READY := $(VENV)/.ready
TOOLS_READY := $(VENV)/.ready-tools
OTHERS_READY := $(VENV)/.ready-others
LAB_FLAGS ?=
# Container images often set it. Then each process of the tests that imports PyTorch would compile
# PyTorch's Python files again, for 3 s of processor time.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help grade demo lab set-up test notebooks lint check nightly site outputs starters links constraints clean cuda-build test-cuda-build test-sanitized test-mutation verify new

help: ## Show this list
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ For learners

grade: $(READY) ## Judge exercises/: a line for each exercise, and the next step
	@$(BIN)/grader grade

demo: $(READY) ## Watch the README's bug being found and fixed, in ten seconds
	@$(BIN)/python tools/demo.py

lab: $(READY) ## Open the course in JupyterLab
	@$(BIN)/grader lab -- $(LAB_FLAGS)

site: $(TOOLS_READY) ## Build the site into build/site; it needs no network
	@$(BIN)/python -m sphinx -q -W --keep-going -b html -c docs . build/site
	@echo "Open build/site/index.html"

clean: ## Remove the .venv and the caches; your exercises stay
	@rm -rf $(VENV) $(CUDA_VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

##@ For contributors

lint: $(TOOLS_READY) ## Check style, types, and which part may import which
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/mypy --config-file tests/mypy.ini
	@$(BIN)/lint-imports

test: $(TOOLS_READY) ## Run what takes two minutes: the quick tests, and the notebooks
	@$(BIN)/python tools/check.py quick

check: ## Set up and run what a change has to pass; CI runs just this. SAMPLE=... names a commit
	@$(PYTHON) tools/check.py gate $(if $(SAMPLE),--sample=$(SAMPLE))

nightly: $(OTHERS_READY) ## Run everything, whole, or a part of it: PART=tests
	@$(BIN)/python tools/check.py nightly $(if $(PART),--part=$(PART))

notebooks: $(TOOLS_READY) ## Run the notebooks and compare every output with the stored one
	@$(BIN)/python tools/check.py quick --part=cells

set-up: $(TOOLS_READY) ## Install the developers' tools, too

##@ For authors of exercises and findings

new: $(TOOLS_READY) ## Begin an exercise or a finding: NAME=16_gamma_correction, NAME=gradient-detached
	@$(BIN)/python tools/new.py $(NAME)

outputs: $(TOOLS_READY) ## Store again what the notebooks, the README, the index of findings and the golden texts show
	@$(BIN)/python tools/refresh_notebooks.py
	@$(BIN)/python tools/report_picture.py
	@$(BIN)/python tools/refresh_findings.py
	@$(BIN)/python -m pytest -q --refresh-golden tests/cli/test_cli.py tests/cli/test_cli_audit.py

verify: $(TOOLS_READY) ## Try whether exercises are judged as declared: NN=04, with changed answers MUTANTS=1, EVERY=10; with SEEDS=200
	@$(BIN)/python tools/verify $(NN) $(if $(MUTANTS),--mutants) $(if $(EVERY),--every=$(EVERY)) $(if $(SEEDS),--seeds=$(SEEDS))

starters: ## Make the present exercises/ what `grader reset` restores
	@$(PYTHON) tools/refresh_starters.py

##@ For maintainers

MUTANTS ?= 100
SEED ?= 0
test-mutation: $(TOOLS_READY) ## Change operators in what judges, and see which changes no test notices
	@$(BIN)/python tools/install.py '.[notebooks,site,tests,mutation]'
	@OMP_NUM_THREADS=1 $(BIN)/python tools/test_mutation.py --sample $(MUTANTS) --seed $(SEED)

test-sanitized: $(TOOLS_READY) ## Run the simulated device's tests with AddressSanitizer and UBSan (Linux, g++)
	@$(BIN)/python tools/test_sanitized.py

cuda-build: $(CUDA_READY) ## Set up .venv-cuda: PyTorch's CUDA build (5 GB) over a stand-in for a GPU

test-cuda-build: $(CUDA_READY) ## Run what can run there: tests, the course, the notebooks
	@$(CUDA_VENV)/bin/python tools/test_cuda_build.py $(CUDA_VENV)/standin

links: $(TOOLS_READY) ## Ask of every link that leads out whether it still leads somewhere
	@$(BIN)/python -m sphinx -q -b linkcheck -c docs . build/links

constraints: ## Pin the newest versions of every dependency
	@$(PYTHON) tools/refresh_constraints.py

# Installs over what is there, so a changed pin costs seconds and an interrupted set-up is finished.
$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "No '$(PYTHON)' here. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, and '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Setting up $(VENV), once: PyTorch and JupyterLab are large, so this takes some minutes."
	@$(PYTHON) tools/install.py --venv $(VENV)
	@$(BIN)/python tools/install.py '.[notebooks]'
	@echo "Compiling the simulated CUDA device, once."
	@$(BIN)/python -m grader.simulated_cuda.native.build >/dev/null || true
	@touch $(READY)

$(TOOLS_READY): $(READY)
	@echo "Installing the developers' tools, once."
	@$(BIN)/python tools/install.py '.[notebooks,site,tests]'
	@touch $(TOOLS_READY)

$(OTHERS_READY): $(TOOLS_READY)
	@echo "Installing nbgrader, clang-tidy and the packages that are audited, once."
	@$(BIN)/python tools/install.py '.[notebooks,site,tests,others]'
	@touch $(OTHERS_READY)

# The course's own pin of torch is left out; NVIDIA's two packages of headers are what gcc needs.
$(CUDA_READY): pyproject.toml constraints.txt tests/cuda_build/standin/*
	@command -v gcc >/dev/null || { echo "No 'gcc' here, which compiles the stand-in: install it." >&2; exit 1; }
	@echo "Setting up $(CUDA_VENV): this downloads PyTorch's CUDA build, about 3 GB, once."
	@$(PYTHON) -m venv $(CUDA_VENV)
	@grep -v '^torch==' constraints.txt > $(CUDA_VENV)/constraints.txt
	@$(CUDA_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -c $(CUDA_VENV)/constraints.txt \
		torch==$(CUDA_TORCH) 'nvidia-cuda-crt==13.0.*' 'nvidia-cuda-cccl==13.0.*' -e '.[notebooks,tests]'
	@$(CUDA_VENV)/bin/python -c 'import sys, torch; sys.exit(None if torch.version.cuda else f"{torch.__version__} is no CUDA build: remove $(CUDA_VENV), and look at what pip is told to install from")'
	@sh tests/cuda_build/standin/build.sh $(CUDA_VENV) $(CUDA_VENV)/standin
	@rm -f $(CUDA_VENV)/.ready-* && touch $(CUDA_READY)
