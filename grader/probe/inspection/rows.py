"""How much of a data set is in a GPU's memory at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from grader.probe.inspection.operations import MOVES, Calls, Operation, name_of, tensors_in

JOINS = frozenset(
    f"torch.{name}" for name in ("cat", "concat", "concatenate", "stack", "vstack", "row_stack")
)
WRITES = frozenset(f"torch.Tensor.{name}" for name in ("copy_", "__setitem__", "index_copy_"))
Kind = tuple[torch.dtype, tuple[int, ...]]  # of a row: its dtype and its shape


class Arrived(NamedTuple):
    """Memory on a GPU that holds rows of the data; it lives as long as anything refers to it.

    Attributes:
        moves: the numbers of the moves that brought the rows. What is joined has those of its
            parts, so that a batch counts once, wherever else it was copied to.
    """

    storage: StorageWeakRef
    kind: Kind
    moves: frozenset[int]

    @property
    def is_there(self) -> bool:
        return not self.storage.expired()  # type: ignore[no-untyped-call]


class RowsWatch(Calls):
    """Counts the rows that are on a GPU while something is computed there.

    A move is no computation: while one batch comes, the one before may still have its name. What
    autograd saved counts, since it is memory too. On a GPU as on a simulated one: weak references
    to memory tell whether it is still in use.

    Attributes:
        most: how many rows of one kind there were.
    """

    def __init__(self, data: Iterable[torch.Tensor]) -> None:
        super().__init__()
        self.most = 0
        self._on_cpu = {id(tensor): tensor for tensor in data}  # the data, and what was cut from it
        self._arrived: dict[int, Arrived] = {}
        self._rows: list[int] = []  # that each move brought

    def result_of(self, func: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call `func`, and note what it brought to a GPU, or else what is there."""
        operands = tensors_in((args, kwargs))
        result = func(*args, **kwargs)
        operation = name_of(func)
        written = operands[:1] if operation in WRITES else tensors_in((result,))
        is_move = False
        for tensor in written:
            if tensor.is_cuda:
                is_move |= self._note_arrival(tensor, operation, operands)
            elif any(id(operand) in self._on_cpu for operand in operands):
                self._on_cpu[id(tensor)] = tensor
        if written and not is_move and any(tensor.is_cuda for tensor in operands):
            self._count()
        return result

    def _note_arrival(
        self, tensor: torch.Tensor, operation: str, operands: list[torch.Tensor]
    ) -> bool:
        """Note memory that now holds rows of the data; whether they came from the CPU."""
        sources = [source for source in operands if source.dim() and source is not tensor]
        moved = [source for source in sources if id(source) in self._on_cpu]
        joined = [arrived for arrived in map(self._arrived_in, sources) if arrived]
        is_move = operation in MOVES | WRITES or not any(source.is_cuda for source in sources)
        if moved and is_move:
            self._arrive(tensor, (moved[0].dtype, tuple(moved[0].shape[1:])))
        elif joined and operation in JOINS:
            kind = joined[0].kind
            moves = (part.moves for part in joined if part.kind == kind)
            self._note(tensor.untyped_storage(), kind, frozenset().union(*moves))
        elif joined and operation in WRITES:
            self._arrive(tensor, joined[0].kind)
        return bool(moved and is_move)

    def _arrive(self, tensor: torch.Tensor, kind: Kind) -> None:
        memory = tensor.untyped_storage()
        numbers = max(torch.Size(kind[1]).numel(), 1)
        self._note(memory, kind, frozenset({len(self._rows)}))
        self._rows.append(memory.nbytes() // (tensor.element_size() * numbers))

    def _note(self, memory: torch.UntypedStorage, kind: Kind, moves: frozenset[int]) -> None:
        reference = StorageWeakRef(memory)  # type: ignore[no-untyped-call]
        self._arrived[memory.data_ptr()] = Arrived(reference, kind, moves)

    def _arrived_in(self, tensor: torch.Tensor) -> Arrived | None:
        if not tensor.is_cuda:
            return None
        arrived = self._arrived.get(tensor.untyped_storage().data_ptr())
        return arrived if arrived and arrived.is_there else None

    def _count(self) -> None:
        there: dict[Kind, set[int]] = {}
        for address, arrived in list(self._arrived.items()):
            if arrived.is_there:
                there.setdefault(arrived.kind, set()).update(arrived.moves)
            else:
                del self._arrived[address]
        rows = (sum(self._rows[move] for move in moves) for moves in there.values())
        self.most = max(self.most, 0, *rows)
