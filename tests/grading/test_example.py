"""The examples of assignments that are no games of ours: recorded, graded, shown and packed."""

import re
import shlex
import shutil
import subprocess
from textwrap import indent

import pytest
from graders import grades_in, run_grader_here
from running import SECONDS, short_patience
from sandboxes import skip_unless_confined

from grading.assignments.folder import read_assignment
from grading.installation import ROOT

EXAMPLES = ROOT / 'docs' / 'examples'
EXAMPLE = EXAMPLES / 'bulls_and_cows'
RIGHT = f'python3 {shlex.quote(str(EXAMPLE / "solution.py"))}'
TOLD = {                                # what the report of each wrong program says
    'no_flush': ['Flush the output before you read a line.'],
    'trailing_blanks': ['1 blank too many at the end of the line'],
    'crashes': ["  crash    |ValueError: invalid literal for int() with base 10: 'abcd'",
                'bulls.py, line 4: while int(number) < 0 or len(number) != 4:'],
    'reads_on': ['the program waits for more input after the end', 'bulls.py, line 22: input()'],
    'counts_twice': ['  expected |2 bulls, 0 cows\n  printed  |2 bulls, 2 cows\n'],
}
POINTS = {'crashes': 4, 'counts_twice': 5}      # of 6; the others fail every session


def test_the_sessions_are_what_the_solution_prints(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / 'bulls', ignore=shutil.ignore_patterns('wrong', '*.md'))
    sessions = read_assignment(tmp_path / 'bulls').files
    assert len(sessions) == 6
    for path in (tmp_path / 'bulls').glob('*.txt'):     # as they were typed
        typed = [line for line in path.read_text(encoding='utf-8').split('\n')
                 if not line.startswith('|')]
        path.write_text('\n'.join(typed), encoding='utf-8')
    words = sorted((tmp_path / 'bulls').glob('*.txt'))
    assert run_grader_here('record', '--command', RIGHT, *words, folder=tmp_path) == (0, '', '')
    assert read_assignment(tmp_path / 'bulls').files == sessions


def test_the_solution_has_all_points():
    status, output, _ = run_grader_here('grade', EXAMPLE, '--command', RIGHT, '--beyond')
    assert status == 0
    assert ': bulls_and_cows, 6 of 6 points\n' in output


@pytest.mark.parametrize('name', TOLD)
def test_a_wrong_program_is_told_what_is_wrong(name):
    sessions, result = ((EXAMPLE, f'bulls_and_cows, {POINTS[name]} of 6 points')
                        if name in POINTS else
                        (EXAMPLE / 'first_guess.txt', 'first_guess, 0 of 1 points'))
    status, output, _ = run_grader_here(
        'grade', sessions, EXAMPLE / 'wrong' / name, '--command', 'python3 bulls.py',
        '--confine', 'none', '--timeout', short_patience(),
        *(['--no-where'] if name != 'reads_on' else []))
    assert status == 1
    assert output.splitlines()[-1] == f'{name}: {result}'
    assert not [text for text in TOLD[name] if text not in output], output
    assert not re.search('othello|nim', output, re.I)


def test_what_does_not_flush_is_right_at_once():
    status, output, _ = run_grader_here(
        'grade', EXAMPLE, EXAMPLE / 'wrong' / 'no_flush', '--command', 'python3 bulls.py',
        '--confine', 'none', '--at-once')
    assert (status, output.splitlines()[-1]) == (
        0, 'no_flush: bulls_and_cows, 6 of 6 points (with all its input at once)')


