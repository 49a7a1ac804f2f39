"""What an audit costs: next to training what it audits, and as the number of tensors grows.

    python benchmarks/audit_speed.py

Exits 1 if auditing a transformer encoder of twelve layers costs more than ten times a forward and
backward of it on the plain CPU plus half a second, or if the cost of an audit grows faster than the
number of tensors.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.auditing import audit

MOST_TIMES, MOST_SECONDS = 10.0, 0.5
SIZES = (100, 1_000, 10_000)
MOST_GROWTH = 2.0  # in the cost of one tensor, from the smallest module to the largest
REPEATS = 3


class ManyTensors(nn.Module):
    """A third of its tensors are Parameters, a third buffers, a third merely held in a list."""

    def __init__(self, size: int) -> None:
        super().__init__()
        third = size // 3
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(4)) for _ in range(third))
        for i in range(third):
            self.register_buffer(f"buffer_{i}", torch.randn(4))
        self.held = [torch.randn(4) for _ in range(third)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Use every Parameter."""
        for weight in self.weights:
            x = x * weight
        return x


def seconds(work: Callable[[], object]) -> float:
    """Processor time, so that a busy machine does not count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def encoder() -> bool:
    """Print what the audit of an encoder costs; whether that is little enough."""
    layer = nn.TransformerEncoderLayer(256, 4, batch_first=True)
    model, x = nn.TransformerEncoder(layer, 12), torch.randn(8, 64, 256)

    def train() -> None:
        model(x).sum().backward()

    for work in (train, lambda: audit(model, x)):  # the first of each pays for imports
        work()
    pairs = [(seconds(train), seconds(lambda: audit(model, x))) for _ in range(REPEATS)]
    step = statistics.median(one for one, _ in pairs)
    whole = statistics.median(other for _, other in pairs)
    limit = MOST_TIMES * step + MOST_SECONDS
    print(f"forward and backward   {step:6.2f} s")
    print(f"audit                  {whole:6.2f} s = {whole / step:.1f} x; at most {limit:.2f} s")
    return whole <= limit


def growth() -> bool:
    """Print what audits of more and more tensors cost; whether the cost of one stays the same."""
    each = []
    for size in SIZES:
        module = ManyTensors(size)
        cost = seconds(lambda module=module: audit(module, torch.ones(2, 4)))  # type: ignore[misc]
        each.append(cost / size)
        print(f"{size:6,} tensors         {cost:6.2f} s = {1000 * cost / size:.2f} ms each")
    return each[-1] <= MOST_GROWTH * each[0]


def main() -> int:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    held = [encoder(), growth()]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
