"""Exercise 01b: a spectrum that cannot be plotted.

`MeasureSpectrum` does the work of `python spectrum.py --gpu 1`; it is a module only so that the
grader can call it. It takes sounds as they come from files, on the CPU. It returns the spectrum of
each sound as a tensor, and their average as a NumPy array, for a plot. It was written on a laptop
without a GPU, and works there.

Your task: compute on the GPU with the number `gpu` if the machine has that many, and on the CPU
otherwise. Return the spectra where they were computed. The average stays a NumPy array, and the
numbers stay as they are.

Check it with:  grader check 01b
"""

import numpy as np
import torch
from torch import nn


class MeasureSpectrum(nn.Module):
    """Measures how loud each frequency of a sound is."""

    def __init__(self, gpu: int) -> None:
        super().__init__()
        self.gpu = gpu

    def forward(self, sounds: torch.Tensor) -> tuple[torch.Tensor, np.ndarray]:
        """Take sounds of shape (sounds, samples); return their spectra and the average."""
        if self.gpu < torch.cuda.device_count():
            sounds = sounds.cuda()
        spectra = torch.fft.rfft(sounds).abs()
        return spectra, spectra.mean(dim=0).numpy()
