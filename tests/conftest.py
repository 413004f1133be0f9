"""What all tests share: nothing in them is left to chance, or to the speed of the machine."""

from __future__ import annotations

import os
import sys

from hypothesis import HealthCheck, settings

# The first python3 on the PATH may be a script, and start slowly.
os.environ['PATH'] = os.pathsep.join([
    os.path.dirname(os.path.realpath(sys.executable)), os.environ.get('PATH', os.defpath)])

settings.register_profile('repeatable', derandomize=True, deadline=None, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('repeatable')
