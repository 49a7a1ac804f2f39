"""The two sandboxes of a probe: one for any system, one of Linux's kernel features."""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.probe.containment.sandbox import landlock, namespaces, quota, syscalls
from grader.probe.containment.sandbox.users import leave_root, others_may_reach
from grader.probe.containment.sandbox.writes import keep_writes_in
from grader.simulated_cuda import cache_folder, is_enabled

PACKAGE = Path(__file__).parents[3]
OUR_PARTS = ("probe", "schema", "simulated_cuda", "errors.py", "loading.py", "__init__.py")
SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
SYSTEM_FILES = (
    "/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "OMP_NUM_THREADS")


@dataclass(frozen=True)
class ProcessSandbox:
    """For any system: a working folder, and another user if the grader runs as root.

    Attributes:
        scratch: the working folder, outside of which Python refuses to write.
        readable: the submission's files, which that user has to read.
    """

    scratch: Path
    readable: tuple[Path, ...]

    def enter(self) -> None:
        """Change from root to another user, before privileges are dropped."""
        become_another_user(self.scratch, self.readable)

    def lock_down(self) -> None:
        """Make the scratch folder the working folder, and refuse writes elsewhere."""
        move_into(self.scratch)
        keep_writes_in(self.scratch)

    def require_room(self) -> None:
        """Check the size of the working folder; where the child has a tmpfs there, it is empty."""
        quota.require_room(self.scratch)


@dataclass(frozen=True)
class KernelSandbox(ProcessSandbox):
    """Landlock and seccomp, and namespaces at level `full`: libraries and one folder remain.

    Attributes:
        readable: files and folders that it may read besides libraries.
        whole: whether it enters namespaces.
        scratch_size: bytes that the folder may hold in a namespace, where it is a tmpfs.
    """

    whole: bool
    scratch_size: int = 64 * 2**20

    def __post_init__(self) -> None:
        libraries(), listable_folders()  # cached before the fork, or each probe lists the folders

    def enter(self) -> None:
        """Enter new namespaces, or else change from root to another user."""
        syscalls.can_filter()  # caches the filter while libseccomp's files can still be read
        if self.whole:
            namespaces.enter(self.scratch, self.scratch_size)
        else:
            become_another_user(self.scratch, self.readable)

    def lock_down(self) -> None:
        """Restrict files, then system calls; the filter of system calls comes last."""
        move_into(self.scratch)
        writable = (self.scratch, *map(Path, DEVICES))
        landlock.restrict((*libraries(), *self.readable), writable, listable_folders())
        if syscalls.can_filter():  # needs no namespaces, only that no privileges can be gained
            syscalls.refuse()


def become_another_user(scratch: Path, readable: tuple[Path, ...]) -> None:
    """Leave root, if we are root and a user of its own can read all that a probe needs.

    Not where the simulated device has yet to be found: it is kept in root's own cache.
    """
    if is_enabled() or others_may_reach(cache_folder()):
        libraries_read = (PACKAGE, Path(os.__file__), Path(sysconfig.get_paths()["purelib"]))
        leave_root(scratch, (*libraries_read, *readable))


def move_into(scratch: Path) -> None:
    """Make a folder the working folder, $HOME and $TMPDIR; drop all other variables but a few."""
    environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    os.environ.clear()
    os.environ.update(environment, HOME=str(scratch), TMPDIR=str(scratch))
    tempfile.tempdir = None
    os.chdir(scratch)


@lru_cache(maxsize=1)
def libraries() -> tuple[Path, ...]:
    """What any Python program reads, and the parts of the grader that probe; never solutions."""
    everything = [path for folder in _folders() for path in without(PACKAGE, folder)]
    grader_parts = [PACKAGE / part for part in OUR_PARTS]
    return (*dict.fromkeys(everything), *grader_parts, *map(Path, SYSTEM_FILES))


def _folders() -> Iterator[Path]:
    """Where Python, its packages and the system's libraries are installed."""
    paths = sysconfig.get_paths()
    yield from (Path(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield Path(sys.base_prefix, "lib")
    yield from (Path(entry) for entry in sys.path if "site-packages" in entry)
    yield from map(Path, SYSTEM)


def without(hidden: Path, folder: Path) -> Iterator[Path]:
    """Paths that together give access to all of `folder` except `hidden`, which may lie below it.

    A Landlock rule for a folder holds for everything below it, and cannot be taken back for a part.
    So if the grader is installed below `folder`, as after `pip install`, each neighbour of the
    folders on the way to it gets a rule of its own.
    """
    folder, hidden = folder.resolve(), hidden.resolve()
    if not hidden.is_relative_to(folder):
        yield folder
        return
    for way in way_to(hidden, folder):
        yield from (path for path in way.iterdir() if not hidden.is_relative_to(path))


def way_to(hidden: Path, folder: Path) -> tuple[Path, ...]:
    """The folders from `folder` to the one that holds `hidden`; none if it lies elsewhere."""
    folder, hidden = folder.resolve(), hidden.resolve()
    ways = [parent for parent in hidden.parents if parent.is_relative_to(folder)]
    return tuple(reversed(ways))


@lru_cache(maxsize=1)
def listable_folders() -> tuple[Path, ...]:
    """The folders that an import has to list, although not everything in them may be read."""
    return tuple(dict.fromkeys(way for folder in _folders() for way in way_to(PACKAGE, folder)))
