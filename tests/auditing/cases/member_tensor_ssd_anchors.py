"""A detector returns its anchors as they were made: on the CPU, beside scores on the GPU.

Thread: https://github.com/d2l-ai/d2l-zh/pull/1278
"""

import torch
from torch import nn

CODE = "member-tensor"
WHERE = "self.anchors"


class TinyDetector(nn.Module):
    def __init__(self, cells=4, classes=3):
        super().__init__()
        centre = (torch.arange(float(cells)) + 0.5) / cells
        y, x = torch.meshgrid(centre, centre, indexing="ij")
        side = torch.full_like(x, 1.5 / cells)
        self.anchors = torch.stack([x, y, side, side], dim=-1).reshape(-1, 4)
        self.classify = nn.Conv2d(3, classes, kernel_size=4, stride=4)

    def forward(self, image):
        scores = self.classify(image).flatten(2).transpose(1, 2)
        return self.anchors, scores


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.rand(2, 3, 16, 16),)


BUGGY = TinyDetector
FIXED = (
    """\
-        self.anchors = torch.stack([x, y, side, side], dim=-1).reshape(-1, 4)
+        anchors = torch.stack([x, y, side, side], dim=-1).reshape(-1, 4)
+        self.register_buffer("anchors", anchors, persistent=False)
""",
)
