"""A seeded module draws from a Bernoulli distribution with a generator of another device.

Thread: https://github.com/mit-ll-responsible-ai/responsible-ai-toolbox/pull/64
"""

import torch
from torch import nn

CODE = "generator-device"
WHERE = "self.generator"


class SeededDropout(nn.Module):
    def __init__(self, p=0.3, seed=1):
        super().__init__()
        self.p = p
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, x):
        if not self.training:
            return x
        keep = torch.full_like(x, 1 - self.p).bernoulli_(generator=self.generator)
        return x * keep / (1 - self.p)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = SeededDropout
FIXED = (
    # Derives the generator from a seed and a step that the checkpoint has.
    """\
-        self.p = p
-        self.generator = torch.Generator().manual_seed(seed)
+        self.p, self.seed = p, seed
+        self.register_buffer("step", torch.zeros((), dtype=torch.long))

-        keep = torch.full_like(x, 1 - self.p).bernoulli_(generator=self.generator)
+        generator = torch.Generator(device=x.device).manual_seed(self.seed + int(self.step))
+        self.step += 1
+        keep = torch.full_like(x, 1 - self.p).bernoulli_(generator=generator)
""",
)
