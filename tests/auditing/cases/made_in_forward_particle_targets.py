"""Target classes are looked up one by one and gathered into a new tensor, on the CPU.

Thread: https://github.com/graphnet-team/graphnet/issues/328
"""

import torch
from torch import nn

CODE = "made-in-forward"
LINE_HAS = "torch.tensor("

CLASS_OF = {1: 0, 12: 1, 13: 2, 14: 1}


class ParticleClassifier(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.classify = nn.Linear(dim, 3)

    def forward(self, features, particle):
        target = torch.tensor([CLASS_OF[int(value)] for value in particle])
        return nn.functional.cross_entropy(self.classify(features), target)


def example_input() -> tuple[torch.Tensor, ...]:
    particles = torch.tensor([1, 12, 13, 14])
    return (torch.randn(8, 6), particles[torch.randint(0, 4, (8,))])


BUGGY = ParticleClassifier
FIXED = (
    """\
-        target = torch.tensor([CLASS_OF[int(value)] for value in particle])
+        target = torch.tensor([CLASS_OF[value] for value in particle.tolist()])
+        target = target.to(features.device)
""",
    """\
         self.classify = nn.Linear(dim, 3)
+        table = torch.zeros(max(CLASS_OF) + 1, dtype=torch.long)
+        for particle, number in CLASS_OF.items():
+            table[particle] = number
+        self.register_buffer("class_of", table, persistent=False)

-        target = torch.tensor([CLASS_OF[int(value)] for value in particle])
-        return nn.functional.cross_entropy(self.classify(features), target)
+        return nn.functional.cross_entropy(self.classify(features), self.class_of[particle])
""",
)
