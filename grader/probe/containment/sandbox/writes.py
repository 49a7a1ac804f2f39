"""Refuses writes outside of one folder, through an audit hook.

For systems without Landlock, and against accidents: an honest `torch.save` to an absolute path, a
clean-up of the wrong folder. Writes from C++, such as those of PyTorch's zip writer, cause no audit
event and are not seen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

OUTSIDE = "An answer writes only in its own working folder while it is graded."
# By event, which arguments are paths that are changed, and which the folders they are relative to.
CHANGED: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.chflags": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((1, 3),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.setxattr": ((0, None),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
}
# Flags of `os.open`, of which any makes an `open` event one that writes.
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def keep_writes_in(folder: Path) -> None:
    """Install the audit hook: a write outside of `folder` raises `PermissionError`."""
    is_inside = _test(folder)
    changed, writing, is_text = dict(CHANGED), WRITING, str

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = args
            writes = set("wax+") & set(mode) if type(mode) is is_text else flags & writing
            if writes and not is_inside(path, None):
                raise PermissionError(OUTSIDE)
        for argument, base in changed.get(event, ()):
            if not is_inside(args[argument], None if base is None else args[base]):
                raise PermissionError(OUTSIDE)

    sys.addaudithook(hook)


def _test(folder: Path) -> Callable[[Any, Any], bool]:
    """A function that tells whether a path, relative to a descriptor or None, is in the folder.

    Both the link and its target must be inside: `os.remove` changes the one, `open` the other.
    """
    devices, is_number = frozenset(DEVICES), int
    realpath, join, split, fsdecode = os.path.realpath, os.path.join, os.path.split, os.fsdecode
    readlink, error = os.readlink, OSError
    knows_descriptors = sys.platform == "linux"
    inside = join(realpath(folder), "")

    def is_inside(path: Any, base: Any) -> bool:
        if type(path) is is_number:  # a descriptor that is open already
            return True
        try:
            text = fsdecode(path)
            if type(base) is is_number and base >= 0:
                if not knows_descriptors:  # it was opened, so it may be listed at least
                    return True
                text = join(readlink(f"/proc/self/fd/{base}"), text)
            before, name = split(text.rstrip("/"))
            whole = realpath(text)
            itself = join(realpath(before), name)  # a link, and not what it leads to
        except (error, ValueError, TypeError):
            return False
        is_device = whole in devices
        return is_device or (f"{whole}/".startswith(inside) and f"{itself}/".startswith(inside))

    return is_inside
