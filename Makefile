PYTHON ?= python3
BENCH_PYTHON ?= /usr/bin/python3
VENV := .venv

.PHONY: test bench clean

test: $(VENV)/ready
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/pytest

$(VENV)/ready: tests/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
	touch $@

# An interpreter without a wrapper in front of it; say which when you quote the numbers.
bench:
	$(BENCH_PYTHON) tests/bench.py

clean:
	rm -rf $(VENV) .*_cache __pycache__ tests/__pycache__
