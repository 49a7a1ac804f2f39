"""Calls of `forward`, as the learner's code."""

from __future__ import annotations

from inspect import isgenerator
from itertools import islice
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.inputs import Inputs
from grader.probe.inspection.source import is_torch
from grader.probe.inspection.values import is_named_tuple

MOST_YIELDED = 1_000  # items taken from a `forward` that is a generator


def call_forward(module: nn.Module, inputs: Inputs) -> Any:
    """Call the module; a generator is run, and at most `MOST_YIELDED` of its items returned.

    A named tuple is given as the tuple that it is, unless it is PyTorch's.
    """
    returned = module(*inputs.args, **inputs.kwargs)
    if is_named_tuple(returned) and not is_torch(type(returned)):
        return (*tuple.__iter__(returned),)
    return list(islice(returned, MOST_YIELDED)) if isgenerator(returned) else returned


def call_in_eval_mode(module: nn.Module, inputs: Inputs) -> None:
    modes = [(child, child.training) for child in module.modules()]
    try:
        with torch.no_grad():
            module.eval()  # its result is not used: an override may return nothing
            call_forward(module, inputs)
    finally:
        for child, is_training in modes:
            child.training = is_training
