"""Fixes of modules and Parameters in a Python container."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.expressions import called_name
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.lookups import is_trained, structure
from grader.judge.wording import join_names
from grader.schema import Finding, TensorFact

# A string key without dots, which `nn.ModuleDict` takes: `["head"]` of `self.heads["head"].weight`.
_KEY = r"\[(['\"])([^'\".]*)\1\]"
_INDEXED = ("Sequential", "ModuleList", "ModuleDict")  # modules of which an index leads on


def use_torch_container(finding: Finding, context: Context) -> CodeFix | None:
    """Use PyTorch's own container, where that takes what the Python one holds."""
    facts = _held_tensors(finding.where, context)
    if finding.where in structure(context.evidence).mixed:
        return CodeFix(
            "Keep the modules and tensors in a container of PyTorch's, such as `nn.ModuleList`, "
            "and the rest in one of Python's beside it"
        )
    if any("lambda" in fact.value or fact.copy_of for fact in facts):
        return None
    missing = [
        name for name in context.missing() if not f"self.{name}".startswith(f"{finding.where}.")
    ]
    if missing and len(missing) == len(list(context.missing())):
        return CodeFix(f"Register it under the names that the exercise has: {join_names(missing)}")
    if facts and not any(is_trained(f) or "." in _inside(f, finding.where) for f in facts):
        names = {context.first_name(fact) for fact in facts}  # there is none for buffers
        words = f"Take them from {join_names(sorted(names))} in each call: they are views of it"
        return CodeFix(words) if "" not in names else None
    name = _name(facts, finding.where) if facts else "ModuleList"  # of dropouts, say
    found = assignment_to(context, finding.where, finding.line)
    if found is None or not _fits(found[1], name, finding.where, facts):
        return None
    site, value = found
    if not facts and not isinstance(value, ast.List | ast.ListComp):
        return None
    is_empty = ast.unparse(value) in ("[]", "{}", "()", "list()", "dict()")
    text = "" if is_empty else context.code.segment(value)
    made = f"{finding.where} = {context.nn}.{name}({text})"
    return CodeFix(
        f"Use PyTorch's own container, `nn.{name}`", (context.code.edit_statement(site, made),)
    )


def register_copy(finding: Finding, context: Context) -> CodeFix | None:
    """Of a copy of Parameters that is kept out of registration: registered, and frozen."""
    site = context.code.site(finding.line)
    if site is None or site.owner is None:
        return None
    path, facts = finding.where, _held_tensors(finding.where, context)
    found, name = assignment_to(context, path, finding.line), _name(facts, path)
    stored = (n for n in ast.walk(site.owner) if isinstance(getattr(n, "ctx", None), ast.Store))
    is_written = any(isinstance(n, ast.Subscript) and ast.unparse(n.value) == path for n in stored)
    is_copy = any(fact.copy_of for fact in facts) and not is_written
    if found is None or not is_copy or not _fits(found[1], name, path, facts):
        return None
    text = f"{context.nn}.{name}({context.code.segment(found[1])})"
    frozen = text if "requires_grad_(" in text else f"{text}.requires_grad_(False)"
    edit = context.code.edit_statement(site, f"{path} = {frozen}")
    return CodeFix("Register it, frozen", (edit,))


def _held_tensors(path: str, context: Context) -> list[TensorFact]:
    facts = context.evidence.tensors
    return [f for f in facts if f.path.startswith((f"{path}[", f"{path}.")) and f.role == "plain"]


def _inside(fact: TensorFact, path: str) -> str:
    """What comes after the key: `.weight` of `self.layers[0].weight`."""
    return re.sub(r"^(\[[^\]]*\])+", "", fact.path.removeprefix(path))


def _name(facts: list[TensorFact], path: str) -> str:
    is_dict = any(fact.holder and "dict" in fact.holder.kind.lower() for fact in facts)
    of_modules = any("." in _inside(fact, path) for fact in facts)
    return ("Module" if of_modules else "Parameter") + ("Dict" if is_dict else "List")


def _fits(value: ast.expr, name: str, path: str, facts: list[TensorFact]) -> bool:
    """Whether the container takes this value: no nested ones, and strings without dots as keys."""
    is_indexed = any(called_name(node) in _INDEXED for node in ast.iter_child_nodes(value))
    ends = "[.[]|$" if is_indexed else "[.]|$"
    key = _KEY if name.endswith("Dict") else r"\[\d+\]"
    kinds = (ast.Dict, ast.DictComp, ast.Call) if name.endswith("Dict") else ast.expr
    keys = (fact.path.removeprefix(path) for fact in facts)
    is_flat = all(re.match(f"{key}({ends})", each) for each in keys)
    return is_flat and isinstance(value, kinds) and not isinstance(value, ast.Set)
