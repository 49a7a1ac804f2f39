"""Where a learner's code names a device, and a tensor in scope that has the right one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.judge.fixes.source_file import CodeSite, Function, SourceFile, Span
from grader.schema import Evidence

_PATH = re.compile(r"self(\.[A-Za-z_]\w*)+$")
Replacement = tuple[Span, str]
_NO_MODULES = {"object", "ABC", "Function", "NamedTuple", "Protocol", "Generic"}
OPTIONS = ("requires_grad", "persistent")  # of what a registration says by itself
_REGISTRATIONS = ("register_buffer", "register_parameter", "register_module", "add_module")


def parameters(function: Function | ast.Lambda) -> list[str]:
    """The names of a function's parameters, but `self`."""
    return [argument.arg for argument in _arguments(function) if argument.arg != "self"]


def _is_stored(node: ast.Name | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def module_classes(code: SourceFile, site: CodeSite) -> list[ast.ClassDef]:
    """The class of the method around a statement, and its bases in the file, if it is a module.

    One that inherits nothing, or only what makes no module, has attributes of another kind.
    """
    arguments = site.function.args.args if site.function else []
    if site.owner is None or not arguments or arguments[0].arg != "self":
        return []
    classes = code.chain(site.owner.name)
    bases = {ast.unparse(base).rpartition(".")[2] for cls in classes for base in cls.bases}
    return classes if bases - {cls.name for cls in classes} - _NO_MODULES else []


def device_here(code: SourceFile, site: CodeSite, evidence: Evidence, *, own: bool = False) -> str:
    """An expression for the device that the module's inputs are on; `""` if none is in scope.

    In `__init__`, or outside of a function, there is none. Else the first of these that exists: an
    argument that is annotated as a Tensor; one whose shape or device the function asks for; a
    registered tensor of the class.

    Args:
        code: the file.
        site: the statement that needs it.
        evidence: the facts of the module.
        own: take a tensor of the module's, since its inputs may not have been moved yet.
    """
    function = site.function
    if function is None or function.name == "__init__":
        return ""
    names = parameters(function)
    tensors = (argument.arg for argument in _arguments(function) if _is_tensor(code, argument))
    asked = (name for name in _names_asked_for_size(function) if name in names)
    from_input = () if own else (f"{name}.device" for name in (*tensors, *asked))
    return next(iter(from_input), "") or registered_device(code, site, evidence)


def _arguments(function: Function | ast.Lambda) -> tuple[ast.arg, ...]:
    arguments = function.args
    return (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)


def _is_tensor(code: SourceFile, argument: ast.arg) -> bool:
    return argument.annotation is not None and code.segment(argument.annotation).endswith("Tensor")


def _names_asked_for_size(node: ast.AST) -> Iterator[str]:
    """The names whose `.shape`, `.device` or `.size()` is asked for in `node`."""
    for child in ast.walk(node):
        is_asked = isinstance(child, ast.Attribute) and child.attr in ("shape", "device", "size")
        receiver = getattr(child, "value", None)
        if is_asked and isinstance(receiver, ast.Name) and receiver.id != "self":
            yield receiver.id


def registered_device(code: SourceFile, site: CodeSite, evidence: Evidence) -> str:
    """The device of a registered tensor that the statement's own class binds."""
    owners = module_classes(code, site)
    assigned = {name for owner in owners for name in bindings(owner)}
    by_name = {name for owner in owners for name in registrations(owner)}
    unsure = {name.removeprefix("self.") for name in may_be_none(site)}
    optional = _optional(evidence)
    registered = [f for f in evidence.tensors if f.role != "plain" and f.name not in optional]
    paths = [fact.path for fact in registered if _PATH.match(fact.path)]
    for bound in (assigned - unsure, by_name - unsure - {*registrations(site.statement)}):
        bound_paths = [path for path in paths if path.split(".")[1] in bound]
        if bound_paths:
            return f"{min(bound_paths, key=_plainness)}.device"
    return ""


def may_be_none(site: CodeSite) -> set[str]:
    """The arguments around a statement, and the attributes of its class, that may be None."""
    found = set[str]()
    for node in ast.walk(site.owner or site.statement):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            found.add(ast.unparse(node.left))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and _is_none(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {ast.unparse(target) for target in targets}
        elif called_name(node) in _REGISTRATIONS and _is_none(node.args[-1]):  # type: ignore[attr-defined]
            found |= {f"self.{name}" for name in registrations(node)}
    return found | (_optional_arguments(site.function) if site.function else set())


def _optional_arguments(function: Function) -> set[str]:
    arguments = function.args
    in_order = [*arguments.posonlyargs, *arguments.args]
    late = zip(in_order[::-1], arguments.defaults[::-1], strict=False)
    pairs = (*late, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    return {argument.arg for argument, default in pairs if _is_none(default)}


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _optional(evidence: Evidence) -> set[str]:
    """The names of tensors that an instance built with other arguments does not have."""
    other = evidence.first_calls.other if evidence.first_calls else None
    if other is None or (other.run.raised and not other.state):
        return set()
    return {fact.name for fact in evidence.tensors} - {entry.name for entry in other.state}


def _plainness(path: str) -> tuple[int, bool, int]:
    """A layer's weight is what people ask first."""
    return path.count("."), not path.endswith("weight"), len(path)


def bindings(owner: ast.AST) -> Iterator[str]:
    """The attributes of `self` that a class assigns."""
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and _is_stored(node):
            yield node.attr


def registrations(owner: ast.AST) -> Iterator[str]:
    """The attributes of `self` that a class registers by name."""
    for node in ast.walk(owner):
        if isinstance(node, ast.Call) and called_name(node) in _REGISTRATIONS:
            named = (keyword.value for keyword in node.keywords if keyword.arg == "name")
            names = (*node.args[:1], *named)
            yield from (str(name.value) for name in names if isinstance(name, ast.Constant))


def called_name(node: ast.AST) -> str:
    """The last part of the name of what a call calls: `randn` of `torch.randn(3)`."""
    function = getattr(node, "func", None)
    return str(getattr(function, "attr", getattr(function, "id", "")))


def calls_in(node: ast.AST, name: str) -> list[ast.Call]:
    """The calls of something called `name`."""
    return [n for n in ast.walk(node) if isinstance(n, ast.Call) and called_name(n) == name]


def constructor_of(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """The `__init__` that the class defines."""
    methods = (node for node in owner.body if isinstance(node, ast.FunctionDef))
    return next((method for method in methods if method.name == "__init__"), None)


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def draws(node: ast.AST) -> bool:
    """Whether something in it draws random numbers, by the names of PyTorch and NumPy."""
    return any(called_name(n).startswith(("rand", "normal")) for n in ast.walk(node))


def without_devices(code: SourceFile, node: ast.expr, function: Function | None = None) -> str:
    """The text of an expression without `.cuda()`, `device="cuda"` and a Parameter's options.

    A device that is an argument of `function` stays: it is the caller's choice.
    """
    chosen = parameters(function) if function else []
    return code.replaced(node, _device_edits(code, node, chosen))


def _device_edits(code: SourceFile, node: ast.AST, chosen: list[str]) -> Iterator[tuple[Span, str]]:
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        if moves_only(call) and not is_chosen(call, chosen):
            yield after_receiver(code, call), ""
        for keyword in call.keywords:
            is_option = keyword.arg in ("device", *OPTIONS)
            if is_option and ast.unparse(keyword.value) not in chosen:
                yield with_comma(code, call, keyword), ""


def is_chosen(move: ast.Call, chosen: list[str]) -> bool:
    """Whether a move goes to what an argument of the function names."""
    arguments = [*move.args, *(keyword.value for keyword in move.keywords)]
    return any(ast.unparse(argument) in chosen for argument in arguments)


def after_receiver(code: SourceFile, call: ast.Call) -> Span:
    """What follows `x` in `x.cuda()`."""
    assert isinstance(call.func, ast.Attribute)
    dot = code.span(call.func)[1] - len(call.func.attr.encode()) - 1
    return dot, code.span(call)[1]


def with_comma(code: SourceFile, call: ast.Call, keyword: ast.keyword) -> Span:
    """From the end of what stands before an argument to the argument's end."""
    begin, end = code.span(keyword)
    ends = [
        code.span(argument)[1]
        for argument in (*call.args, *call.keywords)
        if argument is not keyword
    ]
    return max((end_before for end_before in ends if end_before <= begin), default=begin), end


def moves_only(node: ast.AST) -> bool:
    """Whether it is `x.cuda()`, `x.cpu()`, or `x.to(…)` with a device as its only argument."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in ("cuda", "cpu"):
        return True
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    return node.func.attr == "to" and len(arguments) == 1 and names_device(arguments[0])


def names_device(node: ast.AST) -> bool:
    """Whether an expression looks like a device: a string, `torch.device(…)`, `device`."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str)
    if isinstance(node, ast.IfExp):
        return names_device(node.body)
    text = ast.unparse(node)
    return text.rpartition(".")[2].startswith(("device", "dev")) or text.startswith("torch.device(")
