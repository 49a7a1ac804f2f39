"""An image normaliser keeps its mean and deviation as plain tensors, which a move leaves behind.

Thread: https://github.com/kornia/kornia/pull/4330
"""

import torch
from torch import nn

CODE = "member-tensor"
WHERE = "self.mean"
LINE_HAS = "self.mean = torch.tensor("


class Normalise(nn.Module):
    def __init__(self, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.mean = torch.tensor(mean).view(1, -1, 1, 1)
        self.std = torch.tensor(std).view(1, -1, 1, 1)

    def forward(self, image):
        return (image - self.mean) / self.std


class NormaliseOnUse(nn.Module):
    def __init__(self, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.mean = mean
        self.std = std

    def forward(self, image):
        mean = image.new_tensor(self.mean).view(1, -1, 1, 1)
        std = image.new_tensor(self.std).view(1, -1, 1, 1)
        return (image - mean) / std


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.rand(4, 3, 8, 8),)


BUGGY = Normalise
FIXED = (
    """\
-        self.mean = torch.tensor(mean).view(1, -1, 1, 1)
-        self.std = torch.tensor(std).view(1, -1, 1, 1)
+        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
+        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)
""",
    NormaliseOnUse,
)
