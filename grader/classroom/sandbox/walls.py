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

from grader.catalog import PACKAGE
from grader.classroom.sandbox import landlock, namespaces, syscalls

OUR_PARTS = ("probe", "simulated_cuda", "evidence.py", "loading.py", "recipe.py", "__init__.py")
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
        whole: whether it goes into namespaces, and is refused what only an attack needs.
        scratch_size: the bytes that the folder may hold, where it is in memory.
    """

    scratch: Path
    readable: tuple[Path, ...]
    whole: bool
    scratch_size: int = 64 * 2**20

    def outside(self) -> None:
        """Go into new namespaces."""
        if self.whole:
            syscalls.can_filter()  # makes it while its library can be found
            namespaces.enter(self.scratch, self.scratch_size)

    def inside(self) -> None:
        """Close the door: files first, as the filter of system calls would be in the way."""
        self._move_in()
        landlock.restrict((*libraries(), *self.readable), (self.scratch, *map(Path, DEVICES)))
        if self.whole:
            syscalls.refuse()

    def _move_in(self) -> None:
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        os.environ.clear()
        os.environ.update(kept, HOME=str(self.scratch), TMPDIR=str(self.scratch))
        tempfile.tempdir = None
        os.chdir(self.scratch)


@lru_cache(maxsize=1)
def libraries() -> tuple[Path, ...]:
    """What any Python program reads, and the part of the grader that probes: no answers."""
    return (*_installed(), *(PACKAGE / part for part in OUR_PARTS), *map(Path, _of_the_system()))


def _of_the_system() -> Iterator[str]:
    yield from (*SYSTEM, *SYSTEM_FILES)


def _installed() -> Iterator[Path]:
    """Python's own library and what is installed beside it, without the grader."""
    paths = sysconfig.get_paths()
    folders = {Path(paths[name]).resolve() for name in ("stdlib", "platstdlib")}
    folders |= {Path(sys.base_prefix, "lib").resolve()}
    folders |= {Path(paths[name]) for name in ("purelib", "platlib")}
    folders |= {Path(entry) for entry in sys.path if "site-packages" in entry}
    for folder in folders:
        if PACKAGE.is_relative_to(folder):
            yield from (each for each in folder.iterdir() if each != PACKAGE)
        else:
            yield folder
