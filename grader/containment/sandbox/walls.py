"""What stands between a probe and the machine: where it may look, and what it may do."""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.containment.guard.writes import keep_writes_in
from grader.containment.sandbox import landlock, namespaces, syscalls
from grader.containment.sandbox.users import leave_root, others_may_reach
from grader.simulated_cuda import is_enabled
from grader.simulated_cuda.native.build import cache_folder

PACKAGE = Path(__file__).parents[2]
OUR_PARTS = (
    "containment", "inspection", "probe", "simulated_cuda",
    "evidence", "loading.py", "recipe.py", "__init__.py",
)  # fmt: skip
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
SYSTEM_FILES = (
    "/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")


@dataclass(frozen=True)
class SandboxWalls:
    """Keeps a probe to the libraries and a folder of its own.

    Attributes:
        scratch: that folder, which it may write.
        readable: what else it may read.
        whole: whether it goes into namespaces.
        scratch_size: the bytes that the folder may hold, where it is in memory.
    """

    scratch: Path
    readable: tuple[Path, ...]
    whole: bool
    scratch_size: int = 64 * 2**20

    def outside(self) -> None:
        """Go into new namespaces; without them, leave root."""
        syscalls.can_filter()  # makes it while its library can be found
        if self.whole:
            namespaces.enter(self.scratch, self.scratch_size)
        else:
            become_another_user(self.scratch, self.readable)

    def inside(self) -> None:
        """Close the door: files first, as the filter of system calls would be in the way."""
        move_into(self.scratch)
        writable = (self.scratch, *map(Path, DEVICES))
        landlock.restrict((*libraries(), *self.readable), writable, listed())
        if syscalls.can_filter():  # needs no namespaces, only that no privileges can be gained
            syscalls.refuse()


@dataclass(frozen=True)
class ProcessWalls:
    """What can be had from any system: a working folder, and a user of its own where we are root.

    Attributes:
        scratch: the working folder, outside of which Python refuses to write.
        readable: the submission's files, which that user has to read.
    """

    scratch: Path
    readable: tuple[Path, ...]

    def outside(self) -> None:
        """Leave root, while that is still allowed."""
        become_another_user(self.scratch, self.readable)

    def inside(self) -> None:
        """Go to the folder and stay in it."""
        move_into(self.scratch)
        keep_writes_in(self.scratch)


def become_another_user(scratch: Path, readable: tuple[Path, ...]) -> None:
    """Leave root, if we are root and a user of its own can read all that a probe needs.

    Not where the simulated device has yet to be found: it is kept in root's own cache.
    """
    if is_enabled() or others_may_reach(cache_folder()):
        libraries_read = (PACKAGE, Path(os.__file__), Path(sysconfig.get_paths()["purelib"]))
        leave_root(scratch, (*libraries_read, *readable))


def move_into(scratch: Path) -> None:
    """Make a folder the working folder, the home and the place for temporary files."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=str(scratch), TMPDIR=str(scratch))
    tempfile.tempdir = None
    os.chdir(scratch)


@lru_cache(maxsize=1)
def libraries() -> tuple[Path, ...]:
    """What any Python program reads, and the part of the grader that probes: no answers."""
    everything = [path for folder in _folders() for path in without(PACKAGE, folder)]
    ours = [PACKAGE / part for part in OUR_PARTS]
    return (*dict.fromkeys(everything), *ours, *map(Path, SYSTEM_FILES))


def _folders() -> Iterator[Path]:
    """Where Python, its packages and the system's libraries are installed."""
    paths = sysconfig.get_paths()
    yield from (Path(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield Path(sys.base_prefix, "lib")
    yield from (Path(entry) for entry in sys.path if "site-packages" in entry)
    yield from map(Path, SYSTEM)


def without(hidden: Path, folder: Path) -> Iterator[Path]:
    """What gives access to all of `folder` except `hidden`, however deep that lies in it.

    A rule for a folder holds for everything below it and cannot be taken back for a part. So where
    the grader is installed below `folder`, as after `pip install`, there is a rule for each
    neighbour of the folders on the way to it.
    """
    folder, hidden = folder.resolve(), hidden.resolve()
    if not hidden.is_relative_to(folder):
        yield folder
        return
    for way in way_to(hidden, folder):
        yield from (each for each in way.iterdir() if not hidden.is_relative_to(each))


def way_to(hidden: Path, folder: Path) -> tuple[Path, ...]:
    """The folders from `folder` to the one that holds `hidden`; none if it lies elsewhere."""
    folder, hidden = folder.resolve(), hidden.resolve()
    ways = [each for each in hidden.parents if each.is_relative_to(folder)]
    return tuple(reversed(ways))


@lru_cache(maxsize=1)
def listed() -> tuple[Path, ...]:
    """The folders that an import has to list, although not everything in them may be read."""
    return tuple(dict.fromkeys(way for folder in _folders() for way in way_to(PACKAGE, folder)))
