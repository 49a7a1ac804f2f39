"""Numbers, booleans, signs and comparisons changed."""

from __future__ import annotations

import ast

from verify.mutants.mutant import Changes, change

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


def constants(node: ast.AST) -> Changes:
    """Another number, the other boolean, the other infinity."""
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield change("constant", node, repr(not value))
    elif isinstance(value, int):
        yield change("constant", node, f"({value + 1})")
        yield change("constant", node, f"({value - 1})")
    elif isinstance(value, float):
        yield change("constant", node, f"({value * 2 + (value == 0)!r})")
        yield change("constant", node, f"({value * 0.001 - (value == 0)!r})")
    elif value == "-inf":
        yield change("constant", node, '"inf"')


def signs(node: ast.AST) -> Changes:
    """A sign, an operator or a comparison exchanged.

    1. `-x`, `not x`: without the sign.
    2. `a + b`: another operator; one operand alone; the two exchanged, where order matters.
    3. `a < b`: another comparison.
    4. `a and b`: `or` instead; one condition less.
    5. `a += b`: another operator; `=` instead.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield change("sign", node, node.operand)
    elif isinstance(node, ast.BinOp):
        for other in OPERATORS.get(type(node.op), ()):
            yield change("operator", node, ast.BinOp(node.left, other(), node.right))
        yield change("operand dropped", node, node.left)
        yield change("operand dropped", node, node.right)
        if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
            exchanged = ast.BinOp(node.right, node.op, node.left)
            yield change("operands exchanged", node, exchanged)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for op in COMPARISONS.get(type(node.ops[0]), ()):
            yield change("comparison", node, ast.Compare(node.left, [op()], node.comparators))
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield change("and/or", node, ast.BoolOp(swapped, node.values))
        for i in range(len(node.values)):
            rest = [value for j, value in enumerate(node.values) if j != i]
            kept = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            yield change("condition dropped", node, kept)
    elif isinstance(node, ast.AugAssign):
        other_op = OPERATORS.get(type(node.op), (type(node.op),))[0]
        yield change("operator", node, ast.AugAssign(node.target, other_op(), node.value))
        yield change("assigned instead of added", node, ast.Assign([node.target], node.value))


RULES = (constants, signs)
