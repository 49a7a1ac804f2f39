"""forward uses an alias of a buffer; the move replaces the buffer and leaves the alias behind.

Thread: https://github.com/pytorch/pytorch/issues/29807
"""

import torch
from torch import nn

CODE = "member-tensor"
WHERE = "self.basis"
LINE_HAS = "self.basis = self.dct"


def dct_matrix(size):
    n = torch.arange(float(size))
    matrix = torch.cos(torch.pi / size * (n + 0.5)[None, :] * n[:, None])
    return matrix * (2.0 / size) ** 0.5


class SpectralMixer(nn.Module):
    def __init__(self, size=8):
        super().__init__()
        self.register_buffer("dct", dct_matrix(size))
        self.basis = self.dct
        self.gain = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return (x @ self.basis.t() * self.gain) @ self.basis


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 8),)


BUGGY = SpectralMixer
FIXED = (
    """\
-        self.basis = self.dct

-        return (x @ self.basis.t() * self.gain) @ self.basis
+        return (x @ self.dct.t() * self.gain) @ self.dct
""",
    """\
-        self.basis = self.dct
         self.gain = nn.Parameter(torch.ones(size))
+
+    @property
+    def basis(self):
+        return self.dct
""",
)
