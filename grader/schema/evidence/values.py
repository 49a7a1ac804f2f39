"""The numbers of a tensor, as they travel."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from msgspec import Struct


class Values(Struct, frozen=True):
    """The numbers of a tensor, row by row, as little-endian float64 (complex ones as pairs)."""

    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, numbers: Iterable[float], shape: tuple[int, ...] | None = None) -> Values:
        """Pack `numbers`; `shape` defaults to one dimension.

        >>> Values.of([0.5, 2.0]).numbers().tolist()
        [0.5, 2.0]
        """
        packed = array("d", numbers)
        return cls((len(packed),) if shape is None else shape, packed.tobytes())

    def numbers(self) -> array[float]:
        """The numbers, flat.

        Raises:
            ValueError: the data is not a whole number of float64 values.
        """
        return array("d", self.data)
