"""What a command costs, with all that it starts: CPU seconds and peak memory.

A parent is told the CPU time of the children that it waited for. Linux forgets that of a process
whose namespace ends before, and of one whose parent was killed: two fifths of what a batch does. So
the command runs in a control group of its own, where everything counts.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.1
ANSWERS_FAILED = 1  # what pytest ends with


class CannotMeasureError(Exception):
    """This system does not let a command be measured, or the command failed."""


@dataclass(frozen=True)
class Cost:
    """What was used, all processes together.

    Attributes:
        peak_bytes: the largest sum that was seen of what each process has in memory, a page that
            several share being counted once.
    """

    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    wall_seconds: float = 0.0

    def __add__(self, after: Cost) -> Cost:
        """What both cost, one after the other."""
        return Cost(
            self.cpu_seconds + after.cpu_seconds,
            max(self.peak_bytes, after.peak_bytes),
            self.wall_seconds + after.wall_seconds,
        )


def metered(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run a command to its end, and say what it cost.

    Raises:
        CannotMeasureError: there is no control group to be had, or the command failed.
    """
    group = _new_group()
    begun, peak = time.monotonic(), 0
    try:
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=lambda: _join(group),
            )
            while process.poll() is None:
                peak = max(peak, _bytes_in(group))
                with suppress(subprocess.TimeoutExpired):
                    process.wait(SECONDS_BETWEEN_LOOKS)
            output.seek(0)
            if process.returncode not in (0, ANSWERS_FAILED):
                end = output.read().decode(errors="replace")[-2000:]
                raise CannotMeasureError(f"{' '.join(map(str, command))} failed:\n{end}")
        return Cost(_cpu_seconds(group), peak, time.monotonic() - begun)
    finally:
        _remove(group)


def _new_group() -> Path:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    roots = [mount[1] for mount in mounts if mount[2] == "cgroup2"]
    own = [line for line in Path("/proc/self/cgroup").read_text().splitlines() if line[:3] == "0::"]
    try:
        group = Path(roots[0] + own[0][3:], f"classroom-{os.getpid()}-{time.monotonic_ns()}")
        group.mkdir()
    except (IndexError, OSError) as error:
        raise CannotMeasureError(
            f"No control group can be made here: {error}. Run it as root, or with "
            "`systemd-run --user --scope -p Delegate=yes` before it."
        ) from None
    return group


def _join(group: Path) -> None:
    (group / "cgroup.procs").write_text(str(os.getpid()))


def _cpu_seconds(group: Path) -> float:
    lines = (line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return int(dict(lines)["usage_usec"]) / 1e6


def _bytes_in(group: Path) -> int:
    """The proportional set sizes of its processes; one that has just ended has none."""
    total = 0
    for process in (group / "cgroup.procs").read_text().split():
        with suppress(OSError):
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += 1024 * int(line.split()[1])
    return total


def _remove(group: Path) -> None:
    """End what is left in it, and take it away."""
    (group / "cgroup.kill").write_text("1")
    for _ in range(100):
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.05)
