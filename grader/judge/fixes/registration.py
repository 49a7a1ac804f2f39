"""The text of a registration, and of the tensor in it."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.expressions import (
    called_name,
    draws,
    is_chosen,
    moves_only,
    parameters,
    without_devices,
)
from grader.judge.fixes.fix import Context
from grader.judge.fixes.origins import values_read
from grader.judge.fixes.source_file import CodeSite, Function
from grader.schema import TensorFact

WRAPPERS = ("Parameter", "Buffer")
UNSAVED = ", persistent=False)"
ATTRIBUTE = re.compile(r"self\.([A-Za-z_]\w*)$")


def tensor_of(context: Context, value: ast.expr) -> str:
    """The text of the tensor itself, on the CPU, out of `nn.Parameter(…)` and such."""
    site = context.code.site(value.lineno)
    text = _inner_text(context, value, site.function if site else None)
    return text.removesuffix(".requires_grad_()")


def _inner_text(context: Context, value: ast.expr, function: Function | None) -> str:
    inner, move = value, ""
    while moves_only(inner) or _gives_plain_tensor(inner):
        if function and isinstance(inner, ast.Call) and is_chosen(inner, parameters(function)):
            move = context.code.segment(inner)[len(context.code.segment(inner.func)) :]
        inner = getattr(inner, "func", inner).value  # type: ignore[union-attr]
    if isinstance(inner, ast.Call) and inner.args and is_wrapper(inner):
        return f"{without_devices(context.code, inner.args[0], function)}{move and f'.to{move}'}"
    return without_devices(context.code, value, function)


def _gives_plain_tensor(node: ast.AST) -> bool:
    """Whether it is `x.data`, `x.detach()` or `x.clone()`."""
    name = called_name(node) or f".{getattr(node, 'attr', '')}"
    return name in (".data", "detach", "clone") and not getattr(node, "args", ())


def is_wrapper(call: ast.Call) -> bool:
    return called_name(call) in WRAPPERS


def buffer(path: str, value: str, *, saved: bool = True) -> str:
    holder, _, name = path.rpartition(".")
    return f'{holder}.register_buffer("{name}", {value}{")" if saved else UNSAVED}'


def parameter(context: Context, path: str, value: str) -> str:
    return f"{path} = {context.nn}.Parameter({value})"


def sources_of(value: ast.expr, site: CodeSite, context: Context) -> list[TensorFact]:
    """The Parameters and saved buffers whose values go into it, which a checkpoint replaces."""
    read = values_read(value, site.function) if site.function else ()
    facts = context.evidence.tensors
    return [f for f in facts if f.role != "plain" and f.persistent and f.path in read]


def computed_from(path: str, site: CodeSite, value: ast.expr, context: Context) -> str:
    """Words for a tensor that has to follow others; `""` if it can be saved next to them."""
    sources = sources_of(value, site, context)
    if context.rubric is None:
        sources = [source for source in sources if source.requires_grad]
    if not sources or context.expected_tensor(path):
        return ""
    names = " and ".join(f"`{source.path}`" for source in sources)
    why = "a checkpoint or a step of training gives that other values"
    return f"Compute it from {names} in each call: {why}"


def not_as_asked(fact: TensorFact, value: ast.expr, context: Context) -> str:
    """Words for a tensor that the exercise has not, or not so; `""` if it may be registered so.

    1. Numbers that are to be drawn in each call.
    2. The exercise has it in another dtype.
    3. It takes the place of one that the exercise has under another name.
    """
    rubric, expected = context.rubric, context.expected_tensor(fact.path)
    if rubric and rubric.random_outputs and draws(value):
        return "Draw it in each call, on the device of what it meets"
    if expected and fact.dtype not in expected.dtypes:
        role = "Parameter" if expected.role == "parameter" else "buffer"
        return f"Register it as it is asked for: as a {role} of {expected.dtypes[0]}"
    missing = () if expected or fact.requires_grad else context.missing(trained=False)
    names = " or ".join(f"`{name}`" for name in missing)
    return f"Register it under the name that the exercise has: {names}" if names else ""
