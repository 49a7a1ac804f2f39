"""A method kept on `self` is bound to the module itself, and so works on its weights in a replica.

Thread: https://github.com/pytorch/pytorch/issues/8637
"""

import torch
from torch import nn
from torch.nn import functional

CODE = "replica"
SEVERITY = "warning"
WHERE = "self.operation"
LINE_HAS = "self.key(x)"


class NonLocal(nn.Module):
    def __init__(self, dim=6, mode="gaussian"):
        super().__init__()
        self.key = nn.Linear(dim, dim)
        self.mode = mode
        self.operation = {"gaussian": self.gaussian, "dot": self.dot}[mode]

    def gaussian(self, x):
        return functional.softmax(self.key(x) @ self.key(x).t(), dim=-1) @ x

    def dot(self, x):
        return self.key(x) @ self.key(x).t() @ x / len(x)

    def forward(self, x):
        return self.operation(x)


class NonLocalByName(NonLocal):
    def __init__(self, dim=6, mode="gaussian"):
        super().__init__(dim, mode)
        self.operation = mode

    def forward(self, x):
        return getattr(self, self.operation)(x)


class NonLocalByClass(NonLocal):
    """A function of the class, which is handed the replica."""

    def __init__(self, dim=6, mode="gaussian"):
        super().__init__(dim, mode)
        self.operation = {"gaussian": NonLocal.gaussian, "dot": NonLocal.dot}[mode]

    def forward(self, x):
        return self.operation(self, x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = NonLocal
FIXED = (NonLocalByName, NonLocalByClass)
