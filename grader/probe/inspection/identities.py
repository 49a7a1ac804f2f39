"""Numbers for tensors and their memory, in place of addresses."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch


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
