"""Points that are promised are kept: what a report says that fixing one finding gives back."""

from graders import TRANSCRIPTS, graded
from independent import OTHELLO
from running import short_patience
from tables import each

from grading.installation import grader_version
from grading.reports.files import score_without_printing
from grading.reports.results import from_json
from grading.reports.text import gain

ENDS = 'Every session ends here; what comes after it cannot be seen yet.'
MORE = 'Fixing this alone gives no points back: the same sessions show other faults, too.'
ALL = 'Fixing this alone gives {0} of {0} lost points back.'
UNSEEN = 'How many points fixing this alone gives back cannot be seen yet.'
INVALID = "print('INVALID', flush=True)"


def results_of(saved):
    """Return the results that results.json has."""
    saved['extra_data']['version'] = grader_version()
    return from_json(saved)


@each('old, new, said, printing', [
    ("'FULL'", "'Full'", [ALL], 'all'),
    ("'VALID'", "'OK'", [ALL], 'all'),
    ("print('VALID')", "print('VALID' if board[0][0] != 'B' else 'OK')", [ALL], 'all'),
    ("'INVALID', flush=True", "'VALID', flush=True", [ALL], None),      # plays to the end
    ('def main():', 'print(', [ENDS], ''),                              # a missing parenthesis
    ('rows, columns, turn', '1 / 0\n    rows, columns, turn', [ENDS], ''),
    (INVALID, '1 / 0', [ENDS], ''),
    (INVALID, "print('BAD')\n            raise SystemExit", [MORE, MORE], None),
    (INVALID, "print('BAD', flush=True)\n            input()", [MORE, MORE], None)])
def test_a_promise_is_kept(old, new, said, printing, tmp_path):
    assert old in OTHELLO
    results = results_of(graded(
        tmp_path / str(len(list(tmp_path.iterdir()))), OTHELLO.replace(old, new), TRANSCRIPTS[:5],
        timeout=short_patience()))
    lost = 5 - results.score
    assert [gain(one, results) for one in results.findings] == [
        one.format(f'{lost:g}') for one in said]
    assert score_without_printing(results) == ('5' if printing == 'all' else
                                               f'{results.score:g}' if printing is None else '')


@each('printed, left, end, said', [
    ('yes', 'x', '', [ALL]), ('no', 'ab', '', [ALL]), ('no', 'x', '', [UNSEEN]),
    ('yes', 'xy', '', [UNSEEN]), ('no', 'ab', 'raise SystemExit(3)', [UNSEEN]),
    ('no', 'ab', 'input()', [UNSEEN])])
def test_a_promise_knows_of_wrong_files_and_ends(printed, left, end, said, tmp_path):
    session = '3\n|yes\n4\n|4\n# file: a\n|a\n# file: b\n|b\n'
    source = f"input()\nprint({printed!r}, flush=True)\nprint(input(), flush=True)\n" \
             f"for name, text in zip('ab', {left!r} + 'b'):\n" \
             f"    with open(name, 'w') as file:\n        print(text, file=file)\n{end}\n"
    results = results_of(graded(
        tmp_path, source, None, game='own', sessions=(('s.txt', session),)))
    assert [gain(one, results) for one in results.findings] == [one.format(1) for one in said]
