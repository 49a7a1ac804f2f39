"""Tensors and layers registered in another way."""

from __future__ import annotations

import ast

from verify.rewrites.answer import (
    AnswerTree,
    attribute_of_self,
    called_name,
    expression,
    is_layer,
    replace_nodes,
)

INITIALISERS = {"torch.ones": "nn.init.ones_", "torch.zeros": "nn.init.zeros_"}
CONTAINERS = ("nn.ModuleList", "nn.ModuleDict", "nn.ParameterList", "nn.ParameterDict")


def nn_buffer(answer: AnswerTree) -> bool:
    """`self.mean = nn.Buffer(...)` for `register_buffer`."""

    def new(node: ast.AST) -> ast.AST | None:
        if not _registers_buffer(node):
            return None
        name, value, *_ = _arguments(node)
        options = "".join(f", {ast.unparse(keyword)}" for keyword in _call(node).keywords)
        return ast.parse(f"self.{ast.literal_eval(name)} = nn.Buffer({value}{options})").body[0]

    return replace_nodes(answer.constructor, new)


def register_parameter(answer: AnswerTree) -> bool:
    """`self.register_parameter("weight", ...)` for an assignment."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Assign) or called_name(node.value) != "nn.Parameter":
            return None
        name = attribute_of_self(node.targets[0])
        code = f'self.register_parameter("{name}", {ast.unparse(node.value)})'
        return ast.parse(code).body[0]

    return replace_nodes(answer.constructor, new)


def with_setattr(answer: AnswerTree) -> bool:
    """`setattr(self, "head", ...)` for an assignment."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Assign):
            return None
        name = attribute_of_self(node.targets[0])
        code = f'setattr(self, "{name}", {ast.unparse(node.value)})'
        return ast.parse(code).body[0] if name else None

    return replace_nodes(answer.constructor, new)


def add_module(answer: AnswerTree) -> bool:
    """`self.add_module("head", ...)` for an assignment."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Assign) or not is_layer(node.value):
            return None
        name = attribute_of_self(node.targets[0])
        code = f'self.add_module("{name}", {ast.unparse(node.value)})'
        return ast.parse(code).body[0] if name else None

    return replace_nodes(answer.constructor, new)


def buffers_in_a_loop(answer: AnswerTree) -> bool:
    """One loop that registers all buffers whose options are the default ones."""
    body = answer.constructor.body
    plain = [node for node in body if _registers_buffer(node) and not _call(node).keywords]
    if len(plain) < 2:
        return False
    pairs = ", ".join("{}: {}".format(*_arguments(node)) for node in plain)
    loop = f"for name, tensor in {{{pairs}}}.items(): self.register_buffer(name, tensor)"
    body[body.index(plain[0])] = ast.parse(loop).body[0]
    for node in plain[1:]:
        body.remove(node)
    return True


def layers_in_a_loop(answer: AnswerTree) -> bool:
    """One loop that assigns all layers."""
    body = answer.constructor.body
    made = [node for node in body if isinstance(node, ast.Assign) and is_layer(node.value)]
    if len(made) < 2:
        return False
    pairs = ", ".join(
        f'"{attribute_of_self(node.targets[0])}": {ast.unparse(node.value)}' for node in made
    )
    loop = f"for name, layer in {{{pairs}}}.items(): setattr(self, name, layer)"
    body[body.index(made[-1])] = ast.parse(loop).body[0]
    for node in made[:-1]:
        body.remove(node)
    return True


def initialised_afterwards(answer: AnswerTree) -> bool:
    """`torch.nn.init` fills what `torch.empty` makes."""

    def new(node: ast.AST) -> list[ast.stmt] | None:
        if not isinstance(node, ast.Assign) or called_name(node.value) != "nn.Parameter":
            return None
        value = _call(node).args[0]
        fill = INITIALISERS.get(called_name(value))
        if not fill:
            return None
        target, text = ast.unparse(node.targets[0]), ast.unparse(node.value)
        empty = text.replace(called_name(value), "torch.empty", 1)
        return ast.parse(f"{target} = {empty}\n{fill}({target})").body

    return replace_nodes(answer.constructor, new)


def lazy_linear(answer: AnswerTree) -> bool:
    """`nn.LazyLinear` learns from the first batch how many features there are."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call) or called_name(node) != "nn.Linear":
            return None
        return ast.Call(expression("nn.LazyLinear"), node.args[1:], node.keywords)

    looks_at_weights = "scores.weight" in ast.unparse(answer.cls)
    return not looks_at_weights and replace_nodes(answer.constructor, new)


def parametrised(answer: AnswerTree) -> bool:
    """A parametrisation of a layer's weight, which changes its name."""
    if answer.names_matter:
        return False
    names = [name for node, name in answer.assigned() if called_name(node.value) == "nn.Linear"]
    for name in names:
        code = f'register_parametrization(self.{name}, "weight", nn.Identity())'
        answer.constructor.body += ast.parse(code).body
    answer.before_the_class("from torch.nn.utils.parametrize import register_parametrization")
    return bool(names)


def containers_subclassed(answer: AnswerTree) -> bool:
    """A container of the learner's, which inherits from PyTorch's."""
    used = [
        container for container in CONTAINERS if f"{container}(" in ast.unparse(answer.constructor)
    ]
    for container in used:
        answer.before_the_class(
            f'class My{container.removeprefix("nn.")}({container}):\n    """Named."""'
        )

    def new(node: ast.AST) -> ast.AST | None:
        name = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        return expression(f"My{name.removeprefix('nn.')}") if name in CONTAINERS else None

    return replace_nodes(answer.constructor, new)


def containers_nested(answer: AnswerTree) -> bool:
    """The container in another one, where names are free."""
    made = {name for node, name in answer.assigned() if called_name(node.value) in CONTAINERS}
    if answer.names_matter or not made:
        return False

    def nested(node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.Assign) and attribute_of_self(node.targets[0]) in made:
            node.value = expression(f'nn.ModuleDict({{"inner": {ast.unparse(node.value)}}})')
        if attribute_of_self(node) in made and isinstance(getattr(node, "ctx", None), ast.Load):
            return expression(f'self.{attribute_of_self(node)}["inner"]')
        return None

    return replace_nodes(answer.cls, nested)


def _registers_buffer(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and called_name(node.value) == "self.register_buffer"


def _call(node: ast.AST) -> ast.Call:
    """The call that a statement makes or assigns."""
    assert isinstance(node, ast.Expr | ast.Assign)
    assert isinstance(node.value, ast.Call)
    return node.value


def _arguments(node: ast.AST) -> list[str]:
    return [ast.unparse(argument) for argument in _call(node).args]


RULES = (
    nn_buffer,
    register_parameter,
    with_setattr,
    add_module,
    buffers_in_a_loop,
    layers_in_a_loop,
    initialised_afterwards,
    lazy_linear,
    parametrised,
    containers_subclassed,
    containers_nested,
)
