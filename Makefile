PYTHON ?= python3
BROWSER := $(or $(ONEFOLD_BROWSER),$(shell command -v chromium || command -v chromium-browser || command -v google-chrome))
PIP := .venv/bin/python -m pip --disable-pip-version-check --no-input -qq

.DEFAULT_GOAL := help
.PHONY: help venv demo test lint format docs exhaustive conformance lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

venv: .venv/.installed ## make .venv with the locked requirements and this package

demo: .venv/.installed ## run a live pipeline on local Spark as D, A+ and A: a table and a page
	@.venv/bin/onefold demo --out build/demo $(ARGS)

test: .venv/.installed ## run every test and every doctest (ARGS="-k join" narrows it)
	@$(if $(BROWSER),,echo "no Chromium on the path, so the tests of pages are left out: install it, or set ONEFOLD_BROWSER")
	@.venv/bin/python -m pytest -n 2 --dist loadfile $(if $(BROWSER),,--ignore tests/pages) $(ARGS)

lint: .venv/.installed ## check style, format and types
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy

format: .venv/.installed ## format the code and sort the imports
	@.venv/bin/ruff check --fix-only --quiet .
	@.venv/bin/ruff format .

docs: .venv/.installed ## make pictures and pages of operators, build the site in build/docs, check its links
	@.venv/bin/python docs/making/draw_pictures.py
	@.venv/bin/python docs/making/operator_pages.py
	@rm -rf build/docs
	@.venv/bin/python -m sphinx -q -W --keep-going -d build/doctrees docs build/docs
	@.venv/bin/python docs/making/check_site.py build/docs
	@echo "the site is in build/docs: open build/docs/index.html"

exhaustive: .venv/.installed ## try every small stream with every placement of watermarks
	@.venv/bin/python -m onefold.check.exhaustive $(ARGS)

conformance: .venv/.installed ## put every rule to every engine and to plain PySpark: docs/conformance.md
	@.venv/bin/onefold conformance --engines reference,spark --plain --markdown docs/conformance.md $(ARGS)

# Pins that still fit stay; `make lock LOCK="--upgrade"` takes the newest of everything.
lock: ## resolve requirements/dev.lock again, with uv in a throwaway environment
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	$(PYTHON) -m venv "$$dir" && \
	"$$dir/bin/pip" --disable-pip-version-check -qq install uv && \
	"$$dir/bin/uv" pip compile requirements/dev.in --output-file requirements/dev.lock \
		--universal --python-version 3.11 --generate-hashes --no-emit-package onefold \
		--no-header --no-annotate --no-config --quiet $(LOCK)
	@! grep -nE '://|^(-i|-f|-e|--)|(^|[ @])(/|file:)' requirements/dev.lock || \
		{ echo "requirements/dev.lock names an index, a host or a path: see the lines above." >&2; exit 1; }

clean: ## remove the environment, the builds and the caches
	@rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stamps: a new lock rebuilds the environment, a new pyproject.toml installs the package again.
.venv/.requirements: requirements/dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "onefold needs Python 3.11 or newer, and '$(PYTHON)' is not: try make PYTHON=python3.12." >&2; exit 1; }
	@echo "making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear .venv
	@echo "installing requirements/dev.lock into .venv"
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@touch $@

.venv/.installed: .venv/.requirements pyproject.toml
	@echo "installing onefold into .venv, editable"
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@
