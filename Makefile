# Nothing has to be installed before: each target makes the environment it needs.
# Without make: python3 scripts/dev.py demo | test | static | lint | clean
PYTHON ?= python3

.PHONY: demo test static lint clean

demo: ## dtlint on the examples; needs no torch and no jax
	$(PYTHON) scripts/dev.py demo

test: ## the whole suite, with CPU builds of torch and jax
	$(PYTHON) scripts/dev.py test

static: ## the fast tests, without any framework
	$(PYTHON) scripts/dev.py static

lint: ## ruff and mypy
	$(PYTHON) scripts/dev.py lint

clean: ## remove the environments and caches made here
	$(PYTHON) scripts/dev.py clean
