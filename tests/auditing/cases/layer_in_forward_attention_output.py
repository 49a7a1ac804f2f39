"""The output projection and the layer norm of an attention block are built in each call.

Thread: https://github.com/graykode/nlp-tutorial/issues/29
"""

import torch
from torch import nn

CODE = "layer-in-forward"
LINE_HAS = "nn.Linear(self.dim, self.dim)"


class AttentionBlock(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.dim = dim
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        context = (q @ k.transpose(1, 2) / self.dim**0.5).softmax(dim=-1) @ v
        output = nn.Linear(self.dim, self.dim)(context)
        return nn.LayerNorm(self.dim)(output + x)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 8),)


BUGGY = AttentionBlock
FIXED = (
    """\
         self.qkv = nn.Linear(dim, 3 * dim)
+        self.output = nn.Linear(dim, dim)
+        self.norm = nn.LayerNorm(dim)

-        output = nn.Linear(self.dim, self.dim)(context)
-        return nn.LayerNorm(self.dim)(output + x)
+        return self.norm(self.output(context) + x)
""",
)
