"""The rules for the grader's modules: the plan lists them, imports go down, no game is named."""

import ast
import functools
import pkgutil
import re
import sys
from collections import Counter
from configparser import ConfigParser
from pathlib import Path

import pytest
from programs import our_pair, write_files
from running import finished
from test_layout import imports_in, imports_of, sources

from grading.games import GAMES
from grading.games.known_faults import faults_of
from grading.installation import ROOT, TRANSCRIPTS_FOLDER

GRADING = ROOT / 'grading'


def test_models_are_independent_of_our_games():
    """Models import nothing from our games, because tests compare the two implementations."""
    ours = {f'{pair}_{part}' for pair in ('othello', 'nim') for part in ('logic', 'console')}
    for game in GAMES.values():
        for model in [faults_of(game).model, *faults_of(game).model.__mro__[1:-1]]:
            path = Path(sys.modules[model.__module__].__file__)
            assert not imports_of(path) & ours, path
            assert not {'games', 'fresh'} & imports_of(path), path


def plan():
    """Return the modules and packages of the grader in the order of its plan, from the top down."""
    return re.findall(
        r'^    (\w+) ',
        ast.get_docstring(
            ast.parse((GRADING / '__init__.py').read_text(encoding='utf-8')), clean=False
        ),
        re.MULTILINE,
    )


def test_the_plan_of_the_grader_names_every_part_of_it():
    parts = {
        path.stem
        for path in GRADING.iterdir()
        if path.suffix == '.py' or (path / '__init__.py').exists()
    }
    assert sorted(plan()) == sorted(parts - {'__init__'})


def test_the_plans_of_packages_name_their_modules():
    plans = {}
    for path in GRADING.glob('*/__init__.py'):
        rows = re.findall(
            r'^(?:    )?([a-z_]+(?:, [a-z_]+)*)  ', path.read_text(encoding='utf-8'), re.MULTILINE
        )
        if rows:
            plans[path.parent.name] = sorted(', '.join(rows).split(', '))
    assert plans == {
        name: sorted(
            path.stem
            for path in (GRADING / name).iterdir()
            if (path.suffix == '.py' and path.stem != '__init__') or (path / '__init__.py').exists()
        )
        for name in (
            'assignments',
            'cli',
            'diagnosis',
            'engine',
            'games',
            'reports',
            'sandbox',
            'sessions',
            'submissions',
            'workers',
        )
    }


def test_the_reading_order_has_each_package():
    text = (GRADING / 'README.md').read_text(encoding='utf-8').partition('## Reading the code')[2]
    read = re.findall(r'^\| `(\w+)` \|', text, re.MULTILINE)
    assert sorted(read) == sorted(path.parent.name for path in GRADING.glob('*/__init__.py'))


def test_names_of_modules_and_classes_are_unique():
    """No two modules have the same name, except in the games' folders; no two classes have."""
    outside = [path for path in graders_modules() if path.parent.parent.name != 'games']
    modules = Counter(path.stem for path in outside if not path.stem.startswith('__'))
    classes = Counter(
        node.name
        for path in outside
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, number in modules.items() if number > 1] == []
    assert [name for name, number in classes.items() if number > 1] == []


def test_each_module_can_be_imported():
    """Importing a module prints nothing; `__main__` is left out, because it starts the grader."""
    names = [
        module.name
        for module in pkgutil.walk_packages([str(GRADING)], 'grading.')
        if not module.name.endswith('__main__')
    ]
    assert len(names) > 50
    command = 'import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]'
    assert finished([sys.executable, '-c', command, *names], cwd=ROOT) == (0, b'', b'')


def imported_modules(path, with_types=False):
    """Return the paths of the grader's modules that a module imports.

    Imports under TYPE_CHECKING are left out unless `with_types`.
    """
    found = set()
    of_types, others = imports_in(path)
    for node in [*others, *of_types] if with_types else others:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1].joinpath(*(node.module or '').split('.'))
            for place in [base, *(base / alias.name for alias in node.names)]:
                found |= {place.with_suffix('.py'), place / '__init__.py'} & graders_modules()
    return found - {path}


def part_of(path):
    """Return the name of the package of the grader that a module is in, or of the module itself."""
    return path.relative_to(GRADING).with_suffix('').parts[0]


@functools.cache
def graders_modules():
    """Return the paths of the grader's modules."""
    return {path for path in sources() if GRADING in path.parents}


def test_imports_only_go_down():
    order = plan()
    for path in graders_modules():
        above = order[: order.index(part_of(path))] if part_of(path) in order else []
        assert not {part_of(other) for other in imported_modules(path, True)} & {*above}, path


def test_the_engine_needs_no_other_stage():
    """The engine imports no other stage, not even for types or inside a function."""
    for path in graders_modules():
        if part_of(path) == 'engine':
            above = {part_of(other) for other in imported_modules(path, True)}
            assert not above & {'diagnosis', 'reports', 'workers'}, path


def test_imports_of_the_grader_have_no_cycle():
    """No modules import each other, even indirectly, inside a package, or in a function.

    `grading/__init__.py` is left out: it loads the public modules when they are first used.
    """
    imports = {
        path: imported_modules(path) for path in graders_modules() - {GRADING / '__init__.py'}
    }
    before = 0
    # Remove modules that import no other, or that no other imports, until only cycles are left.
    while len(imports) != before:
        before = len(imports)
        imports = {
            path: found & imports.keys()
            for path, found in imports.items()
            if found & imports.keys()
        }
        named = set().union(*imports.values())
        imports = {path: found for path, found in imports.items() if path in named}
    assert {path.relative_to(GRADING).as_posix() for path in imports} == set()


