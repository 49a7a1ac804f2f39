"""Fixes of modules and Parameters in a Python container."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.evidence import TensorFact
from grader.judge.fixes.fix import Fix, Known, assignment_to
from grader.judge.report import Finding

_KEY = re.compile(r"\[(['\"])([^'\".]*)\1\](\.|$)")


def container(finding: Finding, known: Known) -> Fix | None:
    """Use PyTorch's own container, where that takes what the Python one holds."""
    facts = _held(finding.where, known)
    if not facts:
        return _modes(finding, known)
    if any("lambda" in fact.value for fact in facts):
        return None
    if not any(f.is_parameter or "." in _inside(f, finding.where) for f in facts):
        return None  # there is no container of PyTorch's for buffers
    name = _name(facts, finding.where)
    found = assignment_to(known, finding.where, finding.line)
    if found is None or not _fits(found[1], name, finding.where, facts):
        return None
    place, value = found
    text = "" if _is_empty(value) else known.code.segment(value)
    made = f"{finding.where} = {known.nn}.{name}({text})"
    return Fix(f"Use PyTorch's own container, `nn.{name}`", (known.code.rewritten(place, made),))


def _modes(finding: Finding, known: Known) -> Fix | None:
    """Of modules without tensors, such as dropout."""
    found = assignment_to(known, finding.where, finding.line)
    if found is None or not isinstance(found[1], ast.List | ast.ListComp):
        return None
    made = f"{finding.where} = {known.nn}.ModuleList({known.code.segment(found[1])})"
    words = "Use PyTorch's own container, `nn.ModuleList`"
    return Fix(words, (known.code.rewritten(found[0], made),))


def _held(path: str, known: Known) -> list[TensorFact]:
    audit = known.evidence.audit.tensors if known.evidence.audit else ()
    facts = (*known.evidence.tensors, *audit)
    return [f for f in facts if f.path.startswith((f"{path}[", f"{path}.")) and f.role == "plain"]


def _inside(fact: TensorFact, path: str) -> str:
    """What comes after the key: `.weight` of `self.layers[0].weight`."""
    return re.sub(r"^(\[[^\]]*\])+", "", fact.path.removeprefix(path))


def _name(facts: list[TensorFact], path: str) -> str:
    is_dict = facts[0].holder is not None and "dict" in facts[0].holder.kind.lower()
    of_modules = any("." in _inside(fact, path) for fact in facts)
    return ("Module" if of_modules else "Parameter") + ("Dict" if is_dict else "List")


def _fits(value: ast.expr, name: str, path: str, facts: list[TensorFact]) -> bool:
    """Whether the container takes this value: no nested ones, and strings without dots as keys."""
    keys = [fact.path.removeprefix(path) for fact in facts]
    if name.endswith("Dict"):
        is_right = all(_KEY.match(key) for key in keys)
        return is_right and isinstance(value, ast.Dict | ast.DictComp | ast.Call)
    is_flat = all(re.match(r"\[\d+\](\.|$)", key) for key in keys)
    return is_flat and not any(_starts_nested(value)) and not isinstance(value, ast.Set)


def _starts_nested(value: ast.expr) -> Iterator[bool]:
    if isinstance(value, ast.List | ast.Tuple):
        yield from (isinstance(each, ast.List | ast.Tuple | ast.Dict) for each in value.elts)


def _is_empty(value: ast.expr) -> bool:
    return ast.unparse(value) in ("[]", "{}", "()", "list()", "dict()")
