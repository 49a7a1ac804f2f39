"""What the numbers of a tensor tell: one number, a copy of a Parameter, a table of sines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from msgspec.structs import replace

from grader.probe.inspection.plain import plain
from grader.probe.inspection.registered import Reached
from grader.probe.inspection.values import is_dense, is_sized
from grader.schema import TensorFact, Values

MOST_COMPARED = 1_000_000  # numbers of one tensor


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


def with_originals(facts: Iterable[TensorFact], reached: list[Reached]) -> Iterator[TensorFact]:
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
