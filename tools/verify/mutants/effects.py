"""What a call does besides its numbers: to dtypes, and to the default device."""

from __future__ import annotations

import ast

from verify.mutants.mutant import Changes, TreeChange, TreeEdit


def changed_dtypes(forward: ast.AST) -> Changes:
    """An attribute that the call turns into 64-bit floats, as far as it is a buffer."""
    if _is_forward(forward):
        read = (node for node in ast.walk(forward) if isinstance(node, ast.Attribute))
        for name in dict.fromkeys(ast.unparse(node) for node in read):
            if name.startswith("self.") and name.count(".") == 1:
                yield _before(forward, "dtype changed", f"{name} = {name}.double()")


def default_device(forward: ast.AST) -> Changes:
    """The default device of the program, as the call leaves it."""
    if _is_forward(forward):
        yield _before(forward, "default device", 'torch.set_default_device("cuda")')


def _is_forward(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "forward"


def _before(forward: ast.AST | None, rule: str, statement: str) -> TreeChange:
    """The statement before the last one of `forward`, which returns."""
    assert isinstance(forward, ast.FunctionDef)
    last = forward.body[-1]
    return TreeChange(rule, (TreeEdit(last, f"{statement}\n{ast.unparse(last)}"),))


RULES = (changed_dtypes, default_device)
