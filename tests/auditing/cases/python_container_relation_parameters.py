"""Parameters for each relation are kept in a dict, which does not register them.

Thread: https://github.com/pytorch/pytorch/issues/632
"""

import torch
from torch import nn

CODE = "python-container"
WHERE = "self.aggregation"


class RelationScorer(nn.Module):
    def __init__(self, dim=6, relations=("likes", "knows")):
        super().__init__()
        self.aggregation = {}
        for relation in relations:
            self.aggregation[relation] = nn.Parameter(1 + 0.1 * torch.randn(dim))
        self.bias = nn.Parameter(torch.zeros(len(relations)))

    def forward(self, subject, target):
        scores = [(subject * w * target).sum(dim=-1) for w in self.aggregation.values()]
        return torch.stack(scores, dim=-1) + self.bias


class RelationScorerStacked(nn.Module):
    def __init__(self, dim=6, relations=("likes", "knows")):
        super().__init__()
        self.aggregation = nn.Parameter(1 + 0.1 * torch.randn(len(relations), dim))
        self.bias = nn.Parameter(torch.zeros(len(relations)))

    def forward(self, subject, target):
        return (subject * target) @ self.aggregation.t() + self.bias


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6), torch.randn(4, 6))


BUGGY = RelationScorer
FIXED = (
    """\
-        self.aggregation = {}
-        for relation in relations:
-            self.aggregation[relation] = nn.Parameter(1 + 0.1 * torch.randn(dim))
+        self.aggregation = nn.ParameterDict(
+            {relation: nn.Parameter(1 + 0.1 * torch.randn(dim)) for relation in relations}
+        )
""",
    RelationScorerStacked,
)
