"""cuDNN, which the simulated device says is there, so that PyTorch chooses its operators."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import torch

from ...common.patches import Patch

VERSION = 91900  # also in source/hooks.h


def patches() -> Iterator[Patch]:
    """What `torch/backends/cudnn` asks."""
    cudnn: Any = torch.backends.cudnn
    yield Patch(torch._C, "_has_cudnn", True, "a CPU build has no cuDNN")
    yield Patch(cudnn.m, "_init", lambda: True, "it would load cuDNN")
    yield Patch(cudnn.m, "__cudnn_version", VERSION, "what `_init` sets from the library")
    modes = SimpleNamespace(RNNMode=SimpleNamespace(rnn_relu=0, rnn_tanh=1, lstm=2, gru=3))
    yield Patch(cudnn.rnn.m, "_cudnn", modes, "`get_cudnn_mode` reads the numbers of RNN kinds")
