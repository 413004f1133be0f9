"""Faults of printing: which faults two lines prove, and which faults a model has to try."""

import pytest

from grading.diagnosis.printing import (
    WAY_OF,
    WAYS,
    WORDS,
    Mismatch,
    proved_reading,
    readings,
)
from grading.diagnosis.protocol import Protocol
from grading.diagnosis.style import Style

STYLE = Style(Protocol({'sum 8', 'ready', 'It is over.', '. B W', '1 2 3'}, {'Number? '}))

# The expected and the printed line of a place, the fault they prove, and its examples.
PROVED = [
    (Mismatch('', 'Name? '), 'prompts', ['Name? ']),
    (Mismatch('Number? ', 'Number: '), 'prompts', ['"Number:\xb7" instead of "Number?\xb7"']),
    (Mismatch('sum 8\n', 'Name? First> sum 8\n'), 'prompts', ['Name? ', 'First> ']),
    (Mismatch('sum 8\n', ''), 'missing-lines', ['sum 8']),
    (Mismatch('Number? ', ''), 'missing-lines', ['Number? ']),
    (Mismatch('', 'sum 9\n', 'sum 9'), 'twice', ['sum 9']),
    (Mismatch('sum 8\n', 'sum 8'), 'no-newline', ['sum 8']),
    (Mismatch('ready\n', '', following='readysum 8\n'), 'no-newline', ['ready']),
    (Mismatch('ready\n', 'ready \n'), 'trailing-spaces', ['"ready\xb7"']),
    (Mismatch('ready\n', 'Ready\n'), 'words', ['"Ready" instead of "ready"']),
    (Mismatch('sum 8\n', 'Sum: 8\n'), 'words', ['"Sum:" instead of "sum"']),
    (Mismatch('. B W\n', '  B W\n'), 'words', ['" " instead of "."']),
    (Mismatch('sum 8\n', 'sum  8\n'), 'separators', ['"sum  8" instead of "sum 8"']),
    (
        Mismatch(f'{"-" * 80} 8\n', f'{"-" * 80}  8\n'),
        'separators',
        [f'"...{"-" * 39}  8" instead of "...{"-" * 39} 8"'],
    ),
    (Mismatch('. B W\n', '[.][B][W]\n'), 'separators', ['"[.][B][W]" instead of ". B W"']),
    (Mismatch('1 2 3\n', '[1, 2, 3]\n'), 'separators', ['"[1, 2, 3]" instead of "1 2 3"']),
    (Mismatch('. B W\n', '. B  W\n'), 'separators', ['". B  W" instead of ". B W"']),
    (Mismatch('', f'debug {"x" * 500}\n'), 'extra-lines', [f'debug {"x" * 500}']),
]


@pytest.mark.parametrize(('mismatch', 'fault', 'examples'), PROVED)
def test_faults_that_lines_prove(mismatch, fault, examples):
    reading = proved_reading(mismatch, STYLE)
    shown = [
        text for learned in reading.learned.values() for text in WAY_OF[fault].quotes(*learned)
    ]
    assert (reading.fault, shown) == (fault, examples)


def test_each_fault_of_printing_can_be_proved():
    assert {fault for _, fault, _ in PROVED} == {known.id for known in WAYS}


@pytest.mark.parametrize(
    'mismatch',
    [
        Mismatch('sum 8\n', 'sum 9\n'),  # a wrong number
        Mismatch('sum 8\n', 'ready\n'),  # a line of the assignment, at the wrong place
        Mismatch('. B W\n', '. W W\n'),  # a wrong cell
        Mismatch('', 'ready\n'),  # an additional line of the assignment
        Mismatch('sum 8\n', 'The answer is sum 8\n'),  # the additional words may not be a prompt
        Mismatch('ready\n', ' ready\n'),
    ],
)
def test_other_differences_prove_no_fault_of_printing(mismatch):
    assert proved_reading(mismatch, STYLE) is None


def test_a_model_tries_several_readings():
    """The line "It was over" may be an additional line, or replace the expected line."""
    names = [
        reading.fault
        for expected, printed in [
            ('It is over.\n', ''),
            ('', 'It was over. \n'),
            ('It is over.\n', 'It was over. \n'),
        ]
        for reading in readings(Mismatch(expected, printed), STYLE)
    ]
    assert names == ['missing-lines', 'extra-lines', 'trailing-spaces', 'words']


def test_a_style_prints_what_a_reading_has_learned():
    style = STYLE
    for expected, printed in [('. B W\n', '[.][B][W]\n'), ('sum 8\n', 'Sum: 8\n')]:
        reading = next(
            reading for reading in readings(Mismatch(expected, printed), style) if reading.is_proved
        )
        style = style.with_rule(reading.fault, reading.learned)
    assert '[W][.][B]' in style.printed('W . B')
    assert 'Sum: 12' in style.printed('sum 12')


def test_a_printed_line_has_only_one_meaning():
    """If "TURN: w" replaces the line TURN, it does not replace the line WINNER as well.

    Such a program prints TURN because it does not see that the game is over.
    """
    style = Style(Protocol({'TURN: W', 'WINNER: B'}))
    turn, winner = Mismatch('TURN: W\n', 'TURN: w\n'), Mismatch('WINNER: B\n', 'TURN: w\n')
    [learned] = [reading.learned for reading in readings(turn, style) if reading.fault == WORDS]
    faults = [
        [reading.fault for reading in readings(winner, known)]
        for known in (style, style.with_rule(WORDS, learned))
    ]
    assert faults == [[WORDS], []]
