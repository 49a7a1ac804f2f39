"""Fixes of a tensor that is made on, or put on, the wrong device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.judge.fixes.code import Place
from grader.judge.fixes.expressions import (
    Replacement,
    after_receiver,
    called,
    calls_in,
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
    name = finding.where.rsplit(".", 1)[-1]
    if calls_in(_head_of(place.statement), "from_numpy"):
        name = "from_numpy"
    device = known.device_at(place, known.operands(finding))
    edit = _given_device(known, place, name, device) if device else None
    return Fix(HERE, (edit, *_made_alike(known, place, name, device))) if edit else None


def _given_device(known: Known, place: Place, name: str, device: str) -> Edit | None:
    """The statement with `device=` in every call of `name`."""
    changes = [
        change
        for call in calls_in(_head_of(place.statement), name)
        for change in _with_device(known, call, device)
    ]
    return known.code.replaced(place, changes) if changes else None


def _with_device(known: Known, call: ast.Call, device: str) -> Iterator[Replacement]:
    """What gives a call of a factory function its `device=`."""
    if called(call) == "from_numpy":
        end = known.code.span(call)[1]
        yield (end, end), f".to({device})"
    if called(call) not in FACTORIES or _is_numpy(call.func):
        return
    for given in call.keywords:
        if given.arg == "device":
            yield known.code.span(given.value), device
            return
    ends = [known.code.span(each)[1] for each in (*call.args, *call.keywords)]
    if ends and all(each.arg for each in call.keywords):
        yield (max(ends), max(ends)), f", device={device}"


def _is_numpy(function: ast.expr) -> bool:
    module = function.value if isinstance(function, ast.Attribute) else None
    return module is not None and ast.unparse(module).split(".")[0] in ("np", "numpy", "random")


def _head_of(statement: ast.stmt) -> ast.AST:
    """The part of a compound statement that stands in its head."""
    for name in ("test", "iter"):
        if isinstance(part := getattr(statement, name, None), ast.AST):
            return part
    return statement


def _made_alike(known: Known, place: Place, name: str, device: str) -> Iterator[Edit]:
    """The same for the other calls of that name in this function that lack a `device=`."""
    names = ["self", *(parameters(place.function) if place.function else ())]
    if device.split(".")[0] not in names:
        return
    for other in known.code.places(place.function):
        is_simple = isinstance(other.statement, ast.Assign | ast.Return | ast.AugAssign)
        if other.statement is place.statement or not is_simple:
            continue
        calls = calls_in(other.statement, name)
        if not any(each.arg == "device" for call in calls for each in call.keywords):
            edit = _given_device(known, other, name, device)
            yield from [edit] if edit else []


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
    edits = tuple(_kept_alike(known, place))
    return Fix("Keep the result, under the name that is used", edits) if edits else None


def _kept_alike(known: Known, place: Place) -> Iterator[Edit]:
    """An assignment for each move of a name in this function whose result is dropped."""
    for each in known.code.places(place.function):
        move = each.statement.value if isinstance(each.statement, ast.Expr) else None
        if not isinstance(move, ast.Call) or not isinstance(move.func, ast.Attribute):
            continue
        receiver = move.func.value
        is_name = isinstance(receiver, ast.Name) and not _is_loop_variable(each, known, receiver)
        if move.func.attr in ("to", "cuda", "cpu") and is_name:
            device = known.device_at(each)
            text = known.code.segment(move)
            if device and moves_only(move) and move.func.attr != "to":
                text = f"{known.code.segment(receiver)}.to({device})"
            yield known.code.rewritten(each, f"{known.code.segment(receiver)} = {text}")


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
    device = known.device_at(place, known.operands(finding))
    changes = list(_device_changes(known, place, device)) if device else []
    fact = known.fact(finding.where)
    if not changes or (fact is not None and fact.role == "plain"):
        return None
    return Fix(HERE, (known.code.replaced(place, changes),))


def _device_changes(known: Known, place: Place, device: str) -> Iterator[Replacement]:
    """Every move and every new tensor in a statement, on `device`."""
    for node in ast.walk(_head_of(place.statement)):
        if not isinstance(node, ast.Call):
            continue
        if moves_only(node):
            yield after_receiver(known.code, node), f".to({device})"
        elif node.args or node.keywords:
            yield from _with_device(known, node, device)


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
        device = known.device_at(place)
        if not device:
            return None
        edits.append(known.code.replaced(place, [(known.code.span(use), device) for use in uses]))
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
        device = known.device_at(each)
        if not device:
            return None
        text = known.code.segment(test)
        text = f"({text})" if _is_and(test) else text
        new = f"{text} or {path}.device != {device}"
        edits = [known.code.replaced(each, [(known.code.span(test), new)])]
        made = _given_device(known, place, _factory_in(place.statement), device)
        if made is not None and made.before != made.after:
            edits.append(made)
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
    edit = known.code.replaced(place, [(known.code.span(lengths[0]), f"{text}.cpu()")])
    return Fix("Bring the lengths back for this call", (edit,))
