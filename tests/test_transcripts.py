"""Replay each transcript with pexpect: type its lines in a terminal and compare what is printed."""

import os
import re
import sys
from pathlib import Path

import pexpect
import pytest

ROOT = Path(__file__).resolve().parent.parent
TRANSCRIPTS = {
    path.relative_to(ROOT / 'transcripts').with_suffix('').as_posix(): path
    for path in sorted((ROOT / 'transcripts').rglob('*.txt'))
}
SECONDS = 60  # a console that prints nothing for so long counts as waiting
ENDS, WAITS = '[it ends]', '[it waits]'
# Without Python's variables: PYTHONUNBUFFERED would hide a missing flush.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith('PYTHON')}
DIRECTIVE = re.compile(r'# *[a-z ]+(:.*)?')
# A terminal acts on these control characters, and cuts lines of more than 4,095 bytes.
NOT_FOR_TERMINALS = re.compile(rb'[\x03\x04\r\x11\x13\x15-\x17\x1a\x1c\x7f]|.{4096}')


def parse(text):
    """Return the command, the typed lines, and what is printed before each line and at the end."""
    command, typed, printed = '', [], ['']
    for line in text[:-1].split('\n'):
        if line.startswith('$ '):
            command = line[2:]
        elif line.startswith('|'):
            printed[-1] += line[1:-1] if line.endswith('\\') else line[1:] + '\n'
        elif not line.startswith('#'):
            typed.append(line)
            printed.append('')
        elif DIRECTIVE.fullmatch(line) and line != '# beyond the assignment':
            raise ValueError(f'this replay does not know the directive {line!r}')
    return command.split(), typed, printed


def read(child, expected):
    """Return what a program prints: as much as is expected, or less if it ends or waits."""
    printed = ''
    while len(printed) < len(expected.replace('\n', '\r\n')):  # as a terminal prints it
        try:
            printed += child.read_nonblocking(1 << 16)
        except pexpect.EOF:
            printed += ENDS
            break
        except pexpect.TIMEOUT:
            printed += WAITS
            break
    return printed.replace('\r\n', '\n')


@pytest.mark.parametrize('name', TRANSCRIPTS, ids=str)
def test_replay(name, tmp_path):
    data = TRANSCRIPTS[name].read_bytes()
    if NOT_FOR_TERMINALS.search(data):
        pytest.skip(f'not for terminals, replayed over pipes only: {name}')
    (console, *words), typed, printed = parse(data.decode())
    errors = tmp_path / 'errors'
    with pexpect.spawn(
        'sh',
        ['-c', 'exec "$@" 2>"$0"', str(errors), sys.executable, str(ROOT / console), *words],
        env=ENVIRONMENT,
        echo=False,
        encoding='utf-8',
        timeout=SECONDS,
    ) as child:
        child.delaybeforesend, child.ptyproc.delayafterclose = None, 0  # instead of 50 and 100 ms
        for line, expected in zip(typed, printed, strict=False):
            actual = read(child, expected)
            assert actual == expected
            child.sendline(line)
        if not any(printed[:-1]):  # The console reads its input to the end before it prints.
            child.sendeof()
        expected = printed[-1] + ENDS
        actual = read(child, expected)
        assert actual == expected
        assert (child.wait(), errors.read_text()) == (0, '')
