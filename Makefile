# soul: from a clean clone, `make up` gives you a living one and `make test` proves it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

PYTHON ?= python3
# `make setup PYTHON=...` also chooses the interpreter of the environment
PYTHON_OPTION := $(if $(filter command line environment,$(origin PYTHON)),--python $(PYTHON))
IN_ENV := source tools/env.sh &&

# Processes of the tests find their modules compiled, also where Python may not write by itself
COMPILED = python -m compileall -q src/soul test/support

# `make up` options: the soul's home, the model, and anything else that `soul up --help` lists
HOME_DIR ?=
MODEL ?=
VOICE ?=
ARGS ?=
LOCAL_EXTRA = $(IN_ENV) python -c 'import xllamacpp' 2> /dev/null || \
  { echo '--> installing the extra local'; python -m pip install -q 'xllamacpp>=2026.10,<2028'; }
UP_OPTIONS = $(if $(HOME_DIR),--home "$(HOME_DIR)") $(if $(MODEL),--model "$(MODEL)") \
  $(if $(VOICE),--voice) $(ARGS)

.PHONY: help
help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' \
	  | awk -F '\t' '{ printf "  make %-8s %s\n", $$1, $$2 }'
	@echo
	@echo '  make up HOME_DIR=~/.soul MODEL=provider/name ARGS="--mock"     options of soul up'
	@echo '  make up MODEL=local                            a small model of this machine, no key'
	@echo '  make up VOICE=1                                she speaks and hears (installs 450 MB)'
	@echo '  make test ARGS="test/unit -k heart"                            options of pytest'

.PHONY: setup
setup: ## create the environment and build the workspace (done once, then in no time)
	@command -v $(PYTHON) > /dev/null || { \
	  echo '$(PYTHON) not found. Debian, Ubuntu: sudo apt install python3 python3-dev python3-venv'; \
	  exit 1; }
	@$(PYTHON) tools/setup_env.py $(PYTHON_OPTION)

.PHONY: up
up: setup ## wake the soul: every organ, a simulated body unless told otherwise
ifeq ($(MODEL),local)
	@$(LOCAL_EXTRA)
endif
	@$(IN_ENV) exec soul up $(UP_OPTIONS)

.PHONY: test
test: setup lint ## lint, then run the tests
ifneq ($(ARGS),)
	@$(IN_ENV) exec python -m pytest $(ARGS)
else
	@# more processes than there are cores: whoever waits for a graph needs none
	@$(IN_ENV) $(COMPILED); exec python -m pytest -n $$(( $$(nproc) + 3 ))
endif

.PHONY: lint
lint: setup ## style, import rules and types
	@$(IN_ENV) ruff check .
	@$(IN_ENV) lint-imports --no-logo
	@$(IN_ENV) mypy

.PHONY: bench
bench: setup ## measure, each figure beside its reference
	@$(IN_ENV) exec python -m bench $(ARGS)

.PHONY: soak
soak: setup ## run the whole graph for a long time (not part of make test)
	@$(IN_ENV) exec python -m pytest -m soak --override-ini timeout=0 $(ARGS)

.PHONY: voice
voice: setup ## try voice and ears with their real engines (installs them, 900 MB for all languages)
	@$(IN_ENV) for language in en ja zh; do soul voice install $$language; done
	@# one after the other: they live in real time, and recognition takes both cores
	@$(IN_ENV) exec python -m pytest -n 1 -m 'voice and not soak' $(ARGS) test/unit

.PHONY: peers
peers: setup ## let a device that nobody here wrote ask, dial and be used (installs xiaozhi-sdk, 150 MB)
	@$(IN_ENV) python -c 'import xiaozhi_sdk' 2> /dev/null || \
	  { echo '--> installing the extra xiaozhi-peer'; python -m pip install -q 'xiaozhi-sdk>=0.5,<1'; }
	@$(IN_ENV) exec python -m pytest test/ros/test_xiaozhi_body.py -k sdk $(ARGS)

.PHONY: sdks
sdks: setup ## check the protocols of models against the official clients (installs them, 60 MB)
	@$(IN_ENV) python -c 'import openai, anthropic, google.genai' 2> /dev/null || \
	  { echo '--> installing the extra model-sdks'; \
	    python -m pip install -q 'openai>=3,<4' 'anthropic>=2,<3' 'google-genai>=3,<4'; }
	@$(IN_ENV) exec python -m pytest test/unit/mind/providers/test_mind_sdks.py $(ARGS)

.PHONY: live
live: setup ## let the small model of this machine live a waking (`make up MODEL=local` fetches it)
	@$(LOCAL_EXTRA)
	@$(IN_ENV) exec python -m pytest -m live --override-ini timeout=0 test/live $(ARGS)

.PHONY: compat
compat: ## run test/compat against ROS 2 Jazzy
	@$(PYTHON) tools/setup_env.py --family jazzy $(PYTHON_OPTION)
	@SOUL_FAMILY=jazzy; $(IN_ENV) exec python -m pytest test/compat $(ARGS)

.PHONY: figures
figures: setup ## draw the figures of the documentation
	@$(IN_ENV) python -c 'import matplotlib' 2> /dev/null || \
	  { echo '--> installing the extra figures'; python -m pip install -q 'matplotlib>=3.7,<4'; }
	@$(IN_ENV) exec python -m bench.figures $(ARGS)

.PHONY: clean
clean: ## remove the environments and everything that was built
	rm -rf .venv .venv-* build build-* install install-* log log-* .setup*.lock
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf src/*.egg-info
	find src test tools -name __pycache__ -type d -prune -exec rm -rf {} +
