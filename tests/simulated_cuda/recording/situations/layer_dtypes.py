"""Layers that get inputs or targets of a dtype whose words `dtypes` does not hold."""

from typing import Any

import torch
from torch import nn

from ._make import g


def of_bfloat16():
    """Of an input in bfloat16, of which messages have several names."""
    layers: dict[str, tuple[nn.Module, tuple[int, ...]]] = {
        "linear": (nn.Linear(4, 3), (2, 4)),
        "1d": (nn.Conv1d(2, 3, 1), (1, 2, 4)),
        "2d": (nn.Conv2d(2, 3, 1), (1, 2, 4, 4)),
        "3d": (nn.Conv3d(2, 3, 1), (1, 2, 4, 4, 4)),
        "transposed": (nn.ConvTranspose2d(2, 3, 1), (1, 2, 4, 4)),
        "layer_norm": (nn.LayerNorm(4), (2, 4)),
        "group_norm": (nn.GroupNorm(2, 4), (2, 4, 3)),
        "RNN": (nn.RNNCell(4, 3), (2, 4)),
        "PReLU": (nn.PReLU(), (2, 4)),
    }
    return {
        name: lambda layer=layer, shape=shape: layer.cuda()(g(*shape).bfloat16())
        for name, (layer, shape) in layers.items()
    }


def bilinear():
    layer = nn.Bilinear(2, 3, 4).cuda()
    return lambda: layer(g(5, 2).bfloat16(), g(5, 3))


def recurrent():
    kinds = (torch.bfloat16, torch.bool, torch.cfloat)
    layer = nn.LSTM(4, 3).cuda()
    return {str(d)[6:]: lambda d=d: layer(g(5, 2, 4).to(d)) for d in kinds}


def embeddings():
    kinds = (torch.bfloat16, torch.short, torch.uint8)

    def of(layer: nn.Module) -> dict[str, Any]:
        layer = layer.cuda()
        return {str(d)[6:]: lambda d=d: layer(g(2, 3).to(d)) for d in kinds}

    return {"Embedding": of(nn.Embedding(4, 2)), "EmbeddingBag": of(nn.EmbeddingBag(4, 2))}


def losses_of_targets():
    def of(loss: nn.Module, x: Any, *shape: int) -> dict[str, Any]:
        kinds = (torch.float, torch.bfloat16, torch.int)
        return {str(d)[6:]: lambda d=d: loss(x, g(*shape).to(d)) for d in kinds}

    return {
        "cross entropy": of(nn.CrossEntropyLoss(), g(2, 3), 2),
        "nll": of(nn.NLLLoss(), g(2, 3), 2),
        "bce": of(nn.BCELoss(), g(2, 3), 2, 3),
    }
