"""Changes that a rubric permits by itself: a tensor registered otherwise, or of a listed dtype.

An author need not list such a mutant as equivalent.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from grader.schema import Rubric
from verify.mutants.mutant import Mutant

BY_ITSELF = "the rubric permits both"


class Registration(NamedTuple):
    """A line that registers a tensor which is not trained.

    Attributes:
        name: the attribute.
        value: its value as source text, without a dtype.
        dtype: as source text, `""` if the value does not name it.
        kind: `buffer`, or a frozen `Parameter`.
        saved: whether a checkpoint holds it.
    """

    name: str
    value: str
    dtype: str
    kind: str
    saved: bool


def permitted(rubric: Rubric, mutant: Mutant) -> bool:
    """Whether a rubric accepts what a mutant registers, as it accepts what the answer registers.

    The mutant may still be wrong elsewhere: `self.count = self.count + 1` fails with a Parameter.

    1. A buffer or a frozen Parameter: where the tensor's role is `constant` or `saved`, or the
       rubric does not ask for it.
    2. Saved or not: where no points are for `state_dict`.
    3. Another dtype: where the rubric lists several.

    So is a result without a gradient, where nobody trains through it.
    """
    if mutant.rule == "detach() added" and not rubric.differentiable:
        return True
    _, *lines = mutant.edit
    before, after = (_registration(line) for line in (mutant.before, mutant.after))
    if len(lines) != 3 or not before or not after or before[:2] != after[:2]:
        return False
    asked = next((tensor for tensor in rubric.tensors if tensor.name == before.name), None)
    if before.kind != after.kind and asked and asked.role not in ("constant", "saved"):
        return False
    if before.saved != after.saved and "state_dict" in rubric.points:
        return False
    return before.dtype == after.dtype or bool(asked and len(asked.dtypes) > 1)


def _registration(line: str) -> Registration | None:
    try:
        tree = ast.parse(line)
    except SyntaxError:  # such as the head of a block
        return None
    match tree.body:
        case [ast.Expr(ast.Call(ast.Attribute(_, "register_buffer"), [first, value], keywords))]:
            name, kind = getattr(first, "value", ""), "buffer"
        case [ast.Assign([ast.Attribute(_, name)], ast.Call(function, [value], keywords))]:
            kind = ast.unparse(function).removeprefix("nn.").replace("Buffer", "buffer")
        case _:
            return None
    options = {keyword.arg: ast.unparse(keyword.value) for keyword in keywords}
    is_frozen = kind == "Parameter" and options.get("requires_grad") == "False"
    if not name or not (is_frozen or kind == "buffer"):
        return None
    dtype = _take_dtype(value)
    return Registration(name, ast.unparse(value), dtype, kind, options.get("persistent") != "False")


def _take_dtype(value: ast.expr) -> str:
    """The dtype that a call names, which is taken out of the call."""
    named = [k for k in value.keywords if k.arg == "dtype"] if isinstance(value, ast.Call) else []
    for keyword in named:
        value.keywords.remove(keyword)  # type: ignore[attr-defined]
    return "".join(ast.unparse(keyword.value) for keyword in named)
