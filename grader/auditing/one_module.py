"""Audits any module: no rubric, only what constructing, moving, calling and training it shows."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from grader.auditing.trying import fixes_that_work
from grader.judge import (
    OWN_CELL,
    SourceFile,
    Sources,
    Tried,
    judge_audit,
    name_cells,
    without_suppressed,
)
from grader.loading import printed_path, shortest
from grader.probe import fresh_seed
from grader.schema import Evidence, Raised, Report, Stage, Verdict

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
        CannotTryError,
        audit_subject,
        changed,
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
    own = file_of(origin) if isinstance(origin, type) else ""

    def probed(texts: Mapping[str, str]) -> Evidence:
        with no_full_collections(), cuda_device(device) as label:
            try:
                with changed(texts):
                    return run_probe(subject, label)
            except CannotTryError as error:
                return Evidence(label, "", 0, undefined=Raised.problem(str(error)))

    text = _text_of(origin)
    return audit_report(probed, title, source, text, IN_PYTHON, own=own)


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
    from grader.probe import Changed, RefusedError, probe_in_child

    def probed(texts: Mapping[str, str]) -> Evidence:
        return probe_in_child(Changed.of(task, texts) if texts else task, limits)

    try:
        return audit_report(probed, title, source, text, advice, root)
    except RefusedError as error:
        return refusal("cannot_grade", str(error), title, source)
    except Exception as error:
        if not task.is_live:
            raise
        return refusal("cannot_grade", f"{type(error).__name__}: {error}", title, source)


def audit_report(
    probed: Callable[[Mapping[str, str]], Evidence],
    title: str,
    source: str,
    text: str,
    advice: str,
    root: Path | None = None,
    own: str = "",
) -> Report:
    """The report on what the probe saw; of its fixes as code, those that work when they are made.

    Args:
        probed: gives what the probe sees, with other texts of some files.
        title: the module's name.
        source: its file, as it should be printed.
        text: what that file holds, for the fixes.
        advice: how to give inputs, said where there were none.
        root: the folder from which files are printed; unless given, see `printed_path`.
        own: the file of its class, as evidence names it; `""` if that is not known.
    """
    evidence = probed({})
    undefined = evidence.undefined
    if undefined and not undefined.type:  # the file ran, but what it left cannot be audited
        return refusal("not_defined", undefined.message, title, source)
    named, names = name_cells(evidence, own)
    files = {file: _read(file, root, names) for file in evidence.files}

    def reported(evidence: Evidence, texts: Mapping[str, str], tried: Tried = None) -> Report:
        read = {f: SourceFile(texts.get(f, code.text), code.name) for f, code in files.items()}
        others = {names.get(file, file): code for file, code in read.items()}
        sources = Sources(SourceFile(text, source), others)
        return _judged(evidence, title, source, advice, sources, tried)

    def again(texts: Mapping[str, str]) -> Report:
        return reported(name_cells(probed(texts), own)[0], texts)

    report = reported(named, {})
    if not any(finding.edits for finding in report.findings):
        return report
    return reported(named, {}, fixes_that_work(report, files, again))


def _judged(
    evidence: Evidence, title: str, source: str, advice: str, sources: Sources, tried: Tried
) -> Report:
    if is_silent := _never_called(evidence):
        evidence = _as_if_called(evidence)
    report = judge_audit(evidence, title, source, sources, tried)
    if is_silent:
        message = "\n".join(filter(None, (report.message, NEVER_CALLED, advice)))
        report = replace(report, message=message, is_called=False)
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
