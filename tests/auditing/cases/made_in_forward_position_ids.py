"""Positions are counted by torch.arange without a device, and the embedding refuses a CPU index.

Thread: https://github.com/huggingface/transformers/pull/44822
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.arange("


class TokenEmbedding(nn.Module):
    def __init__(self, vocabulary=20, max_len=16, dim=8):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, dim)
        self.positions = nn.Embedding(max_len, dim)

    def forward(self, ids):
        positions = torch.arange(ids.shape[1])
        return self.tokens(ids) + self.positions(positions)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 20, (4, 6)),)


BUGGY = TokenEmbedding
FIXED = (
    """\
-        positions = torch.arange(ids.shape[1])
+        positions = torch.arange(ids.shape[1], device=ids.device)
""",
    """\
         self.positions = nn.Embedding(max_len, dim)
+        self.register_buffer("position_ids", torch.arange(max_len), persistent=False)

-        positions = torch.arange(ids.shape[1])
-        return self.tokens(ids) + self.positions(positions)
+        return self.tokens(ids) + self.positions(self.position_ids[: ids.shape[1]])
""",
)
