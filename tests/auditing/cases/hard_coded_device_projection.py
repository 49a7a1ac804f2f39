"""Random projections are drawn on "cuda" whatever device the features are on.

Thread: https://github.com/galilai-group/stable-worldmodel/pull/231
"""

import torch
from torch import nn

CODE = "hard-coded-device"
LINE_HAS = "device=device"


class SlicedRegulariser(nn.Module):
    def __init__(self, dim=8, projections=5):
        super().__init__()
        self.projections = projections
        self.embed = nn.Linear(dim, dim)

    def forward(self, x):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        features = self.embed(x)
        directions = torch.randn(features.shape[-1], self.projections, device=device)
        return (features @ directions).var(dim=0).mean()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(8, 8),)


BUGGY = SlicedRegulariser
FIXED = (
    """\
-        device = "cuda" if torch.cuda.is_available() else "cpu"

-        directions = torch.randn(features.shape[-1], self.projections, device=device)
+        directions = features.new_empty(features.shape[-1], self.projections).normal_()
""",
)
