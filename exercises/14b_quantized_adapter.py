"""Exercise 14b: an adapter that joins a quantized layer, as long as that is on the CPU.

`AdaptedLinear` is a layer whose large weight was trained elsewhere and is kept in 8 bits: `codes`,
times a `scale` for each output. Next to it, two small matrices are trained (LoRA). It is built on
the device that you pass. On the CPU it works. Built on CUDA it raises, and where it is moved there,
its codes stay behind, and no checkpoint holds them.

Your task: let `AdaptedLinear` work wherever it is built or moved. `codes` stays a tensor of 8-bit
integers, moves, is saved and is never trained; so is `scale`. `down` and `up` are the only
Parameters that are trained. `state_dict()` holds these four names. `device=None` means the default
device.

Check it with:  grader check 14b
"""

import torch
from torch import nn
from torch.nn.functional import linear


class AdaptedLinear(nn.Module):
    """A frozen 8-bit layer, and a small trained one next to it."""

    def __init__(
        self, features: int, outputs: int, rank: int, device: torch.device | str | None = None
    ) -> None:
        super().__init__()
        self.codes = torch.ones(outputs, features, dtype=torch.int8, device=device)
        self.register_buffer("scale", torch.ones(outputs, 1, device=device))
        self.down = nn.Parameter(torch.randn(rank, features))
        self.register_parameter("down", self.down.to(device))
        self.up = nn.Parameter(torch.zeros(outputs, rank))
        self.register_parameter("up", self.up.to(device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, features); return (batch, outputs)."""
        weight = self.codes * self.scale
        return linear(x, weight) + linear(linear(x, self.down), self.up)
