"""Keeps a short-lived process from importing PyTorch's distributed tensors, which is slow.

PyTorch's dispatcher asks of the first Python tensor it meets whether it is a `DTensor`, and imports
`torch.distributed.tensor` (with sympy, one to two seconds) to know that class. A process that lives
for one short task, and uses no `DTensor`, can answer the question with an empty class instead.

C++ keeps the answer for the life of the process and compares classes by identity: a `DTensor` made
later would not be recognised, and its first operator would recurse without end. So no process that
goes on to run other people's code may do this, and `enable` does not. Seen in torch 2.13; where a
version does not ask, nothing happens.
"""

from __future__ import annotations

import sys
from types import ModuleType

from .. import simulated_cuda

NAME = "torch.distributed.tensor"
_answered: list[bool] = []


def answer_without_importing() -> None:
    """Settle the question now. Only for a process that ends soon and never uses a `DTensor`."""
    import torch

    if _answered or NAME in sys.modules:
        return
    _answered.append(True)
    stand_in = ModuleType(NAME)
    vars(stand_in)["DTensor"] = type("DTensor", (), {})
    sys.modules[NAME] = stand_in
    try:
        with simulated_cuda():
            torch.ones(1).to("cuda")
    finally:
        del sys.modules[NAME]
