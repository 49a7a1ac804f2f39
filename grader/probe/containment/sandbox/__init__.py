"""Probes untrusted code in a sandbox, as strong as this system can make one.

`docs/isolation.md` says what each level keeps away, and what none of them promises.
"""

from grader.probe.containment.limits import Limits
from grader.probe.containment.sandbox.confined import Confined, probe_confined
from grader.probe.containment.sandbox.levels import IsolationError, Level, best_level, require

__all__ = [
    "Confined",
    "IsolationError",
    "Level",
    "Limits",
    "best_level",
    "probe_confined",
    "require",
]
