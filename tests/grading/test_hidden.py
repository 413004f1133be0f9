"""What is hidden stays hidden: in all that students see, whatever a program does to show it."""

import pytest
from graders import run_grader_here
from independent import write_files
from running import PYTHON

SECRETS = ('SECRETTYPED', 'TOPSECRET', 'SECRETRAISED')
HIDDEN = '# Greets {0}\n# hidden\n# file: out.txt\n|TOPSECRET left\n# exit status: 3\n' + (
    'SECRETTYPED {0}\n|TOPSECRET {0}\nSECRETTYPED again\n|TOPSECRET {0}, again\n')
SESSIONS = {f'hidden{number}.txt': HIDDEN.format(number) for number in range(2)}
VISIBLE = {'visible.txt': 'Ann\n|Hello, Ann\nBob\n|Hello, Bob\n'}
FAKED = '''import sys
line = input()
sys.exit("Traceback (most recent call last):\\n  File \\"" + line + ".py\\", line 3, in x\\n    "
         + line + "\\n" + line.split()[0] + "Error: " + line)
'''
PROGRAMS = {
    'other words': 'for _ in range(2): input(), print("Hello")\n',
    'a prompt': 'for _ in range(2): print("Hello " + input("Name? "))\n',
    'lists': 'for _ in range(2): print(input().split())\n',
    'echoes twice': 'for _ in range(2): print(line := input()); print(line)\n',
    'no newline': 'for _ in range(2): print(input(), end="", flush=True)\n',
    'raises': 'raise ValueError(input().replace("TYPED", "RAISED"))\n',
    'its own exception': 'raise type(input().split()[0], (Exception,), {})()\n',
    'catches': ('for _ in range(2):\n    try: print(int(input()))\n'
                '    except ValueError as error: print("Hello", error)\n'),
    'a faked traceback': FAKED,
    'silent': 'import time\nprint(input(), flush=True)\ntime.sleep(600)\n',
}


@pytest.mark.parametrize(('name', 'visible'), [
    *((name, VISIBLE) for name in PROGRAMS), ('other words', {}), ('raises', {}), ('catches', {})],
    ids=lambda value: value if isinstance(value, str) else 'beside' if value else 'alone')
def test_no_output_for_students_has_a_secret(name, visible, tmp_path):
    folder = write_files(tmp_path / 'greeting', {**SESSIONS, **visible})
    source = write_files(tmp_path / 'ann', {'greet.py': PROGRAMS[name]})
    out, junit, gradescope = (tmp_path / name for name in ('out', 'junit.xml', 'results.json'))
    status, report, errors = run_grader_here(
        'grade', folder, source, '--command', f'{PYTHON} greet.py', '--confine', 'none',
        '--timeout', '0.5', '--out', out, '--junit', junit, '--results', gradescope)
    assert status == 1, errors
    shown = {'report': report, 'errors': errors, **{path.name: path.read_text() for path in (
        out / 'ann' / 'report.html', junit, gradescope)}}
    for where, text in shown.items():
        assert not [secret for secret in SECRETS if secret in text], (where, text)
        assert 'hidden1' in text or where == 'errors'
    assert all('Greets 1' in shown[where] for where in ('report.html', 'results.json'))
    assert 'TOPSECRET' in (out / 'ann' / 'results.json').read_text()       # which is the teacher's
