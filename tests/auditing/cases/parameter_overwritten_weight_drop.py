"""A wrapper drops recurrent weights by setting the result over the wrapped layer's Parameter.

Thread: https://github.com/salesforce/awd-lstm-lm/issues/79
"""

import torch
from torch import nn
from torch.nn.utils import parametrize

CODE = "parameter-overwritten"
LINE_HAS = 'setattr(self.module, "weight"'


class WeightDrop(nn.Module):
    def __init__(self, dim=6, dropout=0.3):
        super().__init__()
        self.module = nn.Linear(dim, dim)
        self.dropout = dropout

    def forward(self, x):
        dropped = nn.functional.dropout(self.module.weight, self.dropout, self.training)
        setattr(self.module, "weight", dropped)  # noqa: B010
        return self.module(x)


class WeightDropParametrized(nn.Module):
    def __init__(self, dim=6, dropout=0.3):
        super().__init__()
        self.module = nn.Linear(dim, dim)
        parametrize.register_parametrization(self.module, "weight", nn.Dropout(dropout))

    def forward(self, x):
        return self.module(x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = WeightDrop
FIXED = (
    """\
+from torch.func import functional_call
 import torch

-        setattr(self.module, "weight", dropped)  # noqa: B010
-        return self.module(x)
+        return functional_call(self.module, {"weight": dropped}, (x,))
""",
    WeightDropParametrized,
)
