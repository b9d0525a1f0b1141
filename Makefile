# Every target sets up what it needs: a virtual environment, the dependencies, a Java for Spark.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTHON ?= python3

export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: setup demo test check nightly soak format bench bench-quick clean

setup: $(STAMP)

$(STAMP): pyproject.toml scripts/find-java
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	scripts/find-java > $(VENV)/java-home
	touch $(STAMP)

test: setup
	JAVA_HOME="$$(cat $(VENV)/java-home)" $(BIN)/pytest --numprocesses 2 --dist loadfile --max-worker-restart 2

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test

KILLS ?= 100

MINUTES ?= 60

soak: setup
	JAVA_HOME="$$(cat $(VENV)/java-home)" $(BIN)/python -m datacell.bench.soak $(MINUTES)

nightly: setup
	JAVA_HOME="$$(cat $(VENV)/java-home)" PYTHONPATH=tests $(BIN)/python -m receptors.fuzzing 10000
	JAVA_HOME="$$(cat $(VENV)/java-home)" PYTHONPATH=tests $(BIN)/python -m crashes.crashing
	PYTHONPATH=tests $(BIN)/python -m fuzz.scripts 10000 1000
	JAVA_HOME="$$(cat $(VENV)/java-home)" PYTHONPATH=tests $(BIN)/python tests/covered.py
	JAVA_HOME="$$(cat $(VENV)/java-home)" PYTHONPATH=tests $(BIN)/python -m crashes.damaging
	JAVA_HOME="$$(cat $(VENV)/java-home)" $(BIN)/python tests/cli/killing.py $(KILLS)
	JAVA_HOME="$$(cat $(VENV)/java-home)" $(BIN)/python tests/cli/killing.py $(KILLS) --engine spark --driver-memory 0

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

demo: setup
	JAVA_HOME="$$(cat $(VENV)/java-home)" $(BIN)/datacell demo

BENCHES := net lifting hop basic steps selectivity window-size landmark adaptive against-engine growth \
	optimizer-time placement feasibility intervals volume latency transfers backlog large-state executors \
	chain batches strategies sharing

bench: setup
	for name in $(BENCHES); do JAVA_HOME="$$(cat $(VENV)/java-home)" $(BIN)/datacell bench $$name || exit 1; done

bench-quick: setup
	for name in $(BENCHES); do JAVA_HOME="$$(cat $(VENV)/java-home)" $(BIN)/datacell bench $$name --quick || exit 1; done

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
