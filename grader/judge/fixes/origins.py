"""Where the values of a tensor come from that a constructor makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate, zip_longest

from grader.judge.fixes.expressions import called_name, draws
from grader.judge.fixes.placing import FACTORIES, LAYERS
from grader.judge.fixes.source_file import Function

# Which arguments of factories become values of the tensor; all others are sizes.
_ALL = ("as_tensor", "asarray", "scalar_tensor", "sparse_coo_tensor", "tensor")
_VALUED = {
    **dict.fromkeys((*FACTORIES, *LAYERS), slice(0)),
    **dict.fromkeys(_ALL, slice(None)),
    "full": slice(1, None),
    "linspace": slice(2),
    "logspace": slice(2),
}
_NAMED = ("data", "obj", "fill_value", "start", "end")
_ASKED = {"shape", "device", "dtype", "ndim", "len", "size", "dim", "numel"}
_FORMS = {"to", "type", "view", "reshape", "expand", "repeat", "unsqueeze", "squeeze", "transpose",
          "permute", "zeros_like", "ones_like", "empty_like"}  # fmt: skip
_FILLS = ("_", "append", "extend", "insert", "update")  # `fill_`, and methods of containers


def may_differ(value: ast.expr, function: Function | None) -> bool:
    """Whether its values are drawn, or come from an argument that is more than a size.

    1. All that flows into it: what binds its names in the function, the names in that, and so on.
    2. The arguments among those names, except where only a shape, device or dtype is asked for.
    3. An argument that a layer or a factory such as `torch.ones` is given is a size; so is an
       integer, unless a factory such as `torch.tensor` takes it for a value.
    """
    if function is None:
        return draws(value)
    flows, read = _flows(value, function)
    given = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} - {"self"}
    sizes = _sizes(function)
    values = (path for path in read if not sizes.intersection(_prefixes(path)))
    return any(map(draws, flows)) or any(path.split(".")[0] in given for path in values)


def values_read(value: ast.expr, function: Function) -> set[str]:
    """The names and paths whose values go into it, itself or through what binds other names."""
    return _flows(value, function)[1]


def _flows(value: ast.expr, function: Function) -> tuple[list[ast.AST], set[str]]:
    """All expressions that flow into it, and the names and paths that these read."""
    flows: list[ast.AST] = [value]
    bindings, read = list(bound_in(function)), set[str]()
    for node in flows:  # grows as it goes
        read |= {*_read(node)}
        names = {part for path in read for part in _prefixes(path)}
        flows += [made for bound, made in bindings if bound & names and made not in flows]
    return flows, read


def _prefixes(path: str) -> set[str]:
    """`a`, `a.b` and `a.b.c` of `a.b.c`."""
    return {*accumulate(path.split("."), "{}.{}".format)} - {"self"}


def _read(node: ast.AST) -> Iterator[str]:
    """The names and dotted paths whose values go into a tensor, not only their shape or dtype."""
    name = called_name(node)
    if {name, getattr(node, "attr", "")} & _ASKED or getattr(node, "arg", "") in _ASKED:
        return
    text = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    if text.replace(".", "_").isidentifier():
        yield text
        return
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.Call) and name in {*_VALUED, *_FORMS}:
        children = iter((node.func, *_values_of(node)))
    for child in children:
        yield from _read(child)


def _values_of(call: ast.AST) -> tuple[ast.AST, ...]:
    """The arguments of a factory that become values of the tensor."""
    at = _VALUED.get(called_name(call), slice(0))
    named = (keyword for keyword in getattr(call, "keywords", ()) if at != slice(0))
    return (*getattr(call, "args", [])[at], *(k for k in named if k.arg in _NAMED))


def _sizes(function: Function) -> set[str]:
    """What is handed to layers and factories for a size, and integers that are no values."""
    sized, valued = set[str](), set[str]()
    for call in (node for node in ast.walk(function) if called_name(node) in _VALUED):
        for argument in ast.iter_child_nodes(call):
            (valued if argument in _values_of(call) else sized).update(_read(argument))
    return sized | ({*_integers(function.args)} - valued)


def _integers(arguments: ast.arguments) -> Iterator[str]:
    """Those that are annotated as one, or whose default is one: `n: int`, `n=8`."""
    in_order = (arguments.posonlyargs + arguments.args)[::-1]
    pairs = [*zip_longest(in_order, arguments.defaults[::-1])]
    pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for argument, default in pairs:
        is_annotated = ast.unparse(argument).partition(": ")[2].split(" ")[0] in ("int", "bool")
        if is_annotated or isinstance(getattr(default, "value", None), int):
            yield argument.arg


def bound_in(function: Function) -> Iterator[tuple[set[str], ast.AST]]:
    """The names and attributes that a statement, loop or filling method binds, and to what."""
    for node in ast.walk(function):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        made = getattr(node, "value", None) or getattr(node, "iter", None)
        if isinstance(node, ast.withitem):
            targets, made = [node.optional_vars], node.context_expr
        elif isinstance(node, ast.Call) and called_name(node).endswith(_FILLS):
            targets, made = [getattr(node.func, "value", None)], node
        parts = [part for target in targets if target for part in ast.walk(target)]
        names = {ast.unparse(p) for p in parts if isinstance(p, ast.Name | ast.Attribute)}
        if made is not None and names:
            yield names - {"self"}, made
