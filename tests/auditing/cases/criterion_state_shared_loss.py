"""A loss with class weights is made once for the whole file, outside every module.

Thread: https://github.com/sacdallago/biotrainer/issues/67
"""

import torch
from torch import nn

CODE = "criterion-state"

CLASS_WEIGHTS = [0.2, 0.3, 0.5]
criterion = nn.CrossEntropyLoss(weight=torch.tensor(CLASS_WEIGHTS))


class ResidueClassifier(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.classify = nn.Linear(dim, len(CLASS_WEIGHTS))

    def forward(self, embedding, target):
        return criterion(self.classify(embedding), target)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6), torch.randint(0, 3, (4,)))


BUGGY = ResidueClassifier
FIXED = (
    """\
         self.classify = nn.Linear(dim, len(CLASS_WEIGHTS))
+        self.criterion = nn.CrossEntropyLoss(weight=torch.tensor(CLASS_WEIGHTS))

-        return criterion(self.classify(embedding), target)
+        return self.criterion(self.classify(embedding), target)
""",
    """\
-        return criterion(self.classify(embedding), target)
+        logits = self.classify(embedding)
+        weight = logits.new_tensor(CLASS_WEIGHTS)
+        return nn.functional.cross_entropy(logits, target, weight=weight)
""",
)
