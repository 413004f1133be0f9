"""Tables of cases, and cases that are made at random: each table is one test."""

import inspect
import random
from functools import wraps


def each(names, rows):
    """Make one test of all rows of a table; `names` are those of its columns, as in 'a, b'.

    Each row has a `tmp_path` of its own. The row that fails is printed.
    """
    columns = names.split(', ')
    rows = list(rows)
    assert rows

    def of_all_rows(test):
        @wraps(test)
        def test_of_all(**fixtures):
            for number, row in enumerate(rows):
                values = dict(zip(columns, row if len(columns) > 1 else [row]))
                if 'tmp_path' in fixtures:
                    values['tmp_path'] = fixtures['tmp_path'] / f'row-{number}'
                    values['tmp_path'].mkdir()
                try:
                    test(**{**fixtures, **values})
                except BaseException:
                    print('the row:', values)
                    raise

        signature = inspect.signature(test)
        test_of_all.__signature__ = signature.replace(parameters=[
            parameter for name, parameter in signature.parameters.items() if name not in columns])
        return test_of_all
    return of_all_rows


def any_lists(count, choices, longest):
    """Yield lists of some of the choices, the same each time; many are as short or long as may be.
    """
    rng = random.Random(longest)
    for _ in range(count):
        yield rng.choices(choices, k=rng.choice([0, 1, rng.randint(0, longest), longest]))


def any_texts(count, characters, longest):
    """Return texts of some characters, as `any_lists` chooses them."""
    return map(''.join, any_lists(count, characters, longest))
