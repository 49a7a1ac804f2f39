"""One weighted loss for each letter position is kept in a list, and its weights stay behind.

Thread: https://github.com/Lightning-AI/pytorch-lightning/issues/2984
"""

import torch
from torch import nn

CODE = "criterion-state"
WHERE = "self.criterions"


class HandwritingModel(nn.Module):
    def __init__(self, dim=6, letters=4, positions=2):
        super().__init__()
        self.positions = positions
        self.read = nn.Linear(dim, letters * positions)
        self.criterions = []
        for position in range(positions):
            weight = torch.ones(letters) / (1 + position)
            weight[0] = 0.1
            self.criterions.append(nn.CrossEntropyLoss(weight=weight))

    def forward(self, x, letters):
        logits = self.read(x).view(x.shape[0], self.positions, -1)
        losses = [
            criterion(logits[:, position], letters[:, position])
            for position, criterion in enumerate(self.criterions)
        ]
        return torch.stack(losses).sum()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6), torch.randint(0, 4, (4, 2)))


BUGGY = HandwritingModel
FIXED = (
    """\
-        self.criterions = []
+        self.criterions = nn.ModuleList()
""",
)