def run_page(example, folder):
    """Run the commands of an example's page in a folder; return what they print, and the page.

    The page says in its other block what is printed, if it has one. Each wrong program fails.
    """
    skip_unless_confined()
    (folder / 'docs').symlink_to(ROOT / 'docs')
    page = (EXAMPLES / example / 'README.md').read_text(encoding='utf-8')
    commands, *printed = re.findall('```\n(.*?)```', page, re.S)
    assert commands.count('\n') <= 10
    output = ''
    options = f' --no-where --timeout {short_patience()} --out '    # for speed
    for line in commands.replace(' --out ', options).splitlines():
        words = [word for text in shlex.split(line, comments=True)      # as a shell reads them
                 for word in (sorted(folder.glob(text)) if '*' in text else [text])]
        if words[:1] == ['grading']:
            status, text, errors = run_grader_here(*words[1:], folder=folder)
            assert status <= ('wrong' in line), text + errors
            output += text
        else:
            output += subprocess.run(['bash', '-c', line], cwd=folder, check=True, timeout=SECONDS,
                                     capture_output=True, text=True).stdout
    rows = grades_in(folder / 'results')
    for path in (EXAMPLES / example / 'wrong').iterdir():
        row = rows[path.stem]
        assert float(row['score']) < float(row['max_score']), path
    return output, ''.join(printed)


def test_the_commands_of_a_page_lead_from_an_empty_folder_to_a_page(tmp_path):
    printed, _ = run_page('bulls_and_cows', tmp_path)
    assert 'Guess 2?' in printed
    assert '/5] ' in printed
    assert 'autograder.zip: bulls, 2 sessions' in printed
    page = (tmp_path / 'results' / 'index.html').read_text(encoding='utf-8')
    assert all(name in page for name in TOLD)
    assert (tmp_path / 'results' / 'counts_twice' / 'report.html').exists()


IN_C = pytest.mark.skipif(not shutil.which('cc'), reason='there is no cc')


@pytest.mark.parametrize('example', [
    pytest.param('caesar', marks=IN_C), 'readings', pytest.param('divisors', marks=IN_C)])
def test_a_page_says_what_its_commands_print(example, tmp_path):
    printed, expected = run_page(example, tmp_path)
    assert expected.count('\n') >= 4
    assert [line for line in expected.splitlines() if line not in printed] == []
    page = (tmp_path / 'results' / 'index.html').read_text(encoding='utf-8')
    for path in (EXAMPLES / example / 'wrong').iterdir():
        assert path.stem in page
    about = (EXAMPLES / example / 'assignment.ini').read_text(encoding='utf-8')
    assert indent(about, '    ') in (EXAMPLES / example / 'README.md').read_text(encoding='utf-8')


@pytest.mark.parametrize('example', [pytest.param('caesar', marks=IN_C), 'readings'])
def test_sessions_are_what_the_solution_prints(example, tmp_path):
    """Whatever stands there for the outputs is written anew, and the directives stay."""
    folder = tmp_path / example
    shutil.copytree(EXAMPLES / example, folder)
    sessions = {path: path.read_text(encoding='utf-8') for path in sorted(folder.glob('*.txt'))}
    for path, text in sessions.items():
        path.write_text(re.sub(r'(?m)^\|.*?(\\?)$', r'|?\1', text), encoding='utf-8')
    command = [] if example == 'caesar' else ['--command', 'python3 solution.py']
    assert run_grader_here('record', *sessions, *command,
                           folder=folder / 'solution' if example == 'caesar' else folder) == (
        0, '', '')
    assert {path: path.read_text(encoding='utf-8') for path in sessions} == sessions


@pytest.mark.parametrize(('example', 'text'), [
    ('readings', "print('mean: 7.33' if name == 'march.csv' else 'mean: 13')"),
    ('readings', "print('mean: 7.3425' if name == 'march.csv' else 'mean: 13.0099')")])
def test_a_mean_within_the_tolerance_is_right(example, text, tmp_path):
    (tmp_path / 'mean.py').write_text(f'''
from os.path import exists
while not exists(name := input('Table: ')):
    print('There is no such table.')
print('readings:', len(open(name).readlines()) - 1)
if name != 'may.csv':
    {text}
''', encoding='utf-8')
    status, output, _ = run_grader_here('grade', EXAMPLES / example, tmp_path / 'mean.py',
                                        '--confine', 'none')
    assert (status, output.splitlines()[-1]) == (0, 'mean: The mean of a table, 4 of 4 points')
