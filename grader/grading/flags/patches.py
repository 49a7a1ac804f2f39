"""Libraries that a submission changes: `nn.Module.state_dict = ...`, `setattr(torch, ...)`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any

from grader.grading.flags.source import FlaggedSite, Source
from grader.schema import Flag

# Assigning to these is how one sets them.
_SETTINGS = (
    "matplotlib", "numpy.random", "os.environ", "torch.backends", "torch._dynamo.config",
    "seaborn", "pandas.options",
)  # fmt: skip
# The probe asks for none of these.
_HARMLESS = (
    "numpy.", "sys.displayhook", "sys.excepthook", "sys.stderr", "sys.stdout",
    "torch.Tensor.__repr__", "torch.Tensor.__str__", "torch.compile", "torch.load",
    "torch.manual_seed", "torch.nn.functional.", "torch.nn.init.", "torch.save", "warnings.",
)  # fmt: skip
_SETTERS = {"setattr", "delattr", "__setattr__", "__delattr__"}
_CHANGES = {"clear", "pop", "popitem", "setdefault", "update", "append", "insert", "extend"}
_GLOBAL_HOOKS = "register_module_"


def patch_flags(source: Source) -> Iterator[Flag]:
    """A flag for each line that changes what a library's name means."""
    for site in source.sites:
        line = getattr(site.node, "lineno", 0)
        for name in _patched_names(site, source):
            yield Flag("patched-library", line, f"changes `{name}`, which belongs to a library")


def _patched_names(site: FlaggedSite, source: Source) -> Iterator[str]:
    node = site.node
    if isinstance(node, ast.Assign | ast.Delete):
        for target in node.targets:
            yield from _target(target, site, source)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
        yield from _target(node.target, site, source)
    elif isinstance(node, ast.withitem) and node.optional_vars:
        yield from _target(node.optional_vars, site, source)
    elif isinstance(node, ast.Call):
        yield from _patch_calls(node, site, source)


def _target(target: ast.expr, site: FlaggedSite, source: Source) -> Iterator[str]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _target(element, site, source)
    elif isinstance(target, ast.Starred):
        yield from _target(target.value, site, source)
    elif isinstance(target, ast.Attribute | ast.Subscript):
        name = _library(target, site, source)
        if name and not (isinstance(target, ast.Attribute) and _is_harmless(name)):
            yield name


def _is_harmless(path: str) -> bool:
    """Whether nothing but the submission asks for a name: a new one, or one the probe never uses.

    New is what the library does not have; where it is not loaded, nothing is known to be new.
    """
    if path.startswith(_HARMLESS):
        return True
    parts, name = path.split(".")[:-1], path.rpartition(".")[2]
    owner: Any = sys.modules.get(parts[0])
    for part in parts[1:]:
        owner = None if owner is None else getattr(owner, part, None)
    return owner is not None and not name.startswith("__") and not hasattr(owner, name)


def _patch_calls(call: ast.Call, site: FlaggedSite, source: Source) -> Iterator[str]:
    function = call.func
    path = source.path(function, site)
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in _SETTERS and call.args:
        changed = _library(call.args[0], site, source)
        if changed:
            yield changed
    elif name in _CHANGES and isinstance(function, ast.Attribute):
        yield from _table_updates(function.value, site, source)
    elif path.rpartition(".")[2].startswith(_GLOBAL_HOOKS):
        yield "torch.nn.Module"  # such a hook is called for every module there is


def _table_updates(node: ast.expr, site: FlaggedSite, source: Source) -> Iterator[str]:
    """`vars(nn).update(...)` and `nn.__dict__.update(...)`."""
    inner: ast.AST = node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
        inner = node.args[0] if node.args else node
    elif not (isinstance(node, ast.Attribute) and node.attr == "__dict__"):
        return
    name = _library(inner, site, source)
    if name:
        yield name


def _library(node: ast.AST, site: FlaggedSite, source: Source) -> str:
    """The library's name that a target begins with, `""` if it begins elsewhere."""
    whole = node
    while True:
        path = source.path(node, site)
        if path:
            return "" if path.startswith(_SETTINGS) else path
        if isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Attribute) and node.attr == "__class__":
                return "" if _is_me(node.value, site) else ast.unparse(whole)[:60]
            node = node.value
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("type", "vars"):
            is_type = getattr(node.func, "id", "") == "type"
            if not node.args or _is_me(node.args[0], site):
                return ""
            path = source.path(node.args[0], site)
            return ast.unparse(whole)[:60] if path or is_type else ""
        else:
            return ""


def _is_me(node: ast.AST, site: FlaggedSite) -> bool:
    return isinstance(node, ast.Name) and node.id in (site.me, "self", "cls")
