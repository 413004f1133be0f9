# The system's own, where it can: the first on the PATH may be a script, and start slowly.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < \
	(3, 10))' 2>/dev/null && echo /usr/bin/)python3
BENCH_PYTHON ?= /usr/bin/python3
VENV := .venv
PIP = $(VENV)/bin/pip install --disable-pip-version-check --constraint constraints.txt
# By a line in a .pth file: else each start of the interpreter would import a finder of modules.
editable := --config-settings editable_mode=compat --editable
# More than there are processors: many tests wait for a program that hangs.
WORKERS ?= $(shell expr 3 \* $$(getconf _NPROCESSORS_ONLN))

SOURCES := $(wildcard *_logic.py *_console.py) grading tests docs

# Runs the `main` of a module of the tests, which starts nothing when it is imported; perhaps by
# another interpreter.
main_of = PYTHONPATH=.:tests:tests/grading $(or $(2),$(VENV)/bin/python) \
	-c 'import sys, $(1); sys.exit($(1).main(*sys.argv[1:]))'

# What is compiled is kept, or each process of the suite would compile it once more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test test-long style types unused suite goldens goldens-whole test-cluster \
	test-gradescope venv bench bench-class mutants diagnoses directive-pairs faults hostile pictures \
	places unseen clean

# The types and dead code while the suite begins: at first it has work for one processor only.
test: style
	$(MAKE) --jobs=3 types unused suite

# What belongs to the project, not what somebody tries out beside it.
style: venv
	$(VENV)/bin/ruff check $(SOURCES)
	$(VENV)/bin/ruff format --check --quiet $(SOURCES)

# Not with PyPy, which has no mypy.
types: venv
	test ! -e $(VENV)/bin/mypy || $(VENV)/bin/mypy

unused: venv
	$(VENV)/bin/vulture $(wildcard *_logic.py *_console.py) grading

# With worksteal neighbours run in one process, so that what they share is made once.
suite: $(VENV)/compiled
	$(VENV)/bin/pytest -n $(WORKERS) --dist worksteal

# The tests that ask by chance, about the machine, the end of the grader, or what is handed out.
test-long: $(VENV)/compiled
	$(VENV)/bin/pytest -n $(WORKERS) --dist worksteal -m long

# What the grader says of each wrong program of the tests; ONLY='a part of the name' for some.
goldens: venv
	$(call main_of,goldens) '$(ONLY)'

# By all sessions, with the places of each program; some minutes.
goldens-whole: venv
	$(call main_of,goldens) '$(ONLY)' whole

# As root, some minutes; SUITE=noble for another system than Debian 12.
test-gradescope: venv
	$(call main_of,gradescope_in_debian) $(SUITE)

venv: $(VENV)/ready

# At first all is compiled once, which each process of the suite would do.
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

# An interpreter without a wrapper in front of it; say which when you quote the numbers.
bench: venv
	$(call main_of,bench,$(BENCH_PYTHON))
	$(call main_of,bench_grader)

# Whether attackers, first in a class, hold up the others; some minutes, on a quiet machine.
bench-class: venv
	$(call main_of,bench_class)

# A class on a cluster: a scheduler and two workers on this machine.
test-cluster: venv
	$(PIP) --quiet $(editable) '.[cluster]'
	rm -rf build *.egg-info
	$(VENV)/bin/pytest tests/grading/test_cluster.py

# Small changes to right programs, each of which must fail some transcript; some minutes.
mutants: venv
	$(call main_of,mutants)

# Whether a report ever names a fault that is not there: 200 mutants, 360 programs with known and
# unknown faults.
diagnoses: venv
	DIAGNOSES=whole $(VENV)/bin/pytest -n 2 -m long tests/grading/test_diagnosis.py

# Whether what a program prints, or a signal at any moment, can cost points that have been earned.
hostile: venv
	$(call main_of,hostile_outputs) 500
	$(call main_of,test_batch) 60

# The verdicts on all pairs of directives, by another checkout of the grader: GRADER=its folder.
directive-pairs: venv
	@$(call main_of,directive_pairs) $(or $(GRADER),.)

# The manual's page of all faults that have a name.
faults: venv
	$(call main_of,faults_page)

# The pictures of the manual, from wrong programs of the tests; needs Chromium.
pictures: venv
	$(call main_of,pictures)

# Small changes to right programs, and programs of beginners: how often does a report name the line
# to fix? Some minutes.
places: venv
	$(call main_of,measure_places)

# The reports about programs that the diagnosis had never seen; ONLY='a part of a name'.
unseen: venv
	$(call main_of,unseen_programs) '$(ONLY)'

clean:
	rm -rf $(VENV) .*_cache .hypothesis build *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
