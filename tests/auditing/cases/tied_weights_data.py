"""Input and output embedding share memory through .data; the first move separates them.

Thread: https://github.com/pytorch/xla/issues/2719
"""

import torch
from torch import nn
from torch.nn import functional

CODE = "tied-weights"
LINE_HAS = ".data = "


class TinyLanguageModel(nn.Module):
    def __init__(self, vocabulary=12, dim=8):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.mix = nn.Linear(dim, dim)
        self.lm_head = nn.Linear(dim, vocabulary, bias=False)
        self.lm_head.weight.data = self.embed.weight.data

    def forward(self, ids):
        return self.lm_head(torch.tanh(self.mix(self.embed(ids))))


class TinyLanguageModelOneWeight(nn.Module):
    def __init__(self, vocabulary=12, dim=8):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.mix = nn.Linear(dim, dim)

    def forward(self, ids):
        return functional.linear(torch.tanh(self.mix(self.embed(ids))), self.embed.weight)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 12, (4, 6)),)


BUGGY = TinyLanguageModel
FIXED = (
    """\
-        self.lm_head.weight.data = self.embed.weight.data
+        self.lm_head.weight = self.embed.weight
""",
    TinyLanguageModelOneWeight,
)
