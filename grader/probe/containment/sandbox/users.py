"""Gives a probe a user of its own if the grader runs as root.

Root without its capabilities still owns root's files and may signal root's processes: the grader's
results, the grader itself, other probes. In a container such as Gradescope's, everything is root's.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from grader.probe.containment.processes import die_with_parent

FIRST_USER = 0x60000000  # far above the users that systems and containers give out
NOBODY = 65534


def leave_root(folder: Path, needed: Iterable[Path]) -> bool:
    """Change to a user that no other process has, and give it `folder`.

    Args:
        folder: the probe's working folder.
        needed: files and folders that the user must be able to read.

    Returns:
        whether the user changed. It does not if this process is not root, or if such a user could
        not read all that is needed.
    """
    if sys.platform != "linux" or os.getuid() != 0:
        return False
    if not others_may_reach(folder) or not all(map(others_may_read, needed)):
        return False
    for user in (FIRST_USER + os.getpid(), NOBODY):  # a container may know few users
        try:
            os.chown(folder, user, user)
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        except OSError:
            continue
        die_with_parent()  # a change of user clears PR_SET_PDEATHSIG
        return True
    return False


def others_may_reach(path: Path) -> bool:
    """Whether any user may pass through the folders above a file or folder."""
    try:
        return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.resolve().parents)
    except OSError:
        return False


def others_may_read(path: Path) -> bool:
    """Whether any user reaches a file or folder and may read it."""
    try:
        return others_may_reach(path) and bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False
