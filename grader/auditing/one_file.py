"""Audits a file's module, in a process of its own; what it is called with is guessed if need be."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from grader.auditing.one_module import audit_task, refusal
from grader.loading import LoadingError, parse, printed_path, read_source
from grader.probe import fresh_seed, no_torch
from grader.schema import Report

if TYPE_CHECKING:
    from grader.auditing.survey.run_in_child import Note
    from grader.auditing.survey.survey import Source
    from grader.probe import DeviceChoice

PARTS = 4  # after one part of its time, an audit starts no more optional steps
SECONDS_TO_GUESS = 40.0
IN_A_FILE = (
    "To see the rest, write a function `example_input()` in the file that returns the inputs as a "
    "tuple of CPU tensors."
)


def audit_file(
    path: Path,
    name: str = "",
    inputs: str = "",
    device: DeviceChoice = "auto",
    time_limit: float = 120.0,
) -> Report:
    """The report on a module that a file defines, probed in a process of its own.

    Args:
        path: the file.
        name: a class, function or module in it; without one, its only `nn.Module`.
        inputs: a function in it that returns the inputs, by default `example_input`, if there; or
            what stands between the parentheses of a call. Without any, a guess is tried.
        device: what to judge on.
        time_limit: how long it may take, in seconds.
    """
    title, source = name or path.name, str(printed_path(path.absolute()))
    try:
        text = read_source(path)
        parse(text, path)
    except LoadingError as error:
        return refusal("not_defined", str(error), title, source)
    try:
        from grader.probe import UNLIMITED, Audit
    except ImportError as error:
        return refusal("cannot_grade", no_torch(error), title, source)
    task = Audit(path, name, fresh_seed(), device, inputs, time_limit / PARTS)
    limits = replace(UNLIMITED, seconds=time_limit)
    report = audit_task(task, limits, title, source, text, IN_A_FILE)
    if report.is_called:
        return report
    found, said_by = _guess(path, name)
    if not found:
        return report
    called = audit_task(replace(task, inputs=found), limits, title, source, text)
    if called.exit_code == 2 or not called.is_called:
        return report
    return called if said_by == "convention" else replace(called, notes=(_told(found),))


def _told(guess: str) -> str:
    return f"Nobody says what it is called with, so a guess was tried: --inputs {quote(guess)}"


def _guess(path: Path, name: str) -> tuple[str, Source]:
    """What stands between the parentheses of a call that works on the CPU, and who says so."""
    from grader.auditing.survey.run_in_child import NoAnswerError, call_in_child

    try:
        found: tuple[str, Source] = call_in_child(partial(_tried, path, name), SECONDS_TO_GUESS)
    except NoAnswerError:
        return "", ""
    return found


def _tried(path: Path, name: str, note: Note) -> tuple[str, Source]:
    from torch import nn

    from grader.auditing.survey.package.inputs import inputs_for
    from grader.probe import Audit

    _, target = Audit(path, name, fresh_seed(), "simulated").loaded()
    module = target if isinstance(target, nn.Module) else target()
    module.eval()
    inputs, source = inputs_for(module)
    return inputs or "", source
