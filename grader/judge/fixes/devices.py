"""Fixes of a tensor that is made on, or put on, the wrong device."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.code import Place
from grader.judge.fixes.expressions import (
    Replacement,
    called,
    calls_in,
    device_here,
    moves_only,
    parameters,
    registered_device,
    without_devices,
)
from grader.judge.fixes.fix import Fix, Known
from grader.judge.report import Edit, Finding

# Those that take `device=`; `torch.from_numpy`, for one, does not.
FACTORIES = (
    "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "eye", "full",
    "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "ones", "rand",
    "randint", "randn", "randperm", "range", "scalar_tensor", "sparse_coo_tensor", "tensor",
    "tril_indices", "triu_indices", "zeros",
)  # fmt: skip
HERE = "Make it on the device of the input"


def made_here(finding: Finding, known: Known) -> Fix | None:
    """Of what a call makes on the CPU: `device=` of a tensor that is in scope there."""
    place = known.code.place(finding.line)
    if place is None:
        return None
    device = device_here(known.code, place, known.evidence, known.operands(finding))
    edit = device and _given_device(known, place, finding.where.rsplit(".", 1)[-1], device)
    if not edit:
        return None
    return Fix(HERE, (edit, *_made_alike(finding, known, place, device)))


def _given_device(known: Known, place: Place, name: str, device: str) -> Edit | None:
    """The statement with `device=` in every call of `name`."""
    if name not in FACTORIES or _is_torch_shadowed(place, name):
        return None
    changes: list[Replacement] = []
    for call in calls_in(_head_of(place.statement), name):
        given = [each for each in call.keywords if each.arg == "device"]
        if given:
            changes.append((given[0].value, device))
        elif call.args or call.keywords:
            last = max((*call.args, *call.keywords), key=lambda node: known.code.span(node)[1])
            prefix = "**" if isinstance(last, ast.keyword) and last.arg is None else ""
            if prefix:
                return None
            changes.append((last, f"{known.code.segment(last)}, device={device}"))
    return known.code.replaced(place, changes) if changes else None


def _is_torch_shadowed(place: Place, name: str) -> bool:
    calls = calls_in(place.statement, name)
    return any(isinstance(call.func, ast.Attribute) and _is_numpy(call.func) for call in calls)


def _is_numpy(function: ast.Attribute) -> bool:
    return ast.unparse(function.value) in ("np", "numpy", "math", "random")


def _head_of(statement: ast.stmt) -> ast.AST:
    """The part of a compound statement that stands in its head."""
    for name in ("test", "iter"):
        if isinstance(part := getattr(statement, name, None), ast.AST):
            return part
    return statement


def _made_alike(finding: Finding, known: Known, place: Place, device: str) -> list[Edit]:
    """The same for the other calls in this function that lack a `device=`."""
    edits = []
    name = finding.where.rsplit(".", 1)[-1]
    others = known.code.places(place.function) if place.function else ()
    for other in others:
        is_simple = isinstance(other.statement, ast.Assign | ast.Return | ast.AugAssign)
        if other.statement is place.statement or not is_simple:
            continue
        calls = calls_in(other.statement, name)
        if calls and not any(k.arg == "device" for call in calls for k in call.keywords):
            base = device.split(".")[0]
            is_known = base == "self" or base in _bound(place, other)
            if is_known and (edit := _given_device(known, other, name, device)):
                edits.append(edit)
    return edits


def _bound(place: Place, other: Place) -> list[str]:
    names = parameters(place.function) if place.function else []
    return names if other.function is place.function else []


def kept(finding: Finding, known: Known) -> Fix | None:
    """Of a move whose result is dropped: the result under the name that is used."""
    place = known.code.place(finding.line)
    statement = place.statement if place else None
    if place is None or not isinstance(statement, ast.Expr):
        return None
    move = statement.value
    if not isinstance(move, ast.Call) or called(move) not in ("to", "cuda", "cpu"):
        return None
    receiver = move.func.value  # type: ignore[attr-defined]
    if isinstance(receiver, ast.Attribute) and known.fact(ast.unparse(receiver)):
        return None  # a member tensor, which is to be registered
    loop = _loop_over(place, known, receiver)
    if loop is not None:
        return _loop_unrolled(known, loop, move)
    if isinstance(receiver, ast.Name | ast.Attribute) and not _is_loop_variable(
        place, known, receiver
    ):
        text = known.code.segment(move)
        new = f"{known.code.segment(receiver)} = {text}"
        return Fix(
            "Keep the result, under the name that is used", (known.code.rewritten(place, new),)
        )
    return None


def _loop_over(place: Place, known: Known, receiver: ast.expr) -> Place | None:
    """The loop whose whole body is this move of its variable, if it goes through names."""
    for each in known.code.places(place.function):
        loop = each.statement
        if isinstance(loop, ast.For) and loop.body == [place.statement] and not loop.orelse:
            is_its = ast.unparse(loop.target) == ast.unparse(receiver)
            elements = loop.iter.elts if isinstance(loop.iter, ast.Tuple | ast.List) else []
            if is_its and elements and all(isinstance(e, ast.Name) for e in elements):
                return each
    return None


def _loop_unrolled(known: Known, loop: Place, move: ast.Call) -> Fix:
    statement = loop.statement
    assert isinstance(statement, ast.For)
    names = ", ".join(ast.unparse(each) for each in statement.iter.elts)  # type: ignore[attr-defined]
    target, text = ast.unparse(statement.target), known.code.segment(move)
    new = f"{names} = ({text} for {target} in ({names}))"
    before = known.code.segment(statement)
    return Fix(
        "Keep the results, under the names that are used",
        (Edit(statement.lineno, before, new),),
    )


def _is_loop_variable(place: Place, known: Known, receiver: ast.expr) -> bool:
    name = ast.unparse(receiver)
    loops = (each.statement for each in known.code.places(place.function))
    return any(isinstance(s, ast.For) and name in ast.unparse(s.target) for s in loops)


def freed(finding: Finding, known: Known) -> Fix | None:
    """Of a device written into `forward`: the device of the input in its place."""
    place = known.code.place(finding.line)
    if place is None or place.function is None:
        return None
    if place.function.name == "__init__":
        return _left_to_the_module(finding, known, place)
    device = device_here(known.code, place, known.evidence, known.operands(finding))
    changes = _device_changes(known, place, device) if device else []
    if not changes:
        return None
    return Fix(HERE, (known.code.replaced(place, changes),))


def _device_changes(known: Known, place: Place, device: str) -> list[Replacement]:
    changes: list[Replacement] = []
    for node in ast.walk(_head_of(place.statement)):
        if not isinstance(node, ast.Call):
            continue
        if moves_only(node):
            inner = known.code.segment(node.func.value)  # type: ignore[attr-defined]
            is_input = f"{inner}.device" == device
            return [(node, inner if is_input else f"{inner}.to({device})")] if not changes else []
        changes += [(each.value, device) for each in node.keywords if each.arg == "device"]
    return changes


def _left_to_the_module(finding: Finding, known: Known, place: Place) -> Fix | None:
    """Of a registered tensor that the constructor puts on CUDA: without that."""
    fact = known.fact(finding.where)
    if (
        fact is None
        or fact.role == "plain"
        or not isinstance(place.statement, ast.Assign | ast.Expr)
    ):
        return None
    value = place.statement.value
    new = known.code.segment(place.statement).replace(
        known.code.segment(value), without_devices(known.code, value)
    )
    if new == known.code.segment(place.statement):
        return None
    words = "Make it on the CPU; `.to()` of the module takes it along"
    return Fix(words, (known.code.rewritten(place, new),))


def asked_when_needed(finding: Finding, known: Known) -> Fix | None:
    """Of a remembered device, or a remembered tensor: the device is asked for in each call."""
    place = known.code.place(finding.line)
    if place is None or place.function is None:
        return None
    remembered = re.fullmatch(r"self\.\w+", finding.where)
    if not remembered:
        return None
    devices = known.evidence.structure.devices if known.evidence.structure else ()
    audited = known.evidence.audit
    devices += audited.structure.devices if audited and audited.structure else ()
    if any(each.path == finding.where for each in devices):
        return _without_remembered(finding.where, known)
    return _made_again(finding.where, known, place)


def _without_remembered(path: str, known: Known) -> Fix | None:
    edits: list[Edit] = []
    for place in known.code.places():
        uses = _loads(place.statement, path)
        if not uses or place.function is None or _is_block(place.statement):
            continue
        if place.function.name == "__init__":
            continue
        device = device_here(known.code, place, known.evidence)
        if not device:
            return None
        edits.append(known.code.replaced(place, [(use, device) for use in uses]))
    return Fix("Ask for the device where it is needed", tuple(edits)) if edits else None


def _is_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.ClassDef) or bool(
        getattr(statement, "body", None)
    )


def _loads(node: ast.AST, path: str) -> list[ast.Attribute]:
    return [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Load)
        and ast.unparse(each) == path
    ]


def _made_again(path: str, known: Known, place: Place) -> Fix | None:
    """Of a tensor that is kept: made again when the input is on another device."""
    for each in known.code.places(place.function):
        test = each.statement.test if isinstance(each.statement, ast.If) else None
        if test is None or f"{path} is None" not in ast.unparse(test):
            continue
        device = device_here(known.code, each, known.evidence)
        if not device:
            return None
        text = known.code.segment(test)
        text = f"({text})" if _is_and(test) else text
        new = f"{text} or {path}.device != {device}"
        edits = [known.code.replaced(each, [(test, new)])]
        name = _factory_in(place.statement)
        if name and "device" not in ast.unparse(place.statement):
            edit = _given_device(known, place, name, device)
            edits += [edit] if edit else []
        return Fix("Make it again when the input is on another device", tuple(edits))
    return None


def _is_and(test: ast.expr) -> bool:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _factory_in(statement: ast.stmt) -> str:
    names = (called(node) for node in ast.walk(statement) if isinstance(node, ast.Call))
    return next((name for name in names if name in FACTORIES), "")


def moved_first(finding: Finding, known: Known) -> Fix | None:
    """Of an input that nothing moves: moved at the top of the function that takes it."""
    place = known.code.place(finding.line)
    if place is None or place.function is None or finding.where not in parameters(place.function):
        return None
    body = [each for each in place.function.body if not _is_docstring(each)]
    device = registered_device(known.code, place, known.evidence)
    if not body or not device:
        return None
    first = known.code.line(body[0].lineno)
    new = f"{finding.where} = {finding.where}.to({device})"
    edit = Edit(body[0].lineno, first, f"{new}\n{first}")
    return Fix("Move it before it is used", (edit,))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def lengths_on_the_cpu(finding: Finding, known: Known) -> Fix | None:
    """Of the lengths of packed sequences: `.cpu()` for this call alone."""
    place = known.code.place(finding.line)
    calls = calls_in(place.statement, "pack_padded_sequence") if place else []
    if place is None or len(calls) != 1:
        return None
    named = [each.value for each in calls[0].keywords if each.arg == "lengths"]
    lengths = [*calls[0].args[1:2], *named]
    if not lengths:
        return None
    text = known.code.segment(lengths[0])
    edit = known.code.replaced(place, [(lengths[0], f"{text}.cpu()")])
    return Fix("Bring the lengths back for this call", (edit,))
