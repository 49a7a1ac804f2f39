"""Exercise 08: centres that no optimizer has ever seen.

`Prototypes` scores an object by its distance to a centre for each class; the centres are learned,
and so is the temperature that scales the distances. It is built on the device that you pass or, if
you pass none, on CUDA where there is one. On a machine without CUDA all is well. On CUDA it runs,
and `backward` runs too, but the centres never change.

Your task: change `__init__` so that `centres` and `temperature` are Parameters wherever they are
built. Keep the argument `device`, and let `None` mean what it means in PyTorch's own layers: the
default device, which the caller may choose.

Check it with:  grader check 08
"""

import torch
from torch import nn


class Prototypes(nn.Module):
    """Scores the classes of an object: the nearer a class's centre, the higher its score."""

    def __init__(
        self, features: int, classes: int, device: torch.device | str | None = None
    ) -> None:
        super().__init__()
        if device is None:
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.centres = nn.Parameter(torch.eye(classes, features)).to(device)
        self.temperature = nn.Parameter(torch.ones(())).to(device)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch of shape (batch, features); return scores of shape (batch, classes)."""
        distances = (x[:, None] - self.centres).square().sum(dim=2)
        return -distances / self.temperature
