"""What a module draws in its calls: mean and deviation of each output, over many calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from grader.probe.forward import call_forward
from grader.probe.generators import seed_generators
from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.values import leaves, values_of
from grader.schema import Noise, Values

CALLS, COPIES = 200, 125  # up to 25,000 draws of each row
MOST_NUMBERS = 10_000  # of one output


def many_calls(module: nn.Module, inputs: Inputs, seed: int) -> list[Any]:
    """Results of `CALLS` calls with consecutive seeds; of two calls, if those are equal.

    Args:
        module: called on the CPU.
        inputs: their batch is repeated in each call, so that each row gets many draws.
        seed: of the first call.
    """
    returned = []
    inputs = inputs.to("cpu").each(_repeated)
    for i in range(CALLS):
        seed_generators(seed + i)
        with torch.no_grad():
            returned.append(call_forward(module, inputs.to("cpu")))
        if i == 1 and not _differ(*returned):
            break
    return returned


def noise_in(returned: list[Any], mode: str, batch: int) -> Iterator[Noise]:
    """The moments of each output that is not always the same.

    1. Too few calls tell nothing; nor does an output that is missing from some, has another shape
       in some, is empty or is too large.
    2. An output that is equal in all calls is no noise.
    3. Of one with a row for each of the repeated batch, the copies of a row are draws of the same
       numbers, if they are independent.
    4. Moments that are not finite are left out.

    Args:
        returned: what `many_calls` gave.
        mode: the mode of those calls.
        batch: the size of the batch before it was repeated. Where an output has a row for each, the
            rows that belong to the same row of the batch are draws of the same numbers.
    """
    if len(returned) < CALLS:
        return
    calls = [dict(leaves(result, "output")) for result in returned]
    for path, first in calls[0].items():
        same_size = [
            tensor.detach().to(torch.float64)
            for tensor in (call.get(path) for call in calls)
            if isinstance(tensor, torch.Tensor) and tensor.shape == first.shape
        ]
        if len(same_size) < CALLS or not 0 < first.numel() <= MOST_NUMBERS:
            continue
        every = torch.stack(same_size)
        if not bool((every != every[0]).any()):
            continue
        total = every.reshape(len(every), -1).sum(dim=1)
        if first.dim() and len(first) == batch * COPIES:
            every = _draws_of_rows(every.reshape(CALLS, COPIES, batch, *first.shape[1:]))
        mean, deviation, kurtosis = map(values_of, moments(every))
        of_total = Values.of([float(moment) for moment in moments(total)[1:]])
        if mean and deviation and kurtosis:
            yield Noise(mode, path, CALLS, len(every), mean, deviation, kurtosis, of_total)


def moments(draws: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Mean, standard deviation and kurtosis over the first dimension.

    The kurtosis is the fourth central moment over the squared variance, 3 for a normal variable;
    where nothing varies, it is set to 3.
    """
    centred = draws - draws.mean(dim=0)
    variance = centred.square().mean(dim=0)
    fourth = centred.pow(4).mean(dim=0)
    kurtosis = torch.where(variance > 0, fourth / variance.square(), 3.0)
    return draws.mean(dim=0), variance.sqrt(), kurtosis


def _draws_of_rows(every: torch.Tensor) -> torch.Tensor:
    """All copies as separate draws, or one of each call if the copies are not independent.

    The mean of n independent numbers has an n-th of their variance. Where one draw serves the whole
    batch, it has all of it.

    Args:
        every: of shape (calls, copies, batch, ...).
    """
    flat = every.reshape(*every.shape[:3], -1)
    of_means = flat.mean(dim=1).var(dim=0) * COPIES
    of_numbers = flat.flatten(0, 1).var(dim=0)
    varies = of_numbers > 0
    if bool((of_means[varies] / of_numbers[varies]).median() > 2):
        return every[:, 0]
    return every.flatten(0, 1)


def _repeated(tensor: torch.Tensor) -> torch.Tensor:
    return torch.cat([tensor] * COPIES) if tensor.dim() else tensor


def _differ(one: Any, other: Any) -> bool:
    pairs = zip(leaves(one, "output"), leaves(other, "output"), strict=False)
    return any(
        isinstance(a, torch.Tensor)
        and isinstance(b, torch.Tensor)
        and (a.shape != b.shape or not torch.equal(a, b))
        for (_, a), (_, b) in pairs
    )
