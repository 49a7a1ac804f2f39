"""Anchors are kept by a helper class that is not a module, so they stay where they were made.

Thread: https://github.com/facebookresearch/detectron2/issues/2324
"""

import torch
from torch import nn

CODE = "opaque-holder"
WHERE = "self.anchor_generator.cell_anchors"


class AnchorGenerator:
    def __init__(self, sizes=(2.0, 4.0)):
        half = torch.tensor(sizes).unsqueeze(1) / 2
        self.cell_anchors = torch.cat([-half, -half, half, half], dim=1)

    def grid(self, height, width, device):
        y, x = torch.meshgrid(
            torch.arange(height, device=device), torch.arange(width, device=device), indexing="ij"
        )
        shift = torch.stack([x, y, x, y], dim=-1).reshape(-1, 1, 4)
        return (shift + self.cell_anchors).reshape(-1, 4)


class ProposalHead(nn.Module):
    def __init__(self, channels=4):
        super().__init__()
        self.anchor_generator = AnchorGenerator()
        self.objectness = nn.Conv2d(channels, 2, 1)

    def forward(self, features):
        height, width = features.shape[-2:]
        boxes = self.anchor_generator.grid(height, width, features.device)
        return boxes, self.objectness(features).permute(0, 2, 3, 1).flatten(1)


class AnchorGeneratorModule(nn.Module):
    def __init__(self, sizes=(2.0, 4.0)):
        super().__init__()
        half = torch.tensor(sizes).unsqueeze(1) / 2
        cells = torch.cat([-half, -half, half, half], dim=1)
        self.register_buffer("cell_anchors", cells, persistent=False)

    def grid(self, height, width):
        device = self.cell_anchors.device
        y, x = torch.meshgrid(
            torch.arange(height, device=device), torch.arange(width, device=device), indexing="ij"
        )
        shift = torch.stack([x, y, x, y], dim=-1).reshape(-1, 1, 4)
        return (shift + self.cell_anchors).reshape(-1, 4)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 4, 3, 5),)


BUGGY = ProposalHead
FIXED = (
    """\
-        self.anchor_generator = AnchorGenerator()
+        self.anchor_generator = AnchorGeneratorModule()

-        height, width = features.shape[-2:]
-        boxes = self.anchor_generator.grid(height, width, features.device)
+        boxes = self.anchor_generator.grid(*features.shape[-2:])
""",
)
