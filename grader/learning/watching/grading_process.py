"""A process that has PyTorch loaded and grades whatever file it is handed.

It is a process of its own, so that the screen is there at once, keys are answered while a file is
judged, and nothing that a learner's code prints disturbs the picture.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import AsyncIterator
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from grader.course import all_rubrics, find, solution_file
from grader.grading import grade_file, refusal
from grader.probe import Worker, answer_messages
from grader.schema import Report

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Standby

A_MOMENT = 0.5
Request = tuple[int, str, str]  # a number, which its report bears too; the exercise; its file


class GradingEndedError(ChildProcessError):
    """The process ended by itself."""


class GradingProcess:
    """Hands files to the process, and its reports back."""

    def __init__(self, device: DeviceChoice = "auto") -> None:
        # Spawned, not forked, so that it holds no end of the screen's own pipes.
        self._worker = Worker(_serve, device, context=get_context("spawn"))
        self._last = 0

    def grade(self, stem: str, path: Path) -> None:
        """Ask for a report; whatever was asked for before is dropped."""
        self._last += 1
        self._worker.send(msgspec.json.encode((self._last, stem, str(path))))

    async def reports(self) -> AsyncIterator[Report]:
        """Each report as it comes, unless another was asked for since.

        Raises:
            GradingEndedError: there will be none.
        """
        while True:
            try:
                message = await asyncio.to_thread(self._worker.receive)
            except (EOFError, OSError):
                raise GradingEndedError(
                    "The process that grades has ended, as by a lack of memory. Start `grader "
                    "watch` again; your files are as you saved them."
                ) from None
            number, report = msgspec.json.decode(message, type=tuple[int, Report])
            if number == self._last:
                yield report

    def close(self) -> None:
        """End the process, whatever it is doing. `reports` then ends, too."""
        self._worker.send(b"")
        self._worker.process.join(A_MOMENT)
        self._worker.kill()  # if it is still loading PyTorch


def _serve(connection: Connection, device: DeviceChoice) -> None:
    """The process: one request after another, until an empty one or the screen's end."""
    # Code may write past Python, to file descriptors 1 and 2: that goes nowhere.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    standby = _standby(device)

    def answer(message: bytes) -> bytes | None:
        request = msgspec.json.decode(message, type=Request)
        report = _report(request, device, standby, connection)
        return msgspec.json.encode((request[0], report)) if report else None

    try:
        answer_messages(connection, answer)
    finally:
        if standby:
            standby.close()


def _standby(device: DeviceChoice) -> Standby | None:
    """A child that is ready; none where there is no PyTorch, which each report then says."""
    try:
        from grader.probe import Exercise, Standby
    except ImportError:
        return None
    last = all_rubrics()[-1]  # what it does, the others do too
    path = solution_file(last.stem)
    return Standby(Exercise(path, last.class_name, 0, device, last.recipe))


def _report(
    request: Request, device: DeviceChoice, standby: Standby | None, newer: Connection
) -> Report | None:
    """The report, or None if there is a newer request."""
    _, stem, path = request
    rubric = find(stem)
    if standby is None:
        return grade_file(rubric, Path(path), device)
    from grader.probe import SupersededError

    probe = partial(standby.probe, interrupt=newer)
    try:
        return grade_file(rubric, Path(path), device, probe=probe)
    except SupersededError:
        return None
    except Exception:
        fault = traceback.format_exc(limit=-3)
        message = f"The grader itself failed. Please report this:\n{fault}"
        return refusal("cannot_grade", message, rubric, path)
