"""Modules that no answer needs, imported or reached by another; files that none needs to read."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder

from grader.grading.flags.allowed_imports import is_limited, is_needed, is_private
from grader.grading.flags.source import FlaggedSite, Source, text_of
from grader.schema import Flag


def import_flags(source: Source) -> Iterator[Flag]:
    """A flag for each import and each dotted use of a module that an answer does not need."""
    for site in source.sites:
        node = site.node
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node, id(node) in source.guarded, source.modules)
        elif isinstance(node, ast.Attribute):
            yield from _use(node, site, source)
        elif isinstance(node, ast.Call):
            yield from _use_by_name(node, site, source)
        elif isinstance(node, ast.Name) and id(node) not in source.roots:
            yield from _passed_modules(node, site, source)


def _imports(
    node: ast.Import | ast.ImportFrom, is_guarded: bool, own: frozenset[str]
) -> Iterator[Flag]:
    for path in _paths(node):
        module = path if isinstance(node, ast.Import) else path.rpartition(".")[0]
        if (is_guarded or module.partition(".")[0] in own) and _is_missing(module):
            continue
        if not is_needed(path) or is_private(module):
            yield Flag("import", node.lineno, f"imports `{path}`, which no answer needs")


def _is_missing(module: str) -> bool:
    """Whether there is no such module here: in a `try`, the code goes on without it."""
    root = module.partition(".")[0]
    return bool(root) and root not in sys.stdlib_module_names and not PathFinder.find_spec(root)


def _paths(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    module = "." * node.level + (node.module or "")
    everything = [alias.name for alias in node.names] == ["*"]
    return [module if everything else f"{module}.{alias.name}" for alias in node.names]


def _use(node: ast.Attribute, site: FlaggedSite, source: Source) -> Iterator[Flag]:
    path = source.path(node, site)
    before = path.rpartition(".")[0]
    if path in _REMOVERS and id(node) in source.removals:
        return
    if path and is_needed(before) and not is_needed(path):  # what follows is said by the import
        yield Flag("import", node.lineno, f"uses `{path}`, which no answer needs")


def _use_by_name(node: ast.Call, site: FlaggedSite, source: Source) -> Iterator[Flag]:
    """`getattr(sys, "modules")`."""
    if getattr(node.func, "id", "") in ("getattr", "setattr") and len(node.args) > 1:
        module, name = source.path(node.args[0], site), text_of(node.args[1])
        path = f"{module}.{name}"
        if module and name and is_needed(module) and not is_needed(path):
            yield Flag("import", node.lineno, f"uses `{path}`, which no answer needs")


def _passed_modules(node: ast.Name, site: FlaggedSite, source: Source) -> Iterator[Flag]:
    """`vars(sys)` and `f(os)`: the whole of a module of which answers need a part."""
    path = source.path(node, site)
    if is_limited(path) and isinstance(node.ctx, ast.Load):
        yield Flag("import", node.lineno, f"hands on the whole of `{path}`")


_REMOVERS = ("os.remove", "os.unlink")
_READERS = frozenset(
    (
        "numpy.fromfile", "numpy.memmap", "numpy.genfromtxt", "numpy.DataSource",
        "torch.from_file", "torch.FloatStorage.from_file", "torch.UntypedStorage.from_file",
    )
)  # fmt: skip
_SEARCHES = {"rglob", "iterdir", "listdir", "scandir"}
# A path from the root, except where notebooks in a cloud keep files; a folder of the grader's.
_ELSEWHERE = re.compile(
    r"^/(?!tmp/|content/|kaggle/|mnt/|dev/null|dev/std)[A-Za-z]\w*(?:/|$)|"
    r"(?:^|/)(?:solutions|rubrics|site-packages)(?:/|$)|^\.\./\.\."
)


def file_flags(source: Source) -> Iterator[Flag]:
    """A flag for each line that reads files, or memory, past what an answer is given."""
    for site in source.sites:
        for message in _messages(site, source):
            yield Flag("file", getattr(site.node, "lineno", 0), message)


def _messages(site: FlaggedSite, source: Source) -> Iterator[str]:
    node = site.node
    if isinstance(node, ast.Attribute):
        path = source.path(node, site)
        if path in _READERS or node.attr == "from_file":
            yield f"uses `{path or node.attr}`, which reads a file as numbers"
        elif node.attr in _SEARCHES:
            yield f"uses `{node.attr}`, which lists files"
    elif isinstance(node, ast.Constant) and id(node) not in source.documentation | source.tails:
        text = text_of(node)
        found = _ELSEWHERE.search(text[:1000])
        if found:
            yield f"names a place outside of the submission: {text[:60]!r}"
