"""A codebook that should be trained by gradients is a buffer, so no optimizer is given it.

Thread: https://github.com/lucidrains/vector-quantize-pytorch/issues/20
"""

import torch
from torch import nn

CODE = "parameter-or-buffer"
WHERE = "self.embed"
LINE_HAS = 'self.register_buffer("embed"'


class VectorQuantizer(nn.Module):
    def __init__(self, codes=6, dim=4):
        super().__init__()
        self.encode = nn.Linear(dim, dim)
        self.register_buffer("embed", torch.randn(codes, dim).requires_grad_())

    def forward(self, x):
        z = self.encode(x)
        nearest = torch.cdist(z.detach(), self.embed.detach()).argmin(dim=-1)
        code = self.embed[nearest]
        loss = (code - z.detach()).pow(2).mean() + 0.25 * (z - code.detach()).pow(2).mean()
        return z + (code - z).detach(), loss


class VectorQuantizerAverage(nn.Module):
    """Moves the codes towards what they stand for, without gradients: there a buffer is right."""

    def __init__(self, codes=6, dim=4, decay=0.9):
        super().__init__()
        self.decay = decay
        self.encode = nn.Linear(dim, dim)
        self.register_buffer("embed", torch.randn(codes, dim))

    @torch.no_grad()
    def follow(self, z, nearest):
        one_hot = torch.nn.functional.one_hot(nearest, self.embed.shape[0]).to(z)
        count = one_hot.sum(dim=0).unsqueeze(1)
        mean = one_hot.t() @ z / count.clamp(min=1)
        self.embed.copy_(torch.where(count > 0, self.embed.lerp(mean, 1 - self.decay), self.embed))

    def forward(self, x):
        z = self.encode(x)
        nearest = torch.cdist(z.detach(), self.embed).argmin(dim=-1)
        code = self.embed[nearest]
        if self.training:
            self.follow(z.detach(), nearest)
        return z + (code - z).detach(), 0.25 * (z - code).pow(2).mean()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(8, 4),)


BUGGY = VectorQuantizer
FIXED = (
    """\
-        self.register_buffer("embed", torch.randn(codes, dim).requires_grad_())
+        self.embed = nn.Parameter(torch.randn(codes, dim))
""",
    VectorQuantizerAverage,
)
