"""Tensors and modules that many situations start from: zeros, or values copied to the device."""

from __future__ import annotations

import io
from typing import Any

import torch
from torch import Tensor, nn


def g(*shape: int) -> Tensor:
    """Zeros on cuda:0."""
    return torch.zeros(shape, device="cuda")


def g1(*shape: int) -> Tensor:
    """Zeros on cuda:1."""
    return torch.zeros(shape, device="cuda:1")


def c(*shape: int) -> Tensor:
    """Zeros on the CPU."""
    return torch.zeros(shape)


def leaf(*shape: int, device: str = "cuda") -> Tensor:
    """A leaf that requires grad."""
    return torch.zeros(shape, device=device, requires_grad=True)


def index(*values: int, device: str = "cuda") -> Tensor:
    """Integers, copied to the device."""
    return torch.tensor(values, device=device)


def net() -> nn.Sequential:
    """Two layers with a batch norm between, on the CPU."""
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))


def places(module: nn.Module) -> list[str]:
    """The devices of everything in a state dict."""
    return sorted({str(value.device) for value in module.state_dict().values()})


def reload(value: Any, **how: Any) -> Any:
    """`torch.save` to memory, then `torch.load`."""
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **how)
