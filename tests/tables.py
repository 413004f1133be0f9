"""Tests of many cases that hypothesis generates."""


def for_any(count, chosen):
    """Return a decorator that tries a test on `count` cases, the same ones on each run.

    `chosen` gets the module `hypothesis.strategies`, and returns a strategy for each argument of
    the test. No case has a time limit.
    """

    def of_all_cases(test):
        def test_of_all():
            # Not imported at the top, because it takes long and few test processes need it.
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
