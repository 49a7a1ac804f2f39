"""Fixes of a tensor that is made on the wrong device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.fixes.expressions import (
    Replacement,
    after_receiver,
    called,
    calls_in,
    moves_only,
    parameters,
    without_devices,
)
from grader.judge.fixes.fix import Fix, Known
from grader.judge.fixes.source_file import Place
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
    edit = given_device(known, place, name, device) if device else None
    return Fix(HERE, (edit, *_made_alike(known, place, name, device))) if edit else None


def given_device(known: Known, place: Place, name: str, device: str) -> Edit | None:
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
    if called(call) not in FACTORIES or not _is_torchs(known, call.func):
        return
    for given in call.keywords:
        if given.arg == "device":
            yield known.code.span(given.value), device
            return
    ends = [known.code.span(each)[1] for each in (*call.args, *call.keywords)]
    if ends and all(each.arg for each in call.keywords):
        yield (max(ends), max(ends)), f", device={device}"


def _is_torchs(known: Known, function: ast.expr) -> bool:
    """Whether it is `torch.zeros`, and not a method or a function of NumPy by that name."""
    module = function.value if isinstance(function, ast.Attribute) else None
    return module is None or ast.unparse(module) == known.code.name_of("torch")


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
            edit = given_device(known, other, name, device)
            yield from [edit] if edit else []


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
