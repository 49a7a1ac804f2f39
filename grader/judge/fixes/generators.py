"""Fixes of a draw by a generator of another device: drawn on that, then moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.fixes.expressions import Replacement, called_name, calls_in
from grader.judge.fixes.fix import CodeFix, Context
from grader.judge.fixes.placing import with_device
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Edit, Finding

_SIZED = ("rand", "randn", "randint", "randperm")
_FROM_TENSORS = ("bernoulli", "multinomial", "poisson")
_IN_PLACE = (
    "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_",
    "uniform_",
)  # fmt: skip


def draw_there(finding: Finding, context: Context) -> CodeFix | None:
    """The numbers are then the same on every device, as the generator's are."""
    edits: dict[int, Edit] = {}
    for site in _raising(context):
        if changes := list(_changes(site, context)):
            edits.setdefault(site.statement.lineno, context.code.edit_spans(site, changes))
    words = "Draw on the generator's device, and move what is drawn"
    return CodeFix(words, tuple(edits.values())) if edits else None


def _raising(context: Context) -> Iterator[CodeSite]:
    """The statements of the file that have raised."""
    raised = (raised for run in context.evidence.runs for raised in run.exceptions)
    sites = (context.code.site(at.line) for at in raised if at.file == context.file)
    yield from filter(None, sites)


def _changes(site: CodeSite, context: Context) -> Iterator[Replacement]:
    for name in (*_SIZED, *_FROM_TENSORS, *_IN_PLACE):
        for call in calls_in(site.head, name):
            given = [k.value for k in call.keywords if k.arg == "generator"]
            if given and isinstance(given[0], ast.Name | ast.Attribute):
                there = context.device_at(site)
                yield from _drawn(call, f"{ast.unparse(given[0])}.device", there, context)


def _drawn(call: ast.Call, device: str, there: str, context: Context) -> Iterator[Replacement]:
    """A draw on `device`, moved to `there`, or to where it was to be made."""
    end = context.code.span(call)[1]
    if called_name(call) in _SIZED:
        chosen = [k.value for k in call.keywords if k.arg == "device"]
        if chosen:
            yield context.code.span(chosen[0]), device
            yield (end, end), f".to({context.code.segment(chosen[0])})"
        else:
            yield from with_device(call, device, context)
        return
    moved = getattr(call.func, "value", None)
    if called_name(call) in _IN_PLACE and not isinstance(moved, ast.Call):
        return  # it changes a tensor that is used later
    if moved is None or ast.unparse(moved) == context.code.name_of("torch"):
        moved = call.args[0] if call.args else None
    if moved is not None and there:
        after = context.code.span(moved)[1]
        yield (after, after), f".to({device})"
        yield (end, end), f".to({there})"
