"""Let hypothesis generate the cases of a test."""


def for_any(count, chosen):
    """Return a decorator that runs a test on `count` random cases, the same in every run.

    `chosen` gets the module `hypothesis.strategies`, and returns a strategy for each argument of
    the test. No case has a time limit.
    """

    def decorate(test):
        def test_all_cases():
            # Import hypothesis only here: it takes long, and few test processes need it.
            from hypothesis import HealthCheck, given, settings, strategies

            with_settings = settings(
                max_examples=count,
                derandomize=True,
                deadline=None,
                database=None,
                suppress_health_check=[HealthCheck.too_slow],
            )
            with_settings(given(*chosen(strategies))(test))()

        return test_all_cases

    return decorate
