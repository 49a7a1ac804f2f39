"""The bench: a process that has PyTorch loaded and grades whatever file it is handed.

It is a process of its own, so that the screen is there at once, keys are answered while a file is
judged, and nothing that a learner's code prints disturbs the picture.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.course import all_rubrics, find, solution_file
from grader.grading import grade_file, refusal
from grader.schema import Report, Rubric

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Standby

A_MOMENT = 0.5


class Job(msgspec.Struct, frozen=True):
    """A file to be graded; `number` tells its report from those of others."""

    number: int
    stem: str
    path: str


class Done(msgspec.Struct, frozen=True):
    """The report on a job."""

    job: Job
    report: Report


class BenchEndedError(ChildProcessError):
    """The process ended by itself."""


class Bench:
    """Hands jobs to the process, and its reports back."""

    def __init__(self, device: DeviceChoice = "auto") -> None:
        # Spawned, not forked, so that it holds no end of the screen's own pipes.
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, device))
        self._process.start()
        theirs.close()
        self._last = 0

    def grade(self, stem: str, path: Path) -> None:
        """Ask for a report; whatever was asked for before is no longer wanted."""
        self._last += 1
        self._send(msgspec.json.encode(Job(self._last, stem, str(path))))

    async def reports(self) -> AsyncIterator[Done]:
        """Each report as it comes, unless another was asked for since.

        Raises:
            BenchEndedError: there will be none.
        """
        while True:
            try:
                message = await asyncio.to_thread(self._connection.recv_bytes)
            except (EOFError, OSError):
                raise BenchEndedError(
                    "The process that grades has ended, as by a lack of memory. Start `grader "
                    "watch` again; your files are as you saved them."
                ) from None
            done = msgspec.json.decode(message, type=Done)
            if done.job.number == self._last:
                yield done

    def close(self) -> None:
        """End the process, whatever it is doing. `reports` then ends, too."""
        self._send(b"")
        self._process.join(A_MOMENT)
        self._process.kill()  # it is still loading PyTorch
        self._process.join()

    def _send(self, message: bytes) -> None:
        with suppress(OSError):  # it has ended, which `reports` says
            self._connection.send_bytes(message)


def _serve(connection: Connection, device: DeviceChoice) -> None:
    """The process: one job after another, until there is an empty one or nobody to send any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _fall_silent()
    standby = _standby(device)
    try:
        while message := connection.recv_bytes():
            job = msgspec.json.decode(message, type=Job)
            report = _report(job, device, standby, connection)
            if report:
                connection.send_bytes(msgspec.json.encode(Done(job, report)))
    except (EOFError, OSError):
        pass  # the screen has gone
    finally:
        if standby:
            standby.close()


def _fall_silent() -> None:
    """Send what code writes past Python, to file descriptors 1 and 2, nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def _standby(device: DeviceChoice) -> Standby | None:
    """A child that is ready; none where there is no PyTorch, which each report then says."""
    try:
        from grader.probe import Standby
    except ImportError:
        return None
    rubric = all_rubrics()[-1]  # the capstone: what it does, the others do too
    return Standby(_task(rubric, solution_file(rubric.stem), device))


def _task(rubric: Rubric, path: Path, device: DeviceChoice):  # type: ignore[no-untyped-def]
    from grader.probe import Exercise

    return Exercise(path, rubric.class_name, 0, device, rubric.recipe)


def _report(
    job: Job, device: DeviceChoice, standby: Standby | None, newer: Connection
) -> Report | None:
    """The report, or None if there is a newer job."""
    rubric, path = find(job.stem), Path(job.path)
    if standby is None:
        return grade_file(rubric, path, device)
    from grader.probe import SupersededError

    try:
        return grade_file(rubric, path, device, probe=partial(standby.probe, interrupt=newer))
    except SupersededError:
        return None
    except Exception:
        fault = traceback.format_exc(limit=-3)
        message = f"The grader itself failed. Please report this:\n{fault}"
        return refusal("cannot_grade", message, rubric, job.path)
