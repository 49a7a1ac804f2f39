"""What a module registers, registered otherwise, not at all, or twice."""

from __future__ import annotations

import ast

from verify.mutants.mutant import Changes, TreeChange, TreeEdit, change

CONTAINERS = {
    "ModuleList": "list",
    "ModuleDict": "dict",
    "ParameterList": "list",
    "ParameterDict": "dict",
}


def buffers(node: ast.AST) -> Changes:
    """A registered buffer as an attribute, as a Parameter, saved or not."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return
    if call.func.attr != "register_buffer" or len(call.args) < 2:
        return
    name, value = call.args[0], ast.unparse(call.args[1])
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        yield change("buffer to attribute", node, f"self.{name.value} = {value}")
        yield change("buffer to Parameter", node, f"self.{name.value} = nn.Parameter({value})")
        frozen = f"self.{name.value} = nn.Parameter({value}, requires_grad=False)"
        yield change("buffer to frozen Parameter", node, frozen)
    if not call.keywords:
        unsaved = [ast.keyword("persistent", ast.Constant(False))]
        yield change("persistent=False added", call, ast.Call(call.func, call.args, unsaved))


def parameters(node: ast.AST) -> Changes:
    """A Parameter as a buffer, as a plain tensor, frozen, or moved once more."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in (
        "nn.Parameter",
        "nn.Buffer",
    ):
        return
    other = "Buffer" if ast.unparse(node.func) == "nn.Parameter" else "Parameter"
    function = ast.Attribute(ast.Name("nn", ast.Load()), other, ast.Load())
    yield change(f"to {other}", node, ast.Call(function, node.args, []))
    if node.args:
        yield change("to a plain tensor", node, node.args[0])
    if other == "Buffer":
        frozen = [ast.keyword("requires_grad", ast.Constant(False))]
        yield change("frozen", node, ast.Call(node.func, node.args, frozen))
        yield change("cloned", node, f"{ast.unparse(node)}.clone()")


def layers(node: ast.AST) -> Changes:
    """A layer hidden in a list, in plain sight of the code that calls it."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return
    function = node.value.func
    if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != "nn":
        return
    if function.attr in CONTAINERS:
        plain = ast.Call(ast.Name(CONTAINERS[function.attr], ast.Load()), node.value.args, [])
        yield change("container to " + CONTAINERS[function.attr], node.value, plain)
    elif function.attr not in ("Parameter", "Buffer"):
        target = node.targets[0]
        if isinstance(target, ast.Attribute):
            hidden = f'object.__setattr__(self, "{target.attr}", {ast.unparse(node.value)})'
            yield change("layer not registered", node, hidden)
            frozen = f"{ast.unparse(node)}.requires_grad_(False)"
            yield change("layer frozen", node, frozen)


def shared(cls: ast.AST) -> Changes:
    """One tensor or layer under two names, or in all places of a container."""
    for node in ast.walk(cls):
        if isinstance(node, ast.GeneratorExp | ast.ListComp) and len(node.generators) == 1:
            names, values = _clause(node.generators[0])
            element = ast.unparse(node.elt)
            one = f"[[{element} for {names} in {values}][0]] * len(list({values}))"
            yield change("one for all places", node, one)
        elif isinstance(node, ast.DictComp) and len(node.generators) == 1:
            names, values = _clause(node.generators[0])
            key, value = ast.unparse(node.key), ast.unparse(node.value)
            loop = f"for {names} in {values}"
            one = f"dict.fromkeys([{key} {loop}], [{value} {loop}][0])"
            yield change("one for all places", node, one)
    if isinstance(cls, ast.ClassDef):
        yield from _same_twice(cls)


def _same_twice(cls: ast.ClassDef) -> Changes:
    made = [
        node
        for node in ast.walk(cls)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.targets[0]).startswith("self.")
    ]
    for i, first in enumerate(made):
        for second in made[i + 1 :]:
            alike = isinstance(first.value, ast.Call) and isinstance(second.value, ast.Call)
            if alike and ast.unparse(first.value.func) == ast.unparse(second.value.func):  # type: ignore[attr-defined]
                yield TreeChange(
                    "one under two names", (TreeEdit(second.value, ast.unparse(first.targets[0])),)
                )


def _clause(generator: ast.comprehension) -> tuple[str, str]:
    return ast.unparse(generator.target), ast.unparse(generator.iter)


RULES = (buffers, parameters, layers, shared)
