"""Shadow weights are kept by name in a dict and compared with the moved weights.

Thread: https://github.com/huggingface/pytorch-image-models/issues/2127
"""

import torch
from torch import nn
from torch.func import functional_call

CODE = "averaged-copy"
WHERE = "self.shadow"


class ModelWithShadow(nn.Module):
    def __init__(self, dim=6, classes=3, decay=0.99):
        super().__init__()
        self.module = nn.Linear(dim, classes)
        self.decay = decay
        self.shadow = {name: p.detach().clone() for name, p in self.module.named_parameters()}

    @torch.no_grad()
    def update(self):
        for name, parameter in self.module.named_parameters():
            shadow = self.shadow[name]
            self.shadow[name] = self.decay * shadow + (1 - self.decay) * parameter

    def forward(self, x):
        if self.training:
            self.update()
            return self.module(x)
        return functional_call(self.module, self.shadow, (x,))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = ModelWithShadow
FIXED = (
    """\
-        self.shadow = {name: p.detach().clone() for name, p in self.module.named_parameters()}
+        self.shadow = nn.Linear(dim, classes).requires_grad_(False)
+        self.shadow.load_state_dict(self.module.state_dict())

-        for name, parameter in self.module.named_parameters():
-            shadow = self.shadow[name]
-            self.shadow[name] = self.decay * shadow + (1 - self.decay) * parameter
+        pairs = zip(self.shadow.parameters(), self.module.parameters(), strict=True)
+        for shadow, parameter in pairs:
+            shadow.lerp_(parameter, 1 - self.decay)

-        return functional_call(self.module, self.shadow, (x,))
+        return self.shadow(x)
""",
)
