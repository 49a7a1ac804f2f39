"""The facts of a module as it is: its tensors, and attributes that matter when it moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn
from torch.nn.modules.module import register_module_buffer_registration_hook

from grader.probe.driven import is_driven
from grader.probe.inspection.plain import dict_of, is_parameter, plain
from grader.probe.inspection.registered import Reached, Registered, table, tensors_once
from grader.probe.inspection.source import Position, assignment_of, is_torch
from grader.probe.inspection.values import is_dense, is_sized, shape_of
from grader.probe.inspection.walk import GENERATOR, Walk
from grader.schema import Location, RememberedDevice, Site, Structure, TensorFact, Values

MOST_COMPARED = 1_000_000  # numbers of one tensor
# Methods of `nn.Module` that call `_apply`, and that a parent's move does not call.
OVERRIDABLE = ("to", "cuda", "cpu", "float", "double", "half")
_DEVICE = re.compile(r"(cpu|cuda(:\d+)?)$")
Filled = list[tuple[nn.Module, str]]
PositionOf = Callable[[torch.Tensor], Position]


@dataclass
class Identities:
    """Numbers tensor objects and storages, the same numbers throughout a probe.

    Evidence must not contain addresses, which differ from run to run. The tensors are kept alive,
    or Python would reuse their ids.
    """

    _kept: list[torch.Tensor] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)

    def of(self, tensor: torch.Tensor) -> int:
        if ("object", id(tensor)) not in self._numbers:
            self._kept.append(tensor)
        return self._number(("object", id(tensor)))

    def known(self, key: int) -> int:
        """The number of the tensor object with this id, 0 if it was never numbered."""
        return self._numbers.get(("object", key), 0)

    def of_storage(self, tensor: torch.Tensor) -> int:
        """The number of its `data_ptr()` on its device; 0 if it has no memory of its own."""
        try:
            address = tensor.data_ptr()
        except RuntimeError:  # sparse, meta, functional
            return 0
        return self._number(("storage", str(tensor.device), address)) if address else 0

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers) + 1)


@contextmanager
def collect_filled_buffers() -> Iterator[Filled]:
    """Collects the buffers that are registered with a tensor meanwhile."""
    filled: Filled = []

    def note(module: nn.Module, name: str, buffer: torch.Tensor | None) -> None:
        if buffer is not None:
            filled.append((module, name))

    handle = register_module_buffer_registration_hook(note)
    try:
        yield filled
    finally:
        handle.remove()


def structure_of(
    module: nn.Module,
    identities: Identities,
    position_of: PositionOf,
    filled: Filled,
    run: Callable[[Callable[[], Any]], Any],
    walk: Walk,
) -> Structure:
    """The facts of a module.

    Args:
        module: the module.
        identities: numbers its tensors.
        position_of: gives the learner's line that made a tensor.
        filled: the buffers that were registered with a tensor.
        run: runs the learner's code.
        walk: what a walk of the module has just found.
    """
    facts = _facts(module, walk.reached, identities, position_of)
    modules, driven = walk.registered, is_driven(module)
    return Structure(
        tensors=tuple(_with_originals(facts, walk.reached)),
        state_keys=tuple(run(lambda: tuple(module.state_dict()))),
        emptied=tuple(_set_to_none(modules, filled)),
        devices=tuple(devices_of(modules)),
        generators=tuple(_generators(modules)),
        overrides=tuple(_overrides(modules, () if driven else OVERRIDABLE)),
        own_apply=tuple(_overrides(modules, ("_apply",))),
        unlisted=tuple(_unlisted(module, modules, run)),
        own_setattr=tuple(_overrides(modules, ("__setattr__",) if driven else ())),
        given_up=tuple(walk.given_up),
        mixed=tuple(walk.mixed),
    )


def tensors_of(
    module: nn.Module,
    identities: Identities,
    position_of: PositionOf,
    site_of: Callable[[torch.Tensor], Site | None] | None = None,
) -> tuple[TensorFact, ...]:
    """The facts of its tensors; with `site_of`, each with the expression that made it."""
    reached = Walk(module).reached
    facts = _facts(module, reached, identities, position_of)
    if site_of is None:
        return facts
    each = zip(facts, reached, strict=True)
    return tuple(replace(fact, site=site_of(found.tensor)) for fact, found in each)


def _facts(
    module: nn.Module,
    reached: list[Reached],
    identities: Identities,
    position_of: PositionOf,
) -> tuple[TensorFact, ...]:
    facts = (_fact(tensor, identities, position_of) for tensor in reached)
    return tuple(fact if fact.line else _with_line(fact, type(module)) for fact in facts)


def _with_line(fact: TensorFact, cls: type) -> TensorFact:
    """`fact` with the line that binds the first attribute of its path."""
    attribute = re.split(r"[.\[]", fact.path)[1] if "." in fact.path else ""
    assignment = assignment_of(cls, attribute)
    return replace(fact, line=assignment.line, file=assignment.file)


def _fact(
    reached: Reached,
    identities: Identities,
    position_of: PositionOf,
) -> TensorFact:
    tensor = plain(reached.tensor)
    is_lazy = not is_sized(tensor)
    assignment = assignment_of(reached.owner, reached.attribute)
    file, line = assignment.file, assignment.line
    if not line:
        file, line = position_of(reached.tensor)
    return TensorFact(
        path=reached.path,
        name=reached.name,
        role=reached.role,
        persistent=reached.persistent,
        is_parameter=is_parameter(reached.tensor),
        holder=reached.holder,
        shape=shape_of(tensor),
        dtype=str(tensor.dtype).removeprefix("torch."),
        device=str(tensor.device),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        identity=identities.of(reached.tensor),
        storage=0 if is_lazy else identities.of_storage(tensor),
        base=0 if tensor._base is None else identities.of(tensor._base),
        file=file,
        line=line,
        value=assignment.value,
        in_loss=reached.in_loss,
        uniform=None if is_lazy else constant_value(tensor),
    )


def constant_value(tensor: torch.Tensor) -> Values | None:
    """The one number that all of a dense tensor is; of other than floats, only if it holds one."""
    is_plain = tensor.is_floating_point() or (tensor.dim() == 0 and not tensor.is_complex())
    if not (is_plain and is_dense(tensor)) or not 0 < tensor.numel() <= MOST_COMPARED:
        return None
    values = tensor.detach().flatten()
    first, last = values[0].item(), values[-1].item()
    if first != last or not bool((values == first).all()):
        return None
    return Values.of([first], ())


def _with_originals(facts: Iterable[TensorFact], reached: list[Reached]) -> Iterator[TensorFact]:
    """`facts` with `copy_of` set on each plain tensor that equals a Parameter.

    Two windows are often computed alike, so buffers do not count. Tensors are grouped by a cheap
    summary first, so that only likely pairs are compared in full.
    """
    if all(found.role != "plain" for found in reached):
        yield from facts
        return
    originals: dict[object, list[Reached]] = {}
    for found in reached:
        if found.role == "parameter":
            originals.setdefault(_summary(plain(found.tensor)), []).append(found)
    for fact, found in zip(facts, reached, strict=True):
        tensor = plain(found.tensor)
        alike = originals.get(_summary(tensor), ()) if found.role == "plain" else ()
        yield replace(fact, copy_of=_original(tensor, alike))


def _summary(tensor: torch.Tensor) -> object:
    """Shape, dtype, device and four numbers: what equal tensors have in common.

    A tensor without dense values equals only itself: its id.
    """
    if not is_sized(tensor) or not is_dense(tensor):
        return id(tensor)
    values = tensor.detach().flatten()
    some = values[:: max(1, len(values) // 4)][:4]
    return tensor.shape, tensor.dtype, tensor.device, tuple(some.tolist())


def _original(copy: torch.Tensor, alike: Iterable[Reached]) -> str:
    """The name of the first of `alike` that equals `copy` and is another object; `""` if none."""
    for candidate in alike:
        original = plain(candidate.tensor)
        if original is not copy and are_copies(original, copy):
            return candidate.name
    return ""


def are_copies(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two dense tensors are equal, and not by chance as zeros, masks and identities are."""
    comparable = a.dtype == b.dtype and a.device == b.device and a.layout == torch.strided
    if not comparable or not 1 < a.numel() <= MOST_COMPARED or not torch.equal(a, b):
        return False
    return bool((a != a.flatten()[0]).any() and (a != a.round()).any())


