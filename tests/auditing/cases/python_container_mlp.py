"""The hidden layers sit in a Python list, unseen by .to(), parameters() and state_dict().

Thread: https://github.com/pytorch/pytorch/issues/1053
"""

import torch
from torch import nn

CODE = "python-container"
WHERE = "self.hidden"


class DeepClassifier(nn.Module):
    def __init__(self, dim=8, depth=3, classes=5):
        super().__init__()
        self.hidden = []
        for _ in range(depth):
            self.hidden.append(nn.Linear(dim, dim))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.head(x)


class DeepClassifierSequential(nn.Module):
    def __init__(self, dim=8, depth=3, classes=5):
        super().__init__()
        layers = []
        for _ in range(depth):
            layers += [nn.Linear(dim, dim), nn.ReLU()]
        self.hidden = nn.Sequential(*layers)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.hidden(x))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = DeepClassifier
FIXED = (
    """\
-        self.hidden = []
-        for _ in range(depth):
-            self.hidden.append(nn.Linear(dim, dim))
+        self.hidden = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
""",
    DeepClassifierSequential,
)
