"""A beam search keeps its scores in a tensor made on the CPU.

Thread: https://github.com/harvardnlp/pytorch-struct/issues/48
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.full("


class BeamDecoder(nn.Module):
    def __init__(self, vocabulary=7, dim=6, beams=3, steps=4):
        super().__init__()
        self.beams, self.steps = beams, steps
        self.embed = nn.Embedding(vocabulary, dim)
        self.next = nn.Linear(dim, vocabulary)

    def forward(self, start):
        batch = start.shape[0]
        tokens = start.unsqueeze(1).expand(batch, self.beams)
        total = torch.full((batch, self.beams), -1e4)
        total[:, 0] = 0
        for _ in range(self.steps):
            scores = total.unsqueeze(-1) + self.next(self.embed(tokens)).log_softmax(dim=-1)
            total, best = scores.flatten(1).topk(self.beams, dim=-1)
            tokens = best % scores.shape[-1]
        return total, tokens


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randint(0, 7, (4,)),)


BUGGY = BeamDecoder
FIXED = (
    """\
-        total = torch.full((batch, self.beams), -1e4)
+        total = self.embed.weight.new_full((batch, self.beams), -1e4)
""",
)
