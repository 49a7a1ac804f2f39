"""Code that a reader cannot see: run from a string or a file, or imported by a computed name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.flags.source import FlaggedSite, Source
from grader.schema import Flag

_RUNNERS = {"exec", "eval", "compile", "__import__"}


def hidden_code_flags(source: Source) -> Iterator[Flag]:
    """A flag for each line that runs or loads what cannot be read there."""
    for site in source.sites:
        for message in _messages(site, source):
            yield Flag("hidden-code", getattr(site.node, "lineno", 0), message)


def _messages(site: FlaggedSite, source: Source) -> Iterator[str]:
    node = site.node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in _RUNNERS and node.id not in site.shadowed | source.imported.keys():
            yield f"uses `{node.id}`, which runs or loads code that cannot be read here"
    elif isinstance(node, ast.Call):
        yield from _loads(node, site, source)


def _loads(call: ast.Call, site: FlaggedSite, source: Source) -> Iterator[str]:
    path = source.path(call.func, site)
    if any(_allows_pickles(keyword) for keyword in call.keywords):
        yield f"calls `{path or ast.unparse(call.func)[:60]}` so that it runs code in a file"
    is_loader = path.startswith("importlib.") and path != "importlib.reload"
    if is_loader and call.args and not isinstance(call.args[0], ast.Constant):
        yield f"calls `{path}` with a computed name"


def _allows_pickles(keyword: ast.keyword) -> bool:
    """`weights_only=False` of `torch.load`, `allow_pickle=True` of `numpy.load`."""
    value = getattr(keyword.value, "value", None)
    return (keyword.arg, value) in (("weights_only", False), ("allow_pickle", True))