def is_sinusoidal(table: torch.Tensor) -> bool:
    """Whether each row is made of pairs of a sine and a cosine, as a table of positions is.

    A pair is two neighbours, or an element of each half of the row; its squares sum to 1.
    """
    if not table.is_floating_point() or not is_dense(table) or table.dim() < 2:
        return False
    length = table.shape[-1]
    rows = table.reshape(-1, length)
    if length < 4 or length % 2 or len(rows) < 2 or not _begins_with_a_pair(rows[0]):
        return False
    squares = rows.double().square()
    if bool((squares * (1 - squares) < 0.01).all()):
        return False  # nothing but 0, 1 and -1, as in `torch.eye`
    return _is_of_pairs(squares)


def _begins_with_a_pair(row: torch.Tensor) -> bool:
    """Whether the first element of a row has a partner. Tells most tables by three numbers."""
    first, *others = (row[i].item() for i in (0, 1, len(row) // 2))
    return any(abs(first**2 + other**2 - 1) < 2e-3 for other in others)


def _is_of_pairs(squares: torch.Tensor) -> bool:
    """Whether the elements of each row sum to 1 in pairs: neighbours, or one of each half."""
    half = squares.shape[1] // 2
    sums = (squares.view(-1, half, 2).sum(dim=2), squares.view(-1, 2, half).sum(dim=1))
    return any(bool(((total - 1).abs() < 1e-3).all()) for total in sums)


def _set_to_none(modules: list[Registered], filled: Filled) -> Iterator[Location]:
    paths = {id(module): path for module, path, _ in modules}
    for module, name in filled:
        if id(module) in paths and table(module, "_buffers").get(name, module) is None:
            assignment = assignment_of(type(module), name)
            if "register_buffer(" in assignment.value:  # else None may be meant
                yield assignment.location(f"{paths[id(module)]}.{name}")


def devices_of(modules: list[Registered]) -> Iterator[RememberedDevice]:
    """Attributes of the learner's modules that hold a `torch.device` or a string naming one."""
    for module, path, _ in modules:
        if is_torch(type(module)):  # as most
            continue
        for name, value in dict_of(module).items():
            kind = type(value)
            if (kind is str or kind is torch.device) and _DEVICE.match(str(value)):
                at = assignment_of(type(module), name)
                yield RememberedDevice(f"{path}.{name}", at.line, str(value), file=at.file)


def _generators(modules: list[Registered]) -> Iterator[Location]:
    for module, path, _ in modules:
        for name, value in dict_of(module).items():
            if issubclass(type(value), GENERATOR):  # not `is_a`: a hot path
                yield assignment_of(type(module), name).location(f"{path}.{name}")


def _unlisted(
    module: nn.Module, modules: list[Registered], run: Callable[[Callable[[], Any]], Any]
) -> Iterator[str]:
    """The Parameters that an overridden `parameters` does not list, in a model built on a base."""
    if not is_driven(module):
        return
    try:
        listed = set(run(lambda: [id(parameter) for parameter in module.of.parameters()]))
    except Exception:  # which `forward` raises as well, if it calls it
        listed = set()
    for entry in tensors_once(modules):
        if entry.role == "parameter" and id(entry.tensor) not in listed:
            yield entry.name


def _overrides(modules: list[Registered], names: tuple[str, ...]) -> Iterator[Location]:
    overrides: dict[int, list[tuple[str, CodeType]]] = {}  # by id: a metaclass may have a hash
    for module, path, _ in modules:
        cls = type(module.of if is_driven(module) else module)
        if id(cls) not in overrides:
            overrides[id(cls)] = list(_overrides_in(cls, names))
        for name, code in overrides[id(cls)]:
            yield Location(f"{path}.{name}", code.co_firstlineno, file=code.co_filename)


def _overrides_in(cls: type, names: tuple[str, ...]) -> Iterator[tuple[str, CodeType]]:
    for base in cls.__mro__:
        if is_torch(base):
            continue
        for name in names:
            method = vars(base).get(name)
            if isinstance(method, FunctionType):
                yield name, method.__code__
