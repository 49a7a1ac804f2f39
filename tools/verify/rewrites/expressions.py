"""The same numbers computed in another way."""

from __future__ import annotations

import ast

from verify.rewrites.answer import (
    AnswerTree,
    attribute_of_self,
    called_name,
    expression,
    replace_nodes,
)

IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}


def einsum(answer: AnswerTree) -> bool:
    """`torch.einsum` for `@`."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.MatMult):
            return None
        left, right = ast.unparse(node.left), ast.unparse(node.right)
        return expression(f'torch.einsum("...ij,...jk->...ik", {left}, {right})')

    return replace_nodes(answer.cls, new)


def in_place(answer: AnswerTree) -> bool:
    """A method that works in place on the new tensor that a difference makes."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.BinOp) or type(node.op) not in IN_PLACE:
            return None
        left = node.left
        if not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Sub):
            return None
        method, other = IN_PLACE[type(node.op)], ast.unparse(node.right)
        return expression(f"({ast.unparse(left)}).{method}({other})")

    return replace_nodes(answer.method("forward"), new)


def functional_calls(answer: AnswerTree) -> bool:
    """`torch.func.functional_call` for the call of a layer."""
    layers = {name for node, name in answer.assigned() if called_name(node.value) == "nn.Linear"}

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call) or attribute_of_self(node.func) not in layers:
            return None
        layer, given = ast.unparse(node.func), ", ".join(map(ast.unparse, node.args))
        return expression(
            f"torch.func.functional_call({layer}, dict({layer}.named_parameters()), ({given},))"
        )

    return replace_nodes(answer.cls, new)


def functional_linear(answer: AnswerTree) -> bool:
    """`nn.functional.linear` for the call of a layer."""
    layers = {name for node, name in answer.assigned() if called_name(node.value) == "nn.Linear"}

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call) or attribute_of_self(node.func) not in layers:
            return None
        layer, given = ast.unparse(node.func), ", ".join(map(ast.unparse, node.args))
        return expression(f"nn.functional.linear({given}, {layer}.weight, {layer}.bias)")

    return replace_nodes(answer.cls, new)


def moved_after_creation(answer: AnswerTree) -> bool:
    """`.to(device)` for `device=`, outside of the constructor."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call) or not called_name(node).startswith("torch."):
            return None
        device = next((keyword for keyword in node.keywords if keyword.arg == "device"), None)
        if device is None:
            return None
        others = [keyword for keyword in node.keywords if keyword is not device]
        made = ast.unparse(ast.Call(node.func, node.args, others))
        return expression(f"{made}.to({ast.unparse(device.value)})")

    changed = [replace_nodes(method, new) for method in answer.methods if method.name != "__init__"]
    return any(changed)


def device_object(answer: AnswerTree) -> bool:
    """`torch.device(...)` around every device."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.keyword) or node.arg != "device":
            return None
        return ast.keyword("device", expression(f"torch.device({ast.unparse(node.value)})"))

    changed = [replace_nodes(method, new) for method in answer.methods if method.name != "__init__"]
    return any(changed)


RULES = (einsum, in_place, functional_calls, functional_linear, moved_after_creation, device_object)
