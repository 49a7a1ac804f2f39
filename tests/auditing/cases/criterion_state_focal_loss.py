"""The class weights of a focal loss are a plain tensor; nobody thinks to move a loss.

Thread: https://github.com/pytorch/pytorch/issues/122757
"""

import torch
from torch import nn
from torch.nn import functional

CODE = "criterion-state"
WHERE = "self.alpha"


class FocalLoss(nn.modules.loss._Loss):
    def __init__(self, alpha=(0.2, 0.3, 0.5), gamma=2.0):
        super().__init__()
        self.alpha = torch.tensor(alpha)
        self.gamma = gamma

    def forward(self, logits, target):
        log_prob = functional.log_softmax(logits, dim=-1)
        weighted = functional.nll_loss(log_prob, target, weight=self.alpha, reduction="none")
        confidence = log_prob.gather(1, target[:, None]).squeeze(1).exp()
        return ((1 - confidence) ** self.gamma * weighted).mean()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 3), torch.randint(0, 3, (4,)))


BUGGY = FocalLoss
FIXED = (
    """\
-        self.alpha = torch.tensor(alpha)
+        self.register_buffer("alpha", torch.tensor(alpha), persistent=False)
""",
)
