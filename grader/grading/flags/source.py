"""A submission's syntax tree, and which library each of its names stands for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LOOKUPS = {"getattr", "setattr", "hasattr", "delattr"}
PLAIN_NAME = re.compile(r"\w[\w -]*\.\w+")
DEEPEST = 400  # levels of the tree: ast.dump and ast.unparse recurse


class TooDeepError(Exception):
    """The tree has more levels than the rules can follow."""


@dataclass(frozen=True)
class FlaggedSite:
    """A node and what is known where it stands.

    Attributes:
        me: what a method calls its own instance, usually `self`; `""` outside of methods.
        shadowed: names of arguments, which hide imports of the same name.
        depth: levels below the module.
    """

    node: ast.AST
    me: str = ""
    shadowed: frozenset[str] = frozenset()
    depth: int = 0


class Source:
    """What the rules ask of a submission.

    Attributes:
        places: every node, from the top.
        imported: by name, the dotted path that it stands for: `{"nn": "torch.nn"}`.
        own: names with a leading underscore that the submission itself defines.
        modules: the names of the learner's own files that it may import.
    """

    def __init__(self, tree: ast.Module, modules: frozenset[str] = frozenset()) -> None:
        self.modules = modules
        self.sites = list(_sites(tree))
        self.imported = dict(_imported(self.sites))
        self._add_aliases()
        self.own = frozenset(_own_names(self.sites))

    def path(self, node: ast.AST, site: FlaggedSite) -> str:
        """The dotted path of what a node stands for, `""` if it does not begin at an import."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute | ast.NamedExpr):
            if isinstance(node, ast.Attribute):
                attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in site.shadowed:
            return ""
        root = self.imported.get(node.id, "")
        return ".".join([root, *reversed(attributes)]) if root else ""

    @cached_property
    def documentation(self) -> frozenset[int]:
        """The `id` of each string that stands alone as a statement, as docstrings do."""
        alone = (site.node for site in self.sites if isinstance(site.node, ast.Expr))
        return frozenset(
            id(statement.value) for statement in alone if isinstance(statement.value, ast.Constant)
        )

    @cached_property
    def tails(self) -> frozenset[int]:
        """The `id` of each part of an f-string but the first: `/b` in `f"{a}/b"`."""
        texts = (site.node for site in self.sites if isinstance(site.node, ast.JoinedStr))
        return frozenset(id(part) for text in texts for part in text.values[1:])

    @cached_property
    def roots(self) -> frozenset[int]:
        """The `id` of each node that an attribute is asked of, or `getattr` looks into."""
        attributes = (site.node for site in self.sites if isinstance(site.node, ast.Attribute))
        calls = (site.node for site in self.sites if isinstance(site.node, ast.Call))
        lookups = (call for call in calls if getattr(call.func, "id", "") in LOOKUPS)
        looked_into = (call.args[0] for call in lookups if call.args)
        return frozenset(map(id, (*(attribute.value for attribute in attributes), *looked_into)))

    @cached_property
    def guarded(self) -> frozenset[int]:
        """The `id` of each import in a `try` that goes on without it."""
        tries = (site.node for site in self.sites if isinstance(site.node, ast.Try))
        caught = (each for each in tries if any(map(_catches_imports, each.handlers)))
        return frozenset(id(statement) for each in caught for statement in each.body)

    @cached_property
    def removals(self) -> frozenset[int]:
        """The `id` of each function that gets a file's plain name: `os.remove("model.pt")`."""
        calls = (site.node for site in self.sites if isinstance(site.node, ast.Call))
        return frozenset(id(call.func) for call in calls if _is_plain_name(call.args))

    def _add_aliases(self) -> None:
        """Follow `Module = nn.Module`: another name for something imported."""
        for site in self.sites:
            node = site.node
            if not isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) or not node.value:
                continue
            path = self.path(node.value, site)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if path and isinstance(target, ast.Name):
                    self.imported.setdefault(target.id, path)


def text_of(node: ast.AST) -> str:
    """The string that a node is, `""` if it is anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _sites(tree: ast.Module) -> Iterator[FlaggedSite]:
    waiting = [FlaggedSite(tree)]
    while waiting:
        site = waiting.pop()
        if site.depth > DEEPEST:
            raise TooDeepError
        yield site
        nodes = [*ast.iter_child_nodes(site.node), *_matched(site.node)]
        waiting += [_inside(site, child) for child in reversed(nodes)]


def _matched(node: ast.AST) -> Iterator[ast.Attribute]:
    """What a class pattern asks for, as an attribute: `case Net(weight=w)` reads `.weight`."""
    if isinstance(node, ast.MatchClass):
        for name in node.kwd_attrs:
            yield ast.copy_location(ast.Attribute(node.cls, name, ast.Load()), node)


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = ast.walk(handler.type) if handler.type else ()
    names = {node.id for node in caught if isinstance(node, ast.Name)}
    return not handler.type or bool(names & {"ImportError", "ModuleNotFoundError", "Exception"})


def _is_plain_name(arguments: list[ast.expr]) -> bool:
    """Whether there is one argument, the name of a file in the working directory."""
    match arguments:
        case [ast.Constant(value=str(name))]:
            return bool(PLAIN_NAME.fullmatch(name))
    return False


def _inside(site: FlaggedSite, child: ast.AST) -> FlaggedSite:
    me, shadowed = site.me, site.shadowed
    if isinstance(child, FUNCTIONS):
        arguments = child.args
        all_of_them = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        names = [argument.arg for argument in all_of_them]
        shadowed = shadowed | frozenset(names)
        if isinstance(site.node, ast.ClassDef) and names:
            me = names[0]
    return FlaggedSite(child, me, shadowed, site.depth + 1)


def _imported(sites: list[FlaggedSite]) -> Iterator[tuple[str, str]]:
    for site in sites:
        node = site.node
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                yield name, alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _own_names(sites: list[FlaggedSite]) -> Iterator[str]:
    for site in sites:
        node, name = site.node, ""
        if isinstance(node, DEFINITIONS):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            is_mine = isinstance(node.value, ast.Name) and node.value.id == site.me
            name = node.attr if is_mine else ""
        elif isinstance(node, ast.Call):
            yield from _registered(node)
        if name.startswith("_"):
            yield name


def _registered(call: ast.Call) -> Iterator[str]:
    """`self.register_buffer("_mask", ...)` and `setattr(self, "_mask", ...)` name it as well."""
    method = call.func
    name = method.attr if isinstance(method, ast.Attribute) else getattr(method, "id", "")
    if name.startswith(("register_", "add_module")) or name in ("setattr", "__setattr__"):
        for argument in call.args[:2]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value
