"""Probes what nobody vouches for: cut off from the machine, as far as the system can do that.

`docs/isolation.md` says what each level keeps away, and what none of them promises.
"""

from grader.classroom.sandbox.confined import Confined, probe_confined
from grader.classroom.sandbox.levels import IsolationError, Level, best_level, require
from grader.probe.limits import Limits

__all__ = [
    "Confined",
    "IsolationError",
    "Level",
    "Limits",
    "best_level",
    "probe_confined",
    "require",
]
