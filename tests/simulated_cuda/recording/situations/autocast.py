"""Mixed precision: torch.autocast and GradScaler."""

import torch
from torch import nn

from ..outcomes import describe
from ._make import c, g


def autocast():
    x, layer = g(2, 3), nn.Linear(3, 2).cuda()
    with torch.autocast("cuda"):
        inside = {
            "linear": lambda: layer(x),
            "sum": lambda: x.sum(),
            "softmax": lambda: layer(x).softmax(0),
            "enabled": lambda: torch.is_autocast_enabled("cuda"),
            "dtype": lambda: torch.get_autocast_dtype("cuda"),
            "cpu": lambda: nn.Linear(3, 2)(c(2, 3)),
            "mixed": lambda: layer(c(2, 3)),
            "bce": lambda: nn.functional.binary_cross_entropy(x, x),
        }
        inside = describe(inside)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        inside["bfloat16"] = layer(x)
    with torch.autocast("cpu"):
        inside["cpu autocast, cuda layer"] = layer(x)
    return inside | {"after": layer(x), "enabled after": torch.is_autocast_enabled("cuda")}


def autocast_of_steps():
    layer = nn.Linear(3, 2).cuda()
    with torch.autocast("cuda"):
        loss = layer(g(2, 3)).float().sum()
    loss.backward()
    return {"gradient": layer.weight.grad, "loss": loss}


def autocast_errors():
    return {
        "unknown device": lambda: torch.autocast("gpu").device,
        "dtype": lambda: torch.autocast("cuda", dtype=torch.float64).fast_dtype,
        "decorator": lambda: torch.autocast("cuda")(nn.Linear(2, 2).cuda().forward)(g(1, 2)),
    }


def grad_scaler():
    layer = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    loss = scaler.scale(layer(g(1, 2)).sum())
    loss.backward()
    scaler.unscale_(optimizer)
    return {
        "loss": loss,
        "twice": lambda: scaler.unscale_(optimizer),
        "step": lambda: scaler.step(optimizer),
        "update": lambda: scaler.update(),
        "enabled": lambda: scaler.is_enabled(),
        "scale of cpu": lambda: scaler.scale(c(1)),
        "not scaled": lambda: torch.amp.GradScaler("cuda").step(optimizer),
        "state": lambda: sorted(scaler.state_dict()),
    }
