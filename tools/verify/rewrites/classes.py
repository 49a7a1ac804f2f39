"""The same class put together in another way."""

from __future__ import annotations

import ast

from verify.rewrites.answer import (
    AnswerTree,
    attribute_of_self,
    called_name,
    expression,
    replace_nodes,
)


def base_class(answer: AnswerTree) -> bool:
    """All but `forward` in a base class."""
    forward = answer.method("forward")
    base = answer.class_before("class Base(nn.Module): pass")
    base.body = [node for node in answer.cls.body if node is not forward]
    answer.cls.body, answer.cls.bases = [forward], [expression("Base")]
    return True


def mixin(answer: AnswerTree) -> bool:
    """The helpers, or `forward` where there is none, in a mixin."""
    moved = answer.helpers or [answer.method("forward")]
    answer.class_before("class Mixin: pass").body = list(moved)
    answer.cls.body = [node for node in answer.cls.body if node not in moved]
    answer.cls.bases.insert(0, expression("Mixin"))
    return True


def forward_by_another_name(answer: AnswerTree) -> bool:
    """`forward = run`."""
    answer.method("forward").name = "run"
    answer.cls.body += ast.parse("forward = run").body
    return True


def super_later(answer: AnswerTree) -> bool:
    """`super().__init__()` after the statements that touch neither a tensor nor a layer."""
    body = answer.constructor.body
    first = next(node for node in body if ast.unparse(node) == "super().__init__()")
    plain = [node for node in body if isinstance(node, ast.Assign) and _is_plain(node.value)]
    plain = [node for node in plain if body.index(node) < _first_registration(answer)]
    if not plain:
        return False
    for node in plain:
        body.remove(node)
    at = body.index(first)
    body[at:at] = plain
    return True


def super_with_arguments(answer: AnswerTree) -> bool:
    """`super(Answer, self).__init__()`, as before Python 3."""

    def new(node: ast.AST) -> ast.AST | None:
        is_super = ast.unparse(node) == "super()" if isinstance(node, ast.Call) else False
        return expression(f"super({answer.cls.name}, self)") if is_super else None

    return replace_nodes(answer.constructor, new)


def base_by_name(answer: AnswerTree) -> bool:
    """`nn.Module.__init__(self)`."""

    def new(node: ast.AST) -> ast.AST | None:
        is_call = isinstance(node, ast.Call) and ast.unparse(node) == "super().__init__()"
        return expression("nn.Module.__init__(self)") if is_call else None

    return replace_nodes(answer.constructor, new)


def config_of_arguments(answer: AnswerTree) -> bool:
    """The arguments gathered in a dataclass, which the module keeps."""
    names = [argument.arg for argument in answer.arguments]
    if not names:
        return False
    fields = "\n".join(f"    {name}: object" for name in names)
    answer.before_the_class(
        f"from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Config:\n{fields}"
    )
    _read_from(answer, "self.config")
    given = ", ".join(names)
    answer.constructor.body[1:1] = ast.parse(f"self.config = Config({given})").body
    return True


def dataclass_module(answer: AnswerTree) -> bool:
    """A module that is a dataclass: its fields are the arguments, its body `__post_init__`."""
    names = [argument.arg for argument in answer.arguments]
    if not names or set(answer.attributes()) & set(names):
        return False
    defaults = dict(zip(reversed(names), reversed(answer.constructor.args.defaults), strict=False))
    fields = ""
    for name in names:
        default = f" = {ast.unparse(defaults[name])}" if name in defaults else ""
        fields += f"{name}: object{default}\n"
    _read_from(answer, "self")
    constructor = answer.constructor
    constructor.name, constructor.args.args = "__post_init__", constructor.args.args[:1]
    constructor.args.defaults = []
    answer.cls.body[1:1] = ast.parse(fields).body
    answer.cls.decorator_list.append(expression("dataclass(eq=False)"))
    answer.before_the_class("from dataclasses import dataclass")
    return True


def type_hints(answer: AnswerTree) -> bool:
    """A type hint in the class for each attribute."""
    hints = "".join(f"{name}: object\n" for name in answer.attributes())
    answer.cls.body[1:1] = ast.parse(hints).body
    return bool(hints)


def annotated_assignments(answer: AnswerTree) -> bool:
    """A type hint at each assignment to an attribute."""

    def new(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Assign) or not attribute_of_self(node.targets[0]):
            return None
        target = node.targets[0]
        assert isinstance(target, ast.Attribute)
        return ast.AnnAssign(target, expression("object"), node.value, 0)

    return replace_nodes(answer.constructor, new)


def compiled(answer: AnswerTree) -> bool:
    """`@torch.compile` on `forward`."""
    answer.method("forward").decorator_list.append(expression("torch.compile"))
    return True


def compiled_with_options(answer: AnswerTree) -> bool:
    """`@torch.compile(...)` on every method but the constructor."""
    for method in answer.methods:
        if method.name != "__init__":
            method.decorator_list.append(expression("torch.compile(dynamic=True)"))
    return True


def _read_from(answer: AnswerTree, owner: str) -> None:
    """Read the constructor's arguments from attributes of `owner`."""
    names = {argument.arg for argument in answer.arguments}

    def new(node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            return expression(f"{owner}.{node.id}")
        return None

    for statement in answer.constructor.body:
        replace_nodes(statement, new)


def _is_plain(value: ast.expr) -> bool:
    calls = [called_name(node) for node in ast.walk(value) if isinstance(node, ast.Call)]
    return not any(call.startswith(("nn.", "torch.", "self.")) for call in calls)


def _first_registration(answer: AnswerTree) -> int:
    """Where the first statement stands that is not plain."""
    for at, node in enumerate(answer.constructor.body[1:], 1):
        if not isinstance(node, ast.Assign) or not _is_plain(node.value):
            return at
    return len(answer.constructor.body)


RULES = (
    base_class,
    mixin,
    forward_by_another_name,
    super_later,
    super_with_arguments,
    base_by_name,
    config_of_arguments,
    dataclass_module,
    type_hints,
    annotated_assignments,
    compiled,
    compiled_with_options,
)
