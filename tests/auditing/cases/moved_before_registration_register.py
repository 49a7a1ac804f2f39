"""register_parameter is given a Parameter that was moved; on a GPU it is refused.

Thread: https://github.com/pytorch/pytorch/issues/161935
"""

import torch
from torch import nn

CODE = "moved-before-registration"
LINE_HAS = "self.register_parameter"


class PromptedEncoder(nn.Module):
    def __init__(self, dim=6, prompts=2, device="cpu"):
        super().__init__()
        self.encode = nn.Linear(dim, dim, device=device)
        prompt = nn.Parameter(torch.randn(prompts, dim)).to(device)
        self.register_parameter("prompt", prompt)

    def forward(self, x):
        prompt = self.prompt.expand(x.shape[0], -1, -1)
        return self.encode(torch.cat([prompt, x], dim=1))


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 5, 6),)


BUGGY = PromptedEncoder
FIXED = (
    """\
-        prompt = nn.Parameter(torch.randn(prompts, dim)).to(device)
+        prompt = nn.Parameter(torch.randn(prompts, dim).to(device))
""",
)
