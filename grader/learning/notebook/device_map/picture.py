"""What the device map shows of a module, as plain data: its tree, its tensors and where each is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import nn

from grader.probe import Identities, Reached, Walk, is_sized, is_torch, registered_modules, step_of


@dataclass(frozen=True)
class Leaf:
    """One tensor.

    Attributes:
        path: as a person would write it: `self.layers[0].weight`.
        level: how deep in the tree; the module itself is 0.
        kind: what it is to its module: `buffer`, `Parameter in list layers`.
        registered: whether its module knows it, and so moves it.
        note: which other tensors are the same, or share its memory.
        is_repeat: whether it is above already, under another name.
    """

    path: str
    level: int
    name: str
    device: str
    shape: str
    dtype: str
    kind: str
    registered: bool
    note: str = ""
    is_repeat: bool = False


@dataclass(frozen=True)
class Branch:
    """One module, and in sum what is below it.

    Attributes:
        note: why nothing is below it: it is shown elsewhere.
        devices: how many different tensors are on which device.
        unregistered: how many of them are not registered.
    """

    path: str
    level: int
    name: str
    type: str
    registered: bool
    note: str = ""
    devices: tuple[tuple[str, int], ...] = ()
    unregistered: int = 0


Row = Leaf | Branch


@dataclass(frozen=True)
class Picture:
    """A module's tree, row by row: each branch is followed by what is below it.

    Attributes:
        given_up: what was not looked into, and why.
    """

    rows: tuple[Row, ...]
    given_up: tuple[str, ...] = ()

    @property
    def root(self) -> Branch:
        first = self.rows[0]
        assert isinstance(first, Branch)
        return first

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(row for row in self.rows if isinstance(row, Leaf))


def picture_of(module: nn.Module) -> Picture:
    """Look at a module, and at all that it holds."""
    walk = Walk(module)
    registered = list(registered_modules(module))
    nodes: dict[str, _MapNode] = {}
    for child, path, _ in registered:
        _add(nodes, _MapNode(path, child, registered=True))
    for hidden in walk.hidden:
        _add(nodes, _MapNode(hidden.path, hidden.module, registered=False))
    shown = {id(child): path for child, path, _ in registered}
    for child, path, _ in registered:
        _add_aliases(nodes, child, path, shown)
    _add_tensors(nodes, walk.reached)
    return Picture(tuple(_rows(nodes["self"], level=0)), tuple(walk.given_up))


def from_outside(path: str) -> str:
    """`self.norm.weight` as it is called on the module: `norm.weight`."""
    return path.removeprefix("self").removeprefix(".") or "the root"


@dataclass
class _Held:
    """A tensor on its way into the picture."""

    reached: Reached
    identity: int
    note: str = ""
    is_repeat: bool = False


@dataclass
class _MapNode:
    """A module on its way into the picture."""

    path: str
    module: nn.Module
    registered: bool
    note: str = ""
    name: str = ""
    tensors: list[_Held] = field(default_factory=list)
    children: list[_MapNode] = field(default_factory=list)


def _add(nodes: dict[str, _MapNode], node: _MapNode) -> None:
    parent = _parent(nodes, node.path)
    node.name = type(node.module).__name__
    if parent is not None:
        node.name = node.path.removeprefix(parent.path).removeprefix(".")
        parent.children.append(node)
    nodes[node.path] = node


def _parent(nodes: dict[str, _MapNode], path: str) -> _MapNode | None:
    """The deepest module that a path leads through."""
    for end in range(len(path) - 1, 0, -1):
        if path[end] in ".[" and path[:end] in nodes:
            return nodes[path[:end]]
    return None


def _add_aliases(
    nodes: dict[str, _MapNode], module: nn.Module, path: str, shown: dict[int, str]
) -> None:
    """Where a module is registered a second time, under another name."""
    for name, child in module._modules.items():
        other = path + step_of(module)(name)
        if child is None or other in nodes:
            continue
        first = shown[id(child)]
        cycle = ": a cycle" if f"{other}.".startswith((f"{first}.", f"{first}[")) else ""
        node = _MapNode(other, child, registered=True)
        node.note = f"the same module as {from_outside(first)}{cycle}"
        _add(nodes, node)


def _add_tensors(nodes: dict[str, _MapNode], reached: Iterable[Reached]) -> None:
    identities = Identities()
    known = {id(held.tensor) for held in reached if held.role != "plain"}
    held = []
    for found in reached:
        node = _parent(nodes, found.path)
        assert node is not None
        if found.role == "plain" and id(found.tensor) in known and is_torch(type(node.module)):
            continue  # a layer's own second list of what it has registered
        held.append(_Held(found, identities.of(found.tensor)))
        node.tensors.append(held[-1])
    _tie(held, identities)


def _tie(held: Iterable[_Held], identities: Identities) -> None:
    """Note on each tensor which others have its memory."""
    groups: dict[int, list[_Held]] = {}
    for leaf in held:
        tensor = leaf.reached.tensor
        storage = identities.of_storage(tensor) if is_sized(tensor) else 0
        groups.setdefault(storage or leaf.identity, []).append(leaf)
    for group in (group for group in groups.values() if len(group) > 1):
        first = group[0]
        for leaf in group:
            other = group[1] if leaf is first else first
            same = other.identity == leaf.identity
            leaf.is_repeat = same and leaf is not first
            leaf.note = ("the same tensor as " if same else "shares memory with ") + from_outside(
                other.reached.path
            )


def _rows(node: _MapNode, level: int) -> list[Row]:
    """The rows of a node, itself first."""
    leaves: list[Row] = [_leaf(tensor, node, level + 1) for tensor in node.tensors]
    children = [child for child in node.children if child.registered or _all_held(child)]
    below = leaves + [row for child in children for row in _rows(child, level + 1)]
    held = _all_held(node)
    devices = Counter(str(leaf.reached.tensor.device) for leaf in held)
    branch = Branch(
        path=node.path,
        level=level,
        name=node.name,
        type=type(node.module).__name__,
        registered=node.registered,
        note=node.note,
        devices=tuple(sorted(devices.items())),
        unregistered=sum(leaf.reached.role == "plain" for leaf in held),
    )
    return [branch, *below]


def _all_held(node: _MapNode) -> list[_Held]:
    """Every different tensor below a node, once."""
    stack, found = [node], dict[int, _Held]()
    while stack:
        part = stack.pop()
        for held in part.tensors:
            if held.identity not in found or held.reached.role != "plain":
                found[held.identity] = held
        stack += part.children
    return list(found.values())


def _leaf(held: _Held, node: _MapNode, level: int) -> Leaf:
    reached, tensor = held.reached, held.reached.tensor
    name = reached.path.removeprefix(node.path).removeprefix(".")
    return Leaf(
        path=reached.path,
        level=level,
        name=name,
        device=str(tensor.device),
        shape=_shape(tensor),
        dtype=str(tensor.dtype).removeprefix("torch."),
        kind=_kind(reached, node, name),
        registered=reached.role != "plain",
        note=held.note,
        is_repeat=held.is_repeat,
    )


def _kind(reached: Reached, node: _MapNode, name: str) -> str:
    buffer = "buffer" if reached.persistent else "non-persistent buffer"
    if reached.role != "plain":
        return "Parameter" if reached.role == "parameter" else buffer
    if isinstance(reached.tensor, nn.Parameter):
        kind = "Parameter"
    else:
        kind = "buffer" if name in node.module._buffers else "plain tensor"
    if reached.holder is None or not node.registered:
        return kind
    return f"{kind} in {reached.holder.kind} {reached.holder.path.replace('self.', '')}"


def _shape(tensor: torch.Tensor) -> str:
    if not is_sized(tensor):
        return "not known yet"
    try:
        return str(tuple(tensor.shape))
    except RuntimeError:  # nested: each row has a length of its own
        return "ragged"
