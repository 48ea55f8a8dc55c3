# Every target does the set-up that it needs: Python 3.11 or newer, a C compiler and make are enough.
#
#   make demo         schedule, compile, check and time a matrix product, then smaller kernels
#   make blas         build/blas/libexo_blas.so, libexo_blas64.so, libexo_blas_ilp64.so and exo_blas.h, for every x86
#                     instruction set (examples/exo_blas)
#   make blas-dist    build/exo_blas-VERSION.tar.gz: its C sources, which make or CMake builds without Python
#   make blas-all     the tests of examples/exo_blas on it, which make test leaves out
#   make blas-test    these and those of its source distribution, then netlib's test programs on it, LAPACK's, NumPy, SciPy
#                     and GSL, if they can be had (Debian's packages, unpacked into the cache), and all that through FlexiBLAS,
#                     if it is installed
#   make test         the test suite
#   make lint         ruff, mypy, the import contracts, and whether dependencies are declared and used
#   make docs         the documentation site in build/site, from docs/ and docstrings, and its tests
#   make soak N=10000 the property tests, N examples each; then Neon code in an emulator (qemu-user),
#                     if there is one; the BLAS, and parallel loops, with sanitizers; every primitive applied N times, with a table,
#                     and N / 20 times to programs in each form of the object language;
#                     and chains of rewrites with 10 N steps in all, compared in C by several compilers
#   make wheel-test   build the wheel, install it in an empty environment, run the demos from elsewhere, make a project
#   make clean        remove what the above made
#   make help         this text

PYTHON ?= python3
N ?= 10000

# Tests start many processes: with compiled modules, whatever the environment says, each starts in a third of the time.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache

BIN := .venv/bin
READY := .venv/.ready
DOCS := .venv/.docs
BLAS := build/blas/libexo_blas.so

.DELETE_ON_ERROR:
.PHONY: demo blas blas-dist blas-all blas-test test lint docs soak wheel-test clean help

demo: $(READY)
	$(BIN)/exo-strat demo sgemm gemv gemv_t axpy

blas: $(READY)
	$(BIN)/python -m examples.exo_blas build $(dir $(BLAS))

blas-dist: $(READY)
	$(BIN)/python -m examples.exo_blas dist build

blas-all: $(READY)
	$(BIN)/python -m examples.exo_blas build $(dir $(BLAS)) --integers 32
	EXO_BLAS_LIBRARY=$(CURDIR)/$(BLAS) $(BIN)/pytest -n auto -q -m "not sanitize and not slow" examples/exo_blas

blas-test: blas blas-all # of both kinds of integers
	EXO_BLAS_LIBRARY=$(CURDIR)/$(BLAS) $(BIN)/pytest -q -m slow examples/exo_blas
	$(BIN)/python -m examples.exo_blas netlib $(BLAS) || test $$? = 77
	$(BIN)/python -m examples.exo_blas callers $(BLAS) || test $$? = 77
	$(BIN)/python -m examples.exo_blas races || test $$? = 77

test: $(READY)
	$(BIN)/pytest -n auto --dist worksteal -q

lint: $(DOCS)
	$(BIN)/ruff check .
	$(BIN)/mypy $$($(BIN)/python .ci/object_code.py build/mypy) exo_strat backends strategies importers examples benchmarks website
	$(BIN)/lint-imports
	$(BIN)/deptry .

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	EXO_STRAT_SITE=$(CURDIR)/build/site $(BIN)/pytest -q -m slow tests/website

soak: $(READY)
	EXO_STRAT_EXAMPLES=$(N) $(BIN)/pytest -n auto -q -m hypothesis --ignore tests/soundness/test_primitives.py tests
	$(BIN)/pytest -n auto -q -m cross tests/backends
	$(BIN)/pytest -n auto -q -m long tests
	$(BIN)/pytest -n auto -q -m sanitize examples/exo_blas/tests tests/backends
	$(BIN)/python -m exo_strat.testing.soak -n $(N)
	$(BIN)/python -m exo_strat.testing.soak -n $$(( $(N) / 20 + 1 )) --form all
	$(BIN)/python -m benchmarks.chains -n $(N)0

wheel-test: $(READY)
	$(BIN)/pytest -q -m slow tests/test_setup.py tests/test_project.py

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find exo_strat strategies backends importers examples tests website -name __pycache__ -type d -prune -exec rm -rf {} +

# A link is to an environment of another checkout: it is taken as it is, with the packages that are here.
ifneq ($(shell test -L .venv && echo link),)
export PYTHONPATH := $(CURDIR)
$(READY) $(DOCS):
	@test -x $(BIN)/python || { echo ".venv is a link, and there is no $(BIN)/python: remove it" >&2; exit 1; }
else
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is missing or older than 3.11: run make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments: install its venv package (Debian: python3-venv)" >&2; exit 1; }
	@echo "setting up .venv (once, about half a minute)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(DOCS): $(READY) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,docs]"
	@touch $@
endif

help:
	@sed -n 's/^#   //p; /^$$/q' Makefile
