"""How much of the machine a learner's code may use."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from grader.probe.tasks import Task

MIB = 2**20
GIB = 2**30
GRACE = 2  # seconds of CPU time between SIGXCPU and SIGKILL


@dataclass(frozen=True)
class Limits:
    """What one probe may use; None where there is no limit.

    Attributes:
        seconds: by the clock. cpu_seconds: of the processor.
        memory: bytes, beyond what the process has when the learner's code begins. As much on CUDA.
        file_size: bytes in any one file, and written to the terminal past Python's own streams.
        descriptors: open files at a time.
    """

    seconds: float = 60.0
    cpu_seconds: float | None = 60.0
    memory: int | None = 4 * GIB
    file_size: int | None = 20 * MIB
    descriptors: int | None = 256

    def apply(self, on_cuda: bool) -> None:
        """Set them on this process, as far as the system has such limits.

        Args:
            on_cuda: whether the device is a real one. Its driver reserves far more addresses than
                there is memory, so the address space is not limited, and CUDA's allocator is.
        """
        if sys.platform == "win32":
            return
        _limit(resource.RLIMIT_CORE, 0)
        if self.cpu_seconds is not None:
            used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
            _limit(resource.RLIMIT_CPU, int(used + self.cpu_seconds) + 1, GRACE)
        if self.memory is not None and sys.platform == "linux":
            mapped, private = _memory_used()
            _limit(resource.RLIMIT_DATA, private + self.memory)
            if not on_cuda:
                _limit(resource.RLIMIT_AS, mapped + self.memory)
        if self.memory is not None and on_cuda:
            _limit_cuda(self.memory)
        if self.file_size is not None:
            _limit(resource.RLIMIT_FSIZE, self.file_size)
        if self.descriptors is not None:
            _limit(resource.RLIMIT_NOFILE, self.descriptors)

    @property
    def are_written_out(self) -> bool:
        """Whether file descriptor 1, which C code writes to, has reached `file_size` bytes."""
        with suppress(OSError):  # the learner's code may have closed it
            return self.file_size is not None and os.fstat(1).st_size >= self.file_size
        return False


UNLIMITED = Limits(cpu_seconds=None, memory=None, file_size=None, descriptors=None)


def limits_of(task: Task) -> Limits:
    """The default limits of a task: none for an audit, which its author runs."""
    return Limits() if task.is_graded else UNLIMITED


def _limit(which: int, value: int, grace: int = 0) -> None:
    """Set the soft limit to `value`, and the hard one `grace` above it, as far as it may be raised.

    At the soft limit of CPU time the process gets SIGXCPU, which the report can name; at the hard
    one it gets SIGKILL (`man 2 setrlimit`).
    """
    hard = resource.getrlimit(which)[1]
    most = value + grace if hard == resource.RLIM_INFINITY else min(value + grace, hard)
    with suppress(ValueError, OSError):  # macOS does not take them all
        resource.setrlimit(which, (min(value, most), most))


def _memory_used() -> tuple[int, int]:
    """Bytes mapped, and bytes of data and stack: fields 1 and 6 of /proc/self/statm."""
    page = os.sysconf("SC_PAGE_SIZE")
    with open("/proc/self/statm", "rb") as file:
        pages = [int(count) for count in file.read().split()]
    return pages[0] * page, pages[5] * page


def _limit_cuda(memory: int) -> None:
    import torch

    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, memory / total))
