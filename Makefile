# Every target creates the environment in .venv by itself. Needs Python 3.11+ and a package index.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2

SOURCES := $(shell find web -type f -not -path '*/node_modules/*')

.PHONY: tour test test-long lint docs bench studio page clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "swerve needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || \
	  { echo "swerve needs Python's venv module (on Debian: apt install python3-venv)" >&2; exit 1; }
	@echo "Creating the environment in .venv ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@$(BIN)/python -m compileall -q src  # as pip does with packages: it leaves out what stays in its folder
	@touch $@

# Browser tests need Chromium: Debian's package where we may install it; elsewhere they are skipped.
.venv/browser: .venv/ready
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the browser tests ..."; \
	  (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) >/dev/null 2>&1 || \
	  echo "Chromium could not be installed; the browser tests will be skipped."; fi
	@touch $@

# The studio's page is built by Node: the system's, or the one that PyPI carries; without either it is left out.
.venv/page: .venv/ready $(SOURCES)
	@$(BIN)/python web/build.py
	@touch $@

page: .venv/page  ## Build the studio's page from web/

studio: .venv/page  ## Open the studio: drive, bend, watch and take along
	@mkdir -p out
	@$(BIN)/swerve studio --open --folder out

tour: .venv/ready  ## Plan and simulate one scene of every wing; writes out/tour/index.html
	@$(BIN)/swerve tour

test: .venv/ready .venv/browser .venv/page  ## Run every test
	@$(BIN)/python -m pytest -rs -n $(WORKERS) --dist loadscope --no-loadscope-reorder

test-long: .venv/ready .venv/browser .venv/page  ## Run every test, those marked long too
	@$(BIN)/python -m pytest -rs -n $(WORKERS) --dist loadscope --no-loadscope-reorder --long

lint: .venv/ready  ## Check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

docs: .venv/ready  ## Build the documentation into docs/_build/html
	@$(BIN)/python -m sphinx -q -W -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: .venv/ready  ## Measure against the references, ratios in one run
	@$(BIN)/swerve bench all

clean:  ## Remove the environment and everything built
	rm -rf .venv out build dist docs/_build web/node_modules src/swerve/studio/page src/swerve/core/show/page
