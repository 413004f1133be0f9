"""Tables of cases, and cases that hypothesis makes: each table is one test."""

import inspect
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
                values = dict(zip(columns, row if len(columns) > 1 else [row], strict=False))
                if 'tmp_path' in fixtures:
                    values['tmp_path'] = fixtures['tmp_path'] / f'row-{number}'
                    values['tmp_path'].mkdir()
                try:
                    test(**{**fixtures, **values})
                except BaseException:
                    print('the row:', values)
                    raise

        signature = inspect.signature(test)
        test_of_all.__signature__ = signature.replace(
            parameters=[
                parameter for name, parameter in signature.parameters.items() if name not in columns
            ]
        )
        return test_of_all

    return of_all_rows


def for_any(count, chosen):
    """Make one test of `count` cases, the same each time, whatever the speed of the machine.

    `chosen` returns what each argument of the test is chosen from; it gets the module
    `hypothesis.strategies`.
    """

    def of_all_cases(test):
        def test_of_all():
            # Few processes of the suite need it, and it takes long to import.
            from hypothesis import HealthCheck, given, settings, strategies

            of_each = settings(
                max_examples=count,
                derandomize=True,
                deadline=None,
                database=None,
                suppress_health_check=[HealthCheck.too_slow],
            )
            of_each(given(*chosen(strategies))(test))()

        return test_of_all

    return of_all_cases
