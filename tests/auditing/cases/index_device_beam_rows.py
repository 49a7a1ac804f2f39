"""Beam search picks rows of a CPU tensor by row numbers that were computed on the GPU.

Thread: https://github.com/kaylode/caption-transformer/issues/3
"""

import torch
from torch import nn

CODE = "index-device"
LINE_HAS = "outputs[row]"


class CaptionBeam(nn.Module):
    def __init__(self, dim=6, vocabulary=8, beams=3):
        super().__init__()
        self.beams = beams
        self.start = torch.zeros(beams, 2, dtype=torch.long)
        self.next_word = nn.Linear(dim, vocabulary)

    def k_best_outputs(self, outputs, scores):
        best, flat = scores.flatten().topk(self.beams)
        row = flat // scores.shape[-1]
        return outputs[row].to(row.device), best

    def forward(self, memory):
        scores = self.next_word(memory).log_softmax(dim=-1)
        beams = [self.k_best_outputs(self.start, s.expand(self.beams, -1)) for s in scores]
        return torch.stack([rows for rows, _ in beams]), torch.stack([best for _, best in beams])


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = CaptionBeam
FIXED = (
    """\
-        self.start = torch.zeros(beams, 2, dtype=torch.long)
+        self.register_buffer("start", torch.zeros(beams, 2, dtype=torch.long), persistent=False)

-        return outputs[row].to(row.device), best
+        return outputs[row], best
""",
)
