"""A mask is rebuilt only when the batch size changes, so after a move the old one is used again.

Thread: https://github.com/unit8co/darts/issues/3052
"""

import torch
from torch import nn

CODE = "stale-device"
SEVERITY = "warning"
WHERE = "self.attention_mask"


class TemporalFusion(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.encode = nn.Linear(dim, dim)
        self.batch_size_last = -1
        self.attention_mask = None

    def forward(self, x):
        batch, time, _ = x.shape
        if batch != self.batch_size_last:
            self.attention_mask = torch.ones(batch, time, time, device=x.device).tril().bool()
            self.batch_size_last = batch
        h = self.encode(x)
        scores = h @ h.transpose(1, 2)
        return scores.masked_fill(~self.attention_mask, float("-inf")).softmax(-1) @ h


class TemporalFusionRebuilt(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.encode = nn.Linear(dim, dim)

    def forward(self, x):
        time = x.shape[1]
        mask = torch.ones(time, time, dtype=torch.bool, device=x.device).tril()
        h = self.encode(x)
        scores = h @ h.transpose(1, 2)
        return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ h


class TemporalFusionChecked(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.encode = nn.Linear(dim, dim)
        self.attention_mask = None

    def _mask(self, time, device):
        mask = self.attention_mask
        if mask is None or mask.shape[0] != time or mask.device != device:
            mask = torch.ones(time, time, dtype=torch.bool, device=device).tril()
            self.attention_mask = mask
        return mask

    def forward(self, x):
        h = self.encode(x)
        scores = h @ h.transpose(1, 2)
        mask = self._mask(x.shape[1], x.device)
        return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ h


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 6, 8),)


BUGGY = TemporalFusion
FIXED = (TemporalFusionRebuilt, TemporalFusionChecked)
