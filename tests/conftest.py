"""What all tests share: nothing in them is left to chance, or to the speed of the machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile('repeatable', derandomize=True, deadline=None, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('repeatable')
