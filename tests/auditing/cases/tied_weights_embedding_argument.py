"""nn.Embedding wraps the weight that it is given in a Parameter of its own.

Thread: https://github.com/pytorch/pytorch/issues/62264
"""

import torch
from torch import nn

CODE = "tied-weights"
LINE_HAS = "_weight=self.out_embed.weight"


class CaptionDecoder(nn.Module):
    def __init__(self, dim=8, vocabulary=12):
        super().__init__()
        self.out_embed = nn.Linear(dim, vocabulary, bias=False)
        self.in_embed = nn.Embedding(vocabulary, dim, _weight=self.out_embed.weight)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.in_embed(tokens))
        return self.out_embed(hidden)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 12, (4, 5)),)


BUGGY = CaptionDecoder
FIXED = (
    """\
-        self.in_embed = nn.Embedding(vocabulary, dim, _weight=self.out_embed.weight)
+        self.in_embed = nn.Embedding(vocabulary, dim)
+        self.in_embed.weight = self.out_embed.weight
""",
    # Two weights that start equal and are meant to part.
    """\
-        self.in_embed = nn.Embedding(vocabulary, dim, _weight=self.out_embed.weight)
+        weight = self.out_embed.weight.detach().clone()
+        self.in_embed = nn.Embedding(vocabulary, dim, _weight=weight)
""",
)
