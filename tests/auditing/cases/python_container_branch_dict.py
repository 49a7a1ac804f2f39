"""The encoders of a model with several inputs are kept in a plain dict.

Thread: https://github.com/ray-project/ray/issues/22659
"""

import torch
from torch import nn

CODE = "python-container"
WHERE = "self.encoders"


class ComplexInputNetwork(nn.Module):
    def __init__(self, sizes=None, dim=6):
        super().__init__()
        sizes = sizes or {"image": 12, "speed": 3}
        self.encoders = {name: nn.Linear(size, dim) for name, size in sizes.items()}
        self.head = nn.Linear(dim * len(sizes), 2)

    def forward(self, image, speed):
        parts = [self.encoders["image"](image), self.encoders["speed"](speed)]
        return self.head(torch.cat(parts, dim=-1).relu())


def example_input() -> dict[str, torch.Tensor]:
    return {"image": torch.randn(4, 12), "speed": torch.randn(4, 3)}


BUGGY = ComplexInputNetwork
FIXED = (
    """\
-        self.encoders = {name: nn.Linear(size, dim) for name, size in sizes.items()}
+        self.encoders = nn.ModuleDict({name: nn.Linear(size, dim) for name, size in sizes.items()})
""",
)
