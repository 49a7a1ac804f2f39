"""A right answer that a rule rewrites in place, and what rules look for in it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

REGISTERED = ("nn.Parameter", "nn.Buffer")


@dataclass
class AnswerTree:
    """The syntax tree of a file and, in it, the class that answers the exercise.

    Attributes:
        names_matter: whether the exercise prescribes the names of tensors and layers.
    """

    tree: ast.Module
    cls: ast.ClassDef
    names_matter: bool

    @property
    def constructor(self) -> ast.FunctionDef:
        """Its `__init__`."""
        return self.method("__init__")

    @property
    def arguments(self) -> list[ast.arg]:
        """What `__init__` takes besides `self`."""
        return self.constructor.args.args[1:]

    @property
    def methods(self) -> list[ast.FunctionDef]:
        """All methods in order."""
        return [node for node in self.cls.body if isinstance(node, ast.FunctionDef)]

    @property
    def helpers(self) -> list[ast.FunctionDef]:
        """The methods besides `__init__` and `forward`."""
        return [method for method in self.methods if method.name not in ("__init__", "forward")]

    def method(self, name: str) -> ast.FunctionDef:
        """The method of that name."""
        return next(method for method in self.methods if method.name == name)

    def assigned(self) -> Iterator[tuple[ast.Assign, str]]:
        """Each `self.name = value` of `__init__`, with the name."""
        for node in ast.walk(self.constructor):
            if isinstance(node, ast.Assign) and (name := attribute_of_self(node.targets[0])):
                yield node, name

    def attributes(self) -> list[str]:
        """The names of all that `__init__` assigns or registers as a buffer."""
        registered = [
            node.args[0].value
            for node in ast.walk(self.constructor)
            if isinstance(node, ast.Call)
            and called_name(node) == "self.register_buffer"
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ]
        return [*registered, *(name for _, name in self.assigned())]

    def before_the_class(self, code: str) -> None:
        """Put statements right before the class."""
        at = self.tree.body.index(self.cls)
        self.tree.body[at:at] = ast.parse(code).body

    def class_before(self, code: str) -> ast.ClassDef:
        """Put another class right before the class, and give it to be filled."""
        self.before_the_class(code)
        other = self.tree.body[self.tree.body.index(self.cls) - 1]
        assert isinstance(other, ast.ClassDef)
        return other


Rule = Callable[[AnswerTree], bool]  # whether there was anything to rewrite


def attribute_of_self(node: ast.AST) -> str:
    """The name in `self.name`; empty if it is something else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "self" else ""
    return ""


def called_name(node: ast.AST) -> str:
    """The function that a call calls, as text; empty if it is no call."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def is_layer(node: ast.AST) -> bool:
    """Whether it builds a module of `torch.nn`."""
    return called_name(node).startswith("nn.") and called_name(node) not in REGISTERED


def expression(code: str) -> ast.expr:
    """The node of an expression."""
    return ast.parse(code, mode="eval").body


def replace_nodes(root: ast.AST, new: Callable[[ast.AST], ast.AST | list[ast.stmt] | None]) -> bool:
    """Put `new(node)`, where it is not None, in place of each node below `root`."""
    replacer = _Replacer(new)
    replacer.generic_visit(root)
    return replacer.has_replaced


class _Replacer(ast.NodeTransformer):
    def __init__(self, new: Callable[[ast.AST], ast.AST | list[ast.stmt] | None]) -> None:
        self.new, self.has_replaced = new, False

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        other = self.new(node)
        self.has_replaced |= other is not None
        return node if other is None else other
