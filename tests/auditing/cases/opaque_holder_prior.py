"""A Distribution keeps its own tensors, and .to() does not know what a Distribution is.

Thread: https://github.com/Lightning-AI/pytorch-lightning/issues/12943
"""

import torch
from torch import nn
from torch.distributions import Independent, Normal

CODE = "opaque-holder"
WHERE = "self.prior.base_dist.loc"


class LatentDensity(nn.Module):
    def __init__(self, dim=6, latent=2):
        super().__init__()
        self.encode = nn.Linear(dim, latent)
        self.prior = Independent(Normal(torch.zeros(latent), torch.ones(latent)), 1)

    def forward(self, x):
        z = self.encode(x)
        return z, self.prior.log_prob(z)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6),)


BUGGY = LatentDensity
FIXED = (
    """\
-        self.prior = Independent(Normal(torch.zeros(latent), torch.ones(latent)), 1)
+        self.register_buffer("prior_loc", torch.zeros(latent))
+        self.register_buffer("prior_scale", torch.ones(latent))
+
+    @property
+    def prior(self):
+        return Independent(Normal(self.prior_loc, self.prior_scale), 1)
""",
    """\
-        self.prior = Independent(Normal(torch.zeros(latent), torch.ones(latent)), 1)

-        return z, self.prior.log_prob(z)
+        prior = Independent(Normal(torch.zeros_like(z), torch.ones_like(z)), 1)
+        return z, prior.log_prob(z)
""",
)
