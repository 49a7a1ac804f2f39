"""Gate weights are moved after wrapping, so what is assigned is a copy and not a Parameter.

Thread: https://github.com/davidmrau/mixture-of-experts/issues/12
"""

import torch
from torch import nn

CODE = "moved-before-registration"
WHERE = "self.w_gate"
LINE_HAS = ".to(device)"


class MixtureOfExperts(nn.Module):
    def __init__(self, dim=6, experts=3, device="cpu"):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(dim, dim, device=device) for _ in range(experts))
        self.w_gate = nn.Parameter(torch.zeros(dim, experts)).to(device)

    def forward(self, x):
        gates = (x @ self.w_gate).softmax(dim=-1)
        outputs = torch.stack([expert(x) for expert in self.experts], dim=-1)
        return (outputs * gates.unsqueeze(1)).sum(dim=-1)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = MixtureOfExperts
FIXED = (
    """\
-        self.w_gate = nn.Parameter(torch.zeros(dim, experts)).to(device)
+        self.w_gate = nn.Parameter(torch.zeros(dim, experts, device=device))
""",
    """\
-    def __init__(self, dim=6, experts=3, device="cpu"):
+    def __init__(self, dim=6, experts=3):

-        self.experts = nn.ModuleList(nn.Linear(dim, dim, device=device) for _ in range(experts))
-        self.w_gate = nn.Parameter(torch.zeros(dim, experts)).to(device)
+        self.experts = nn.ModuleList(nn.Linear(dim, dim) for _ in range(experts))
+        self.w_gate = nn.Parameter(torch.zeros(dim, experts))
""",
)
