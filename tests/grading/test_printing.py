"""Which wrong lines alone, without a model of a game, prove how a program prints lines wrongly."""

import pytest
from pages import findings_about

from grading.diagnosis.printing import WAYS

LINES = '3\n|sum 8\n4\n|ready\n|It is over.\n'
ROWS = '3\n|. B W\n|1 2 3\n|ready\n'
ASKS = '|Number? \\\n3\n|sum 8\n'
LINE = '-' * 80
END = 'ready\nIt is over.\n'

# For each program: a session, what it prints in the turns, and the way and the end of the sentence.
PROVED = [
    (LINES, ['Name? ', 'sum 8\n', END], 'prompts', 'none is expected: "Name? "'),
    (ASKS, ['Number: ', 'sum 8\n'], 'prompts', '"Number:\xb7" instead of "Number?\xb7"'),
    (LINES, ['', 'Name? First> sum 8\n', END], 'prompts', 'expected: "Name? ", "First> "'),
    (LINES, ['', 'sum 8\n', 'It is over.\n'], 'missing-lines', 'leaves out lines: "ready"'),
    (LINES, ['', 'sum 8\nsum 8\n', END], 'twice', 'lines twice in a row: "sum 8"'),
    (LINES, ['', 'sum 8', END], 'no-newline', 'at the end: "sum 8"'),
    (LINES, ['', 'sum 8\n', 'readyIt is over.\n'], 'no-newline', 'at the end: "ready"'),
    (LINES, ['', 'sum 8 \n', END], 'trailing-spaces', 'at the end of lines: "sum 8\xb7"'),
    (LINES, ['', 'sum 8\t\n', END], 'trailing-spaces', r'at the end of lines: "sum 8\t"'),
    (LINES, ['', 'sum 8\n', f'R{END[1:]}'], 'words', 'words: "Ready" instead of "ready"'),
    (LINES, ['', 'Sum: 8\n', END], 'words', 'words: "Sum:" instead of "sum"'),
    (ROWS, ['', '  B W\n1 2 3\nready\n'], 'words', 'characters: " " instead of "."'),
    (LINES, ['', 'sum  8\n', END], 'separators', '"sum  8" instead of "sum 8"'),
    (
        f'3\n|{LINE} 8\n',
        ['', f'{LINE}  8\n'],
        'separators',
        f'"...{LINE[:39]}  8" instead of "...{LINE[:39]} 8"',
    ),
    (ROWS, ['', '[.][B][W]\n1 2 3\nready\n'], 'separators', '"[.][B][W]" instead of ". B W"'),
    (ROWS, ['', '. B W\n[1, 2, 3]\nready\n'], 'separators', '"[1, 2, 3]" instead of "1 2 3"'),
    (ROWS, ['', '. B  W\n1 2 3\nready\n'], 'separators', '". B  W" instead of ". B W"'),
    (LINES, ['', 'debug 7\nsum 8\n', END], 'extra-lines', 'not in the assignment: "debug 7"'),
]


@pytest.mark.parametrize(('session', 'printed', 'way', 'end'), PROVED)
def test_wrong_lines_that_prove_a_way_of_printing(session, printed, way, end):
    found, *_ = findings_about(session, *printed)
    assert (found.id, found.sentence.endswith(end)) == (way, True), found.sentence


def test_each_way_of_printing_can_be_proved():
    assert {way for *_, way, _ in PROVED} == {way.id for way in WAYS}


@pytest.mark.parametrize(
    ('session', 'printed', 'sentence'),
    [
        (LINES, ['', 'sum 9\n', END], 'prints "sum 9" instead of "sum 8"'),
        # A line of the assignment, at the wrong place.
        (LINES, ['', 'ready\n', END], 'prints "ready" instead of "sum 8"'),
        (ROWS, ['', '. W W\n1 2 3\nready\n'], 'prints ". W W" instead of ". B W"'),
        (LINES, ['', 'sum 8\nready\n', END], 'prints "ready" where no output is expected'),
        # The additional words may not be a prompt.
        (LINES, ['', 'The answer is sum 8\n', END], 'prints "The answer is " before "sum 8"'),
        (ROWS, ['', '1| . B W\n1 2 3\nready\n'], 'prints "1| . B W" instead of ". B W"'),
        (ASKS, ['Number? ', 'Sum:', ''], 'prints the prompt "Sum:" where "sum 8" is expected'),
        (
            LINES,
            ['', 'sum 8\n', f' {END}'],
            'begins lines with the wrong number of spaces: " ready" instead of "ready"',
        ),
    ],
)
def test_other_wrong_lines_prove_no_way_of_printing(session, printed, sentence):
    found, *_ = findings_about(session, *printed)
    assert (found.id, found.sentence) == ('', sentence)
