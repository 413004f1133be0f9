"""Tests of cases that hypothesis makes."""


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
