"""What a module draws in its calls: mean and deviation of each output, over many calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from grader.evidence import Noise, Values
from grader.probe.subject import Inputs, forwarded, seed_generators
from grader.probe.values import leaves, values_of

CALLS = 500
MOST_NUMBERS = 10_000


def many_calls(module: nn.Module, inputs: Inputs, seed: int) -> list[Any]:
    """What each of many calls gives, with another seed each; two if they give the same."""
    returned = []
    for i in range(CALLS):
        seed_generators(seed + i)
        with torch.no_grad():
            returned.append(forwarded(module, inputs.to("cpu")))
        if i == 1 and not _differ(*returned):
            break
    return returned


def noise_in(returned: list[Any], mode: str) -> Iterator[Noise]:
    """The moments of each output that is not always the same."""
    if len(returned) < CALLS:
        return
    calls = [dict(leaves(each, "output")) for each in returned]
    for path, first in calls[0].items():
        same_size = [
            each.detach().to(torch.float64)
            for each in (call.get(path) for call in calls)
            if isinstance(each, torch.Tensor) and each.shape == first.shape
        ]
        if len(same_size) < CALLS or not 0 < first.numel() <= MOST_NUMBERS:
            continue
        every = torch.stack(same_size)
        mean, deviation = values_of(every.mean(dim=0)), values_of(every.std(dim=0))
        if mean and deviation and bool((every != every[0]).any()):
            total = float(every.reshape(len(every), -1).sum(dim=1).std())
            yield Noise(mode, path, len(every), mean, deviation, Values.of([total], ()))


def _differ(one: Any, other: Any) -> bool:
    pairs = zip(leaves(one, "output"), leaves(other, "output"), strict=False)
    return any(
        isinstance(a, torch.Tensor)
        and isinstance(b, torch.Tensor)
        and (a.shape != b.shape or not torch.equal(a, b))
        for (_, a), (_, b) in pairs
    )
