"""The window of a feature extractor is a plain tensor, so the extractor works on the CPU alone.

Thread: https://github.com/lhotse-speech/lhotse/pull/1171
"""

import torch
from torch import nn

CODE = "member-tensor"
WHERE = "self._window"
LINE_HAS = "torch.hann_window("


class FrameEnergies(nn.Module):
    def __init__(self, length=16, hop=8):
        super().__init__()
        self.length, self.hop = length, hop
        self._window = torch.hann_window(length, periodic=False)

    def forward(self, waveform):
        frames = waveform.unfold(-1, self.length, self.hop)
        return (frames * self._window).pow(2).sum(dim=-1).clamp(min=1e-6).log()


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 64),)


BUGGY = FrameEnergies
FIXED = (
    """\
-        self._window = torch.hann_window(length, periodic=False)
+        window = torch.hann_window(length, periodic=False)
+        self.register_buffer("_window", window, persistent=False)
""",
    """\
-        self._window = torch.hann_window(length, periodic=False)
+        self._window = nn.Buffer(torch.hann_window(length, periodic=False), persistent=False)
""",
)
