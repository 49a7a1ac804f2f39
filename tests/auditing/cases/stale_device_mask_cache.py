"""Block masks come from a cache for the whole process whose key leaves out the device.

Thread: https://github.com/unslothai/unsloth/pull/8516
"""

from functools import lru_cache

import torch
from torch import nn

CODE = "stale-device"


_masks = {}


def cached_mask(length, size, device):
    key = (length, size)
    if key not in _masks:
        block = torch.arange(length, device=device) // size
        _masks[key] = block[:, None] != block[None, :]
    return _masks[key]


@lru_cache(maxsize=16)
def block_mask(length, size, device):
    block = torch.arange(length, device=device) // size
    return block[:, None] != block[None, :]


class BlockAttention(nn.Module):
    def __init__(self, dim=8, block=2):
        super().__init__()
        self.block = block
        self.qk = nn.Linear(dim, dim)

    def forward(self, x):
        h = self.qk(x)
        mask = cached_mask(x.shape[1], self.block, x.device)
        return (h @ h.transpose(1, 2)).masked_fill(mask, float("-inf")).softmax(dim=-1) @ x


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 8),)


BUGGY = BlockAttention
FIXED = (
    """\
-        mask = cached_mask(x.shape[1], self.block, x.device)
+        mask = block_mask(x.shape[1], self.block, x.device)
""",
)
