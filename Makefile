# The whole vocabulary: crawl, test, check, bench, docs. Each works on a fresh checkout with nothing else typed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
URL ?=
PYTEST_ARGS ?=

.PHONY: crawl test check bench docs
.DEFAULT_GOAL := test

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(STAMP)

crawl: $(STAMP)
	@$(BIN)/python -m polite_crawler.cli.quickstart $(URL)

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST_ARGS)

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/check.py

bench: $(STAMP)
	$(BIN)/python bench/run.py

docs: $(STAMP)
	$(BIN)/python docs/check.py --write
