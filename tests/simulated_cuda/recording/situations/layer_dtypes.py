"""Layers that get inputs, targets or states of a dtype that is not their Parameters'."""

from typing import Any

import torch
from torch import nn

from ._make import g

DTYPES = (torch.half, torch.bfloat16, torch.double, torch.long, torch.bool, torch.cfloat)


def _each(layer: nn.Module, *shape: int) -> dict[str, Any]:
    """The layer in float32 with inputs of other dtypes, and in half precision with float32."""
    layer = layer.cuda()
    x = g(*shape)
    facts: dict[str, Any] = {str(d)[6:]: lambda d=d: layer(x.to(d)) for d in DTYPES}
    return facts | {"layer in half": lambda: layer.half()(x)}


def linear():
    return _each(nn.Linear(4, 3), 2, 4)


def bilinear():
    layer = nn.Bilinear(2, 3, 4).cuda()
    return {str(d)[6:]: lambda d=d: layer(g(5, 2).to(d), g(5, 3)) for d in DTYPES}


def convolutions():
    return {
        "1d": _each(nn.Conv1d(2, 3, 1), 1, 2, 4),
        "2d": _each(nn.Conv2d(2, 3, 1), 1, 2, 4, 4),
        "3d": _each(nn.Conv3d(2, 3, 1), 1, 2, 4, 4, 4),
        "transposed": _each(nn.ConvTranspose2d(2, 3, 1), 1, 2, 4, 4),
    }


def layer_norm():
    return _each(nn.LayerNorm(4), 2, 4)


def rms_norm():
    return _each(nn.RMSNorm(4), 2, 4)


def group_norm():
    return _each(nn.GroupNorm(2, 4), 2, 4, 3)


def batch_norms():
    return {
        "1d": _each(nn.BatchNorm1d(4), 2, 4),
        "2d": _each(nn.BatchNorm2d(4), 2, 4, 3, 3),
        "3d": _each(nn.BatchNorm3d(4), 2, 4, 3, 3, 3),
        "evaluating": _each(nn.BatchNorm2d(4).eval(), 2, 4, 3, 3),
    }


def instance_norm():
    return {
        "plain": _each(nn.InstanceNorm2d(4), 2, 4, 3, 3),
        "affine": _each(nn.InstanceNorm2d(4, affine=True), 2, 4, 3, 3),
        "tracking": _each(nn.InstanceNorm2d(4, track_running_stats=True), 2, 4, 3, 3),
    }


def recurrent():
    return {
        "RNN": _each(nn.RNN(4, 3), 5, 2, 4),
        "LSTM": _each(nn.LSTM(4, 3), 5, 2, 4),
        "GRU": _each(nn.GRU(4, 3), 5, 2, 4),
    }


def cells():
    return {
        "RNN": _each(nn.RNNCell(4, 3), 2, 4),
        "LSTM": _each(nn.LSTMCell(4, 3), 2, 4),
        "GRU": _each(nn.GRUCell(4, 3), 2, 4),
    }


def embeddings():
    def of(layer: nn.Module) -> dict[str, Any]:
        layer = layer.cuda()
        kinds = (*DTYPES, torch.int, torch.short, torch.uint8)
        return {str(d)[6:]: lambda d=d: layer(g(2, 3).to(d)) for d in kinds}

    return {"Embedding": of(nn.Embedding(4, 2)), "EmbeddingBag": of(nn.EmbeddingBag(4, 2))}


def activations():
    return {
        "PReLU": _each(nn.PReLU(), 2, 4),
        "GLU": _each(nn.GLU(), 2, 4),
        "GELU": _each(nn.GELU(), 2, 4),
        "Softmax": _each(nn.Softmax(-1), 2, 4),
        "Hardtanh": _each(nn.Hardtanh(), 2, 4),
    }


def pooling():
    return {
        "max": _each(nn.MaxPool2d(2), 1, 2, 4, 4),
        "average": _each(nn.AvgPool2d(2), 1, 2, 4, 4),
        "adaptive max": _each(nn.AdaptiveMaxPool2d(2), 1, 2, 4, 4),
        "adaptive average": _each(nn.AdaptiveAvgPool2d(2), 1, 2, 4, 4),
    }


def losses_of_targets():
    def of(loss: nn.Module, x: Any, *shape: int) -> dict[str, Any]:
        kinds = (torch.float, *DTYPES, torch.int)
        return {str(d)[6:]: lambda d=d: loss(x, g(*shape).to(d)) for d in kinds}

    return {
        "cross entropy": of(nn.CrossEntropyLoss(), g(2, 3), 2),
        "nll": of(nn.NLLLoss(), g(2, 3), 2),
        "mse": of(nn.MSELoss(), g(2, 3), 2, 3),
        "bce": of(nn.BCELoss(), g(2, 3), 2, 3),
        "logits": of(nn.BCEWithLogitsLoss(), g(2, 3), 2, 3),
        "l1": of(nn.L1Loss(), g(2, 3), 2, 3),
        "kl": of(nn.KLDivLoss(reduction="batchmean"), g(2, 3), 2, 3),
    }
