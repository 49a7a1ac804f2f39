"""Code that a reader cannot see: run from a string, or looked up by a name put together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.flags.constants import folded, is_put_together
from grader.grading.flags.source import LOOKUPS, FlaggedSite, Source
from grader.schema import Flag

_RUNNERS = {"exec", "eval", "compile", "__import__"}


def hidden_code_flags(source: Source) -> Iterator[Flag]:
    """A flag for each line that runs or looks up what cannot be read there."""
    for site in source.sites:
        for message in _messages(site, source):
            yield Flag("hidden-code", getattr(site.node, "lineno", 0), message)


def _messages(site: FlaggedSite, source: Source) -> Iterator[str]:
    node = site.node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in _RUNNERS and node.id not in site.shadowed | source.imported.keys():
            yield f"uses `{node.id}`, which runs or loads code that cannot be read here"
    elif isinstance(node, ast.Call):
        yield from _looked_up(node, site, source)


def _looked_up(call: ast.Call, site: FlaggedSite, source: Source) -> Iterator[str]:
    """A lookup by a computed name; `getattr(self, f"layer_{i}")` is a habit and no secret."""
    name = getattr(call.func, "id", "")
    path = source.path(call.func, site)
    if any(_allows_pickles(keyword) for keyword in call.keywords):
        yield f"calls `{path or ast.unparse(call.func)[:60]}` so that it runs code in a file"
    is_loader = path.startswith("importlib.") and path != "importlib.reload"
    if is_loader and call.args and not isinstance(call.args[0], ast.Constant):
        yield f"calls `{path}` with a computed name"
    if name not in LOOKUPS or len(call.args) < 2:
        return
    target, key = call.args[:2]
    if is_put_together(key) or (_is_assembled(key) and not _begins_at_me(target, site)):
        yield f"calls `{name}` with a name that is put together"


def _allows_pickles(keyword: ast.keyword) -> bool:
    """`weights_only=False` of `torch.load`, `allow_pickle=True` of `numpy.load`."""
    value = getattr(keyword.value, "value", None)
    return (keyword.arg, value) in (("weights_only", False), ("allow_pickle", True))


def _is_assembled(key: ast.expr) -> bool:
    """Whether a name is computed in a way that hides it: not a variable, nor `f"layer_{i}"`."""
    if isinstance(key, ast.JoinedStr):
        first = key.values[0] if key.values else None
        return not (isinstance(first, ast.Constant) and str(first.value)[:1].isalpha())
    if isinstance(key, ast.BinOp):  # "layer_" + str(i)
        text = folded(key.left)
        return not (text and text[0].isalpha())
    return isinstance(key, ast.Subscript) and isinstance(key.slice, ast.Slice)


def _begins_at_me(node: ast.AST, site: FlaggedSite) -> bool:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and node.id in (site.me, "self", "cls")
