"""The spectral part of a vocoder is a plain object, and its window is not moved with the model.

Thread: https://github.com/mozilla/TTS/issues/619
"""

import torch
from torch import nn

CODE = "opaque-holder"
WHERE = "self.stft.window"


class TorchSTFT:
    def __init__(self, n_fft=16, hop=4):
        self.n_fft, self.hop = n_fft, hop
        self.window = torch.hann_window(n_fft)

    def __call__(self, waveform):
        spectrum = torch.stft(
            waveform, self.n_fft, self.hop, window=self.window, return_complex=True
        )
        return spectrum.abs().clamp(min=1e-5)


class SpectralVocoder(nn.Module):
    def __init__(self, n_fft=16):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))
        self.stft = TorchSTFT(n_fft)

    def forward(self, waveform):
        return self.stft(self.gain * waveform).log()


class TorchSTFTModule(nn.Module):
    def __init__(self, n_fft=16, hop=4):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft), persistent=False)

    def forward(self, waveform):
        spectrum = torch.stft(
            waveform, self.n_fft, self.hop, window=self.window, return_complex=True
        )
        return spectrum.abs().clamp(min=1e-5)


def example_input() -> tuple[torch.Tensor, ...]:
    return (torch.randn(4, 64),)


BUGGY = SpectralVocoder
FIXED = (
    """\
-        self.stft = TorchSTFT(n_fft)
+        self.stft = TorchSTFTModule(n_fft)
""",
)
