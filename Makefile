# Prefer the system's Python: the first one on the PATH may be a slow wrapper script.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < \
	(3, 10))' 2>/dev/null && echo /usr/bin/)python3
BENCH_PYTHON ?= /usr/bin/python3
VENV := .venv
PIP = $(VENV)/bin/pip install --disable-pip-version-check --constraint constraints.txt
# Install with a line in a .pth file. Otherwise, every start of Python would import a module finder.
editable := --config-settings editable_mode=compat --editable
# More workers than processors, because many tests wait for a program that hangs.
WORKERS ?= $(shell expr 3 \* $$(getconf _NPROCESSORS_ONLN))

SOURCES := $(wildcard *_logic.py *_console.py) grading tests tools docs

# Call `main` in a module of tools/ or of the tests. A second argument names an interpreter to run it with.
main_of = PYTHONPATH=.:tests:tests/grading:tools $(or $(2),$(VENV)/bin/python) \
	-c 'import sys, $(1); sys.exit($(1).main(*sys.argv[1:]))'

# Keep compiled files. Otherwise, each worker of the suite would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test test-long style types unused suite goldens goldens-whole test-cluster \
	test-gradescope venv bench bench-class mutants diagnoses directive-pairs faults hostile pictures \
	places unseen blind statements verdicts verdicts-whole clean

# Check types and dead code while the suite starts, since pytest first collects on one processor.
test: style
	$(MAKE) --jobs=3 types unused suite

# Check only the project's own files, not experiments in the same folder.
style: venv
	$(VENV)/bin/ruff check $(SOURCES)
	$(VENV)/bin/ruff format --check --quiet $(SOURCES)

# There is no mypy for PyPy.
types: venv
	test ! -e $(VENV)/bin/mypy || $(VENV)/bin/mypy

unused: venv
	$(VENV)/bin/vulture $(wildcard *_logic.py *_console.py) grading

# With worksteal, neighboring tests run in one worker, which makes their shared fixtures only once.
suite: $(VENV)/compiled
	$(VENV)/bin/pytest -n $(WORKERS) --dist worksteal

# The tests marked `long`: random inputs, many combinations, other kinds of sandbox, the installed
# package. Then, one at a time, those that use up the machine.
test-long: $(VENV)/compiled
	$(VENV)/bin/pytest -n $(WORKERS) --dist worksteal -m long
	$(VENV)/bin/pytest -m alone

venv: $(VENV)/ready

# Compile everything once; otherwise, each worker of the suite would.
$(VENV)/compiled: $(VENV)/ready
	-@$(VENV)/bin/pytest --collect-only --quiet >/dev/null
	@touch $@

$(VENV)/ready: pyproject.toml constraints.txt
	@echo 'Preparing $(VENV): the libraries that pyproject.toml names, half a minute.'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --quiet 'pip>=22.3'
	$(PIP) --progress-bar=off $(editable) '.[grader,test]'
	rm -rf build *.egg-info
	touch $@

# Grade a class on a cluster: a scheduler and two workers on this machine.
test-cluster: venv
	$(PIP) --quiet $(editable) '.[cluster]'
	rm -rf build *.egg-info
	$(VENV)/bin/pytest tests/grading/test_cluster.py

# What developers run by hand. CONTRIBUTING.md says what each is for, and the module in tools/ says
# how it works. Most take minutes; bench-class and verdicts-whole need an idle machine,
# test-gradescope needs root, and pictures needs Chromium. ONLY='a part of a name' selects some
# programs. SUITE=noble is Ubuntu 24.04 instead of Debian 12. GRADER and CHECKOUT name the folder of
# another checkout. WRITE=new writes tools/verdicts.txt, and WRITE=varies marks verdicts as varying.
# BENCH_PYTHON must not be a wrapper script; name it whenever you quote the numbers.
bench: venv; $(call main_of,bench,$(BENCH_PYTHON)) && $(call main_of,bench_grader)
bench-class: venv; $(call main_of,bench_class)
blind: venv; $(call main_of,blind_reports) $(SET) '$(INTO)'
diagnoses: venv; DIAGNOSES=whole $(VENV)/bin/pytest -n 2 -m long tests/grading/test_diagnosis.py
directive-pairs: venv; @$(call main_of,directive_pairs) $(or $(GRADER),.)
faults: venv; $(call main_of,faults)
goldens: venv; $(call main_of,new_goldens) '$(ONLY)'
goldens-whole: venv; $(call main_of,new_goldens) '$(ONLY)' whole
hostile: venv; $(call main_of,hostile_outputs) 500 && $(call main_of,test_batch) 60
mutants: venv; $(call main_of,mutants)
pictures: venv; $(call main_of,pictures)
places: venv; $(call main_of,measure_places)
statements: venv; @$(call main_of,statements) $(or $(CHECKOUT),.)
test-gradescope: venv; $(call main_of,gradescope_in_debian) $(SUITE)
unseen: venv; $(call main_of,unseen_programs) '$(ONLY)'
verdicts: venv; $(call main_of,verdicts) few '$(WRITE)' '$(ONLY)'
verdicts-whole: venv; $(call main_of,verdicts) whole '$(WRITE)' '$(ONLY)'

clean:
	rm -rf $(VENV) .*_cache .hypothesis build *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
