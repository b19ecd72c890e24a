# The commands of the house; CMakePresets.json holds how things are built.
.DEFAULT_GOAL := help
.PHONY: help setup build python tests demo check check-ci check-clang check-asan check-tsan check-fuzz \
        check-format check-tidy check-bench check-wheel check-long check-whole bench figures format clean

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 10
# What the thread sanitizer builds and runs: the unit tests of every room.
TSAN_ROOMS ?= data kernels core families models estimators sources observers catalogue
# What scripts/tidy reads: changes, as many as a bound allows; --all in `make check-long`.
TIDY ?=
# The system's own interpreter, with the packages of scripts/setup, whatever a version manager puts before it.
PYTHON ?= /usr/bin/python3
VENV = $(CURDIR)/build/venv
# The thread sanitizer cannot place its shadow under the widest address randomisation.
STEADY := $(shell setarch -R true 2>/dev/null && echo setarch -R)

CXX_FILES = git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp'
# CMake speaks up on stderr when there is something to say.
compile = cmake --preset $(1) >/dev/null && cmake --build --preset $(1) -j $(JOBS)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do \
	  printf '  make %-13s %s\n' "$$name" "$$what"; done

setup: ## install the Debian packages that are missing
	@scripts/setup

build: setup ## the library and the command, build/release/thalweg
	@$(call compile,release) --target thalweg_program

python: setup ## the Python package, installed into build/venv
	@scripts/setup python
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv --system-site-packages $(VENV)
	@cmake --preset release -DTHALWEG_PYTHON=ON -DPython_EXECUTABLE=$(VENV)/bin/python >/dev/null
	@THALWEG_BUILD_DIR=build/release JOBS=$(JOBS) $(VENV)/bin/pip install --quiet \
	  --no-build-isolation --no-index --no-deps --disable-pip-version-check .

tests: setup
	@$(call compile,release)

demo: build ## fit the shipped data and a simulated stream
	@scripts/demo

check: python tests ## every quick test, one compiler
	@test -n "$$THALWEG_DATA" || \
	  echo 'check: THALWEG_DATA is not set: tests run on the shipped data only and say what they skip'
	@ctest --preset release -j $(JOBS)

check-ci: ## Clang, sanitizers, short fuzzing, format, tidy, benchmarks built and the wheel
	@scripts/setup ci python
	@$(MAKE) --no-print-directory check-format check-clang check-tidy check-asan check-tsan check-fuzz check-bench check-wheel

check-clang:
	@$(call compile,clang)
	@ctest --preset clang -j $(JOBS)

check-asan:
	@$(call compile,asan)
	@ctest --preset asan -j $(JOBS)

check-tsan:
	@$(call compile,tsan) --target $(TSAN_ROOMS:%=test_%)
	@$(STEADY) ctest --preset tsan -R '^($(subst $(eval) ,|,$(TSAN_ROOMS)))\.' -j $(JOBS)

check-fuzz:
	@$(call compile,fuzz)
	@scripts/fuzz $(FUZZ_SECONDS) $(JOBS)

check-format:
	@files=$$($(CXX_FILES)) && clang-format-14 --dry-run -Werror $$files

check-tidy:
	@cmake --preset plain >/dev/null
	@scripts/tidy --jobs $(JOBS) $(TIDY)

check-bench:
	@$(call compile,release) --target benchmarks

check-wheel: python
	@THALWEG_BUILD_DIR=build/release JOBS=$(JOBS) scripts/check-wheel $(VENV)/bin/python

# What `make check-ci` bounds, without its bounds: tidy over all files, every law by Clang and under the sanitizers, long fuzzing.
check-whole:
	@scripts/setup ci
	@$(MAKE) --no-print-directory check-tidy TIDY=--all
	@for build in clang asan; do \
	  $(call compile,$$build) && ctest --test-dir build/$$build -R '^(laws|reference)[.]' --output-on-failure -j $(JOBS) || exit 1; done
	@$(MAKE) --no-print-directory check-fuzz FUZZ_SECONDS=600

check-long: tests ## the tests that take an hour, seeded mistakes, and all that check-ci bounds, whole
	@ctest --preset long -j $(JOBS)
	@tests/mistakes/plant --jobs $(JOBS)
	@$(MAKE) --no-print-directory check-whole

bench: setup ## measure, beside the peers
	@scripts/setup bench
	@scripts/bench

figures: setup ## the figures of the paper, docs/experiments/cappe2010
	@scripts/setup figures
	@$(call compile,release) --target cappe2010
	@build/release/experiments/cappe2010/cappe2010 docs/experiments/cappe2010
	@experiments/cappe2010/plot.py docs/experiments/cappe2010

format: ## clang-format over all C++ files
	@scripts/setup ci
	@files=$$($(CXX_FILES)) && clang-format-14 -i $$files

clean: ## forget all builds
	@rm -rf build
