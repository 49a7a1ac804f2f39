"""The centres of a centre loss are Parameters that nobody gave to the optimizer.

Thread: https://github.com/KaiyangZhou/pytorch-center-loss/issues/22
"""

import torch
from torch import nn

CODE = "criterion-state"
WHERE = "self.center_loss.centers"


class CenterLoss(nn.Module):
    def __init__(self, classes=3, dim=4):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, dim))

    def forward(self, features, target):
        return (features - self.centers[target]).pow(2).sum(dim=-1).mean()


class FaceModel(nn.Module):
    def __init__(self, dim=6, features=4):
        super().__init__()
        self.backbone = nn.Linear(dim, features)
        self.center_loss = CenterLoss(dim=features)
        self.optimizer = torch.optim.SGD(self.backbone.parameters(), lr=0.1)

    def forward(self, x, target):
        return self.center_loss(self.backbone(x), target)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6), torch.randint(0, 3, (4,)))


BUGGY = FaceModel
FIXED = (
    """\
-        self.optimizer = torch.optim.SGD(self.backbone.parameters(), lr=0.1)
+        self.optimizer = torch.optim.SGD(
+            [
+                {"params": self.backbone.parameters(), "lr": 0.1},
+                {"params": self.center_loss.parameters(), "lr": 0.5},
+            ]
+        )
""",
)