def modules_loaded(folder, game, session):
    """Return the modules that the grader loads when it grades our program with a session."""
    write_files(folder, our_pair(GAMES[game].program))
    script = (
        'import sys\nfrom grading import main\nstatus = main()\n'
        'print(*sys.modules, sep="\\n")\nsys.exit(status)'
    )
    words = ['grade', session, folder, '--confine', 'none', '--results', folder / 'results.json']
    status, output, _ = finished([sys.executable, '-c', script, *words], cwd=ROOT)
    assert status == 0
    return set(output.decode().split())


# Prints the module and the name of each function of the grader whenever it is called.
TRACES = """
import sys
from grading import main
called = []
def note(frame, event, argument):
    if event == 'call':
        module = frame.f_globals.get('__name__', '')
        if module.startswith('grading'):
            called.append(f'{module} {frame.f_code.co_name}')
sys.setprofile(note)
status = main()
sys.setprofile(None)
print(*called, sep='\\n')
sys.exit(status)
"""


def test_the_plan_shows_the_way_of_one_right_submission(tmp_path):
    """The functions in the plan are called in this order when a right program is graded."""
    words = re.findall(
        r'^    ([\w.]+\.\w+)\b',
        ast.get_docstring(ast.parse((GRADING / '__init__.py').read_text(encoding='utf-8')), False),
        re.MULTILINE,
    )
    planned = [re.sub(r'(\.[A-Z]\w*)?\.(\w+)$', r' \2', word) for word in words]
    planned = [name if name.startswith('grading') else f'grading.{name}' for name in planned]
    write_files(tmp_path, our_pair('othello'))
    session = TRANSCRIPTS_FOLDER / 'othello' / 'worked_example.txt'
    command = [sys.executable, '-c', TRACES, 'grade', session, tmp_path, '--confine', 'none']
    status, output, _ = finished(command, cwd=ROOT)
    assert status == 0
    called = iter(output.decode().splitlines())
    assert [name for name in planned if name not in called] == []
    assert 20 < len(planned) <= 30


@pytest.mark.parametrize(
    ('game', 'session', 'needed'),
    [
        ('othello', 'othello/worked_example', set()),
        ('piles', 'piles/worked_example', {'nim.model', 'nim.open_choices'}),
    ],
)
def test_a_right_program_is_graded_without_faults(game, session, needed, tmp_path):
    """Grading a right program loads its game's rules, and a model only if sessions need it."""
    found = {
        name.removeprefix('grading.games.')
        for name in modules_loaded(tmp_path, game, session)
        if name.count('.') == 3 and name.startswith('grading.games.')
    }
    assert found == needed


@pytest.mark.parametrize('game', GAMES)
def test_each_fault_has_prose_and_decisions(game):
    """The ini file has the faults in the order of the code; no two have the same sentence."""
    path = GRADING / 'games' / GAMES[game].program / f'{game}_faults.ini'
    prose = ConfigParser(delimiters=('=',), interpolation=None)
    prose.read_string(path.read_text(encoding='utf-8'))
    known = faults_of(GAMES[game]).known
    assert [known_fault.id for known_fault in known] == prose.sections()
    for id in prose.sections():
        assert {*prose[id]} - {'claim'} == {'sentence', 'advice'}
    assert len({known_fault.sentence for known_fault in known}) == len(known) > 5


# Words that games print, or that their rules use.
OF_GAMES = re.compile(
    r'\b(FULL|(IN)?VALID|TURN|WINNER|BW|COINS|(?i:discs?|flip(s|ped)?|piles?|nim.?sums?))\b'
)


def without_docstrings(text):
    """Return a source without its docstrings, whose examples may show games."""
    lines = text.split('\n')
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node) is not None
        ):
            docstring = node.body[0]
            lines[docstring.lineno - 1 : docstring.end_lineno] = [''] * (
                docstring.end_lineno - docstring.lineno + 1
            )
    return '\n'.join(lines)


def test_games_are_named_only_in_their_package_and_in_the_plan():
    """Outside `grading/games` and the plan, no module names a game or uses a word of its rules."""
    allowed = ('games', '__init__.py')
    for path in sources():
        if GRADING in path.parents and path.relative_to(GRADING).parts[0] not in allowed:
            text = path.read_text(encoding='utf-8')
            assert not re.search(r'othello|\bnim\b', text, re.IGNORECASE), path
            assert not OF_GAMES.search(without_docstrings(text)), path


REPLACED = re.compile(r"(?:setattr|patch|patch\.object)\(\s*(?:'grading\.|[\w.]+, '_[a-z])")


@pytest.mark.parametrize('path', sorted((ROOT / 'tests').rglob('*.py')), ids=lambda path: path.stem)
def test_tests_replace_only_public_names_of_the_grader(path):
    """Tests replace neither private names nor full paths, so that moving code breaks few tests."""
    replaced = REPLACED.findall(path.read_text(encoding='utf-8'))
    # Private names of the standard library may be replaced.
    assert [name for name in replaced if 'zipfile.' not in name] == []
