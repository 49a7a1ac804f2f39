"""Audits any module: no rubric, only what constructing, moving, calling and training it shows."""

from __future__ import annotations

import inspect
import linecache
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from grader.judge import OWN_CELL, SourceFile, Sources, judge_audit, name_cells, without_suppressed
from grader.loading import printed_path, shortest
from grader.probe import fresh_seed
from grader.schema import Evidence, Report, Stage, Verdict

if TYPE_CHECKING:
    from grader.probe import DeviceChoice, Limits, Task

NEVER_CALLED = (
    "There are no inputs, so `forward` was never called: what it makes, mixes or returns was not "
    "seen, nor training, nor a checkpoint. This is what the structure alone shows."
)
IN_PYTHON = "To see the rest, give what it is called with: `audit(module, inputs)`."


def audit(module_or_factory: Any, inputs: Any = None, device: DeviceChoice = "auto") -> Report:
    """Say what will go wrong when a module moves to CUDA, and why.

    Args:
        module_or_factory: an `nn.Module`, which is audited on copies and never changed, or a class
            or function that makes one. If it takes `device=`, it is built on CUDA too.
        inputs: what to call it with, on the CPU: a tensor, a tuple of positional arguments, or a
            dict of keyword arguments, nested as you like; or a function that gives them. `()` calls
            it without any. Without inputs, it is never called, and only its structure looked at.
        device: what to judge on: `auto`, `cuda` or `simulated`.

    Raises:
        NoCudaDeviceError: `device` is `cuda` and there is none.
    """
    from torch import nn

    from grader.probe import (
        audit_subject,
        cuda_device,
        file_of,
        maker,
        needed_arguments,
        no_full_collections,
        run_probe,
        torch_as_it_was,
    )

    origin = maker(module_or_factory)
    title, source = _name_of(origin), _source_of(origin)
    is_module = isinstance(module_or_factory, nn.Module)
    if needed := [] if is_module else needed_arguments(module_or_factory):
        return refusal("not_defined", _give_arguments(title, needed), title, source)
    with torch_as_it_was():
        fed = inputs() if callable(inputs) else inputs
        subject = audit_subject(module_or_factory, fed, fresh_seed())
    with no_full_collections(), cuda_device(device) as label:
        evidence = run_probe(subject, label)
    own = file_of(origin) if isinstance(origin, type) else ""
    return audit_report(evidence, title, source, _text_of(origin), IN_PYTHON, own=own)


def audit_task(
    task: Task,
    limits: Limits,
    title: str,
    source: str,
    text: str,
    advice: str = "",
    root: Path | None = None,
) -> Report:
    """The report on a module that is probed in a child, or why it could not be probed.

    Args:
        task: builds the module in the child. A live one has to be pickled where the child is no
            fork, which may raise anything: the report says so then. With any other task, such an
            exception is the grader's own fault, and passes.
        limits: what the child may use.
        title: the module's name.
        source: its file, as it should be printed.
        text: what that file holds, for the fixes.
        advice: how to give inputs, said where there were none.
        root: the folder from which files are printed; unless given, see `printed_path`.
    """
    from grader.probe import RefusedError, probe_in_child

    try:
        evidence = probe_in_child(task, limits)
    except RefusedError as error:
        return refusal("cannot_grade", str(error), title, source)
    except Exception as error:
        if not task.is_live:
            raise
        return refusal("cannot_grade", f"{type(error).__name__}: {error}", title, source)
    return audit_report(evidence, title, source, text, advice, root)


def audit_report(
    evidence: Evidence,
    title: str,
    source: str,
    text: str,
    advice: str,
    root: Path | None = None,
    own: str = "",
) -> Report:
    """The report on what the probe saw.

    Args:
        evidence: what it saw.
        title: the module's name.
        source: its file, as it should be printed.
        text: what that file holds, for the fixes.
        advice: how to give inputs, said where there were none.
        root: the folder from which files are printed; unless given, see `printed_path`.
        own: the file of its class, as evidence names it; `""` if that is not known.
    """
    undefined = evidence.undefined
    if undefined and not undefined.type:  # the file ran, but what it left cannot be audited
        return refusal("not_defined", undefined.message, title, source)
    named, names = name_cells(evidence, own)
    files = {names.get(f, f): _read(f, root, names) for f in evidence.files}
    evidence, sources = named, Sources(SourceFile(text, source), files)
    if _never_called(evidence):
        report = judge_audit(_as_if_called(evidence), title, source, sources)
        message = "\n".join(filter(None, (report.message, NEVER_CALLED, advice)))
        report = replace(report, message=message, is_called=False)
    else:
        report = judge_audit(evidence, title, source, sources)
    classes = [structs.replace(cls, file=sources.file(cls.file).name) for cls in evidence.classes]
    report = replace(report, classes=tuple(classes))
    return without_suppressed(report, (*sources.others.values(), sources.own))


def _never_called(evidence: Evidence) -> bool:
    """Whether all went well, and yet there was no call: there were no inputs."""
    went_well = evidence.ending == "complete" and not evidence.broken
    tried = any(skipped.stage is Stage.CPU_BASELINE for skipped in evidence.skipped)
    return went_well and evidence.structure is not None and not (evidence.runs or tried)


def _as_if_called(evidence: Evidence) -> Evidence:
    """Without a call nobody knows which tensors `forward` reads, so each may be one of them."""
    if not evidence.structure:
        return evidence
    tensors = tuple(structs.replace(fact, used=True) for fact in evidence.structure.tensors)
    return structs.replace(evidence, structure=structs.replace(evidence.structure, tensors=tensors))


def _read(file: str, root: Path | None, cells: dict[str, str]) -> SourceFile:
    """A file of the module's classes, or a notebook's cell, by its name in evidence."""
    linecache.checkcache(file)
    path, cell = Path(file), cells.get(file, OWN_CELL)
    if path.is_file():
        printed = str(shortest(path, root) if root else printed_path(path))
    else:
        printed = "" if cell == OWN_CELL else cell
    return SourceFile("".join(linecache.getlines(file)), printed)


def refusal(verdict: Verdict, message: str, title: str, source: str) -> Report:
    """A report that judges nothing, and says why."""
    return Report(verdict, "none", f"Audit of {title}", source, message=message)


def _give_arguments(name: str, needed: list[str]) -> str:
    call = f"{name}({', '.join(f'{name}=…' for name in needed)})"
    return (
        f"{name} cannot be made without arguments ({', '.join(needed)}). Audit a module, "
        f"`audit({call}, …)`, or a function that makes one, `audit(lambda: {call}, …)`."
    )


def _name_of(origin: Any) -> str:
    name = getattr(origin, "__name__", "<lambda>")
    return "the module" if name == "<lambda>" else str(name)


def _text_of(origin: Any) -> str:
    """What the file, or the notebook's cell, that it was written in holds."""
    try:
        lines, _ = inspect.findsource(origin)
    except (TypeError, OSError):
        return ""
    return "".join(lines)


def _source_of(origin: Any) -> str:
    """The file it was written in, if it is one: a notebook's cell is not."""
    try:
        path = Path(inspect.getsourcefile(origin) or "")
    except (TypeError, OSError):  # neither a class nor a function, or a class of `python -c`
        return ""
    return str(printed_path(path)) if path.is_file() else ""
