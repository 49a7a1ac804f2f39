"""Accepted answers to exercise 01b, and the mistakes learners make."""

import numpy as np
import torch
from torch import nn


class Script(nn.Module):
    """What all variants share."""

    def __init__(self, gpu):
        super().__init__()
        self.gpu = gpu

    def move(self, sounds):
        return sounds.cuda(self.gpu) if self.gpu < torch.cuda.device_count() else sounds

    def average(self, spectra):
        return spectra.mean(dim=0).cpu().numpy()

    def forward(self, sounds):
        spectra = torch.fft.rfft(self.move(sounds)).abs()
        return spectra, self.average(spectra)


class ByName(Script):
    def move(self, sounds):
        there = self.gpu < torch.cuda.device_count()
        return sounds.to(f"cuda:{self.gpu}" if there else "cpu")


class PickedInTheConstructor(Script):
    """Nothing moves a script, so its device stays right."""

    def __init__(self, gpu):
        super().__init__(gpu)
        self.device = torch.device("cuda", gpu) if gpu < torch.cuda.device_count() else "cpu"

    def move(self, sounds):
        return sounds.to(self.device)


class InABlock(Script):
    """In the block, `.cuda()` means that GPU."""

    def move(self, sounds):
        if self.gpu >= torch.cuda.device_count():
            return sounds
        with torch.cuda.device(self.gpu):
            return sounds.cuda()


class AveragedByNumPy(Script):
    """A larger copy, and the same numbers."""

    def average(self, spectra):
        return spectra.cpu().numpy().mean(axis=0)


class DetachedAsWell(Script):
    """`detach` never hurts."""

    def average(self, spectra):
        return np.asarray(spectra.mean(dim=0).detach().cpu())


class StraightToNumPy(Script):
    """NumPy cannot read a GPU's memory."""

    def average(self, spectra):
        return spectra.mean(dim=0).numpy()


class ResultDropped(Script):
    """`Tensor.cpu` returns the copy."""

    def average(self, spectra):
        average = spectra.mean(dim=0)
        average.cpu()
        return average.numpy()


class AlwaysTheFirst(Script):
    """It forgets which GPU was asked for."""

    def move(self, sounds):
        return sounds.cuda() if self.gpu < torch.cuda.device_count() else sounds


class NeverAsks(Script):
    """A number that the machine does not have."""

    def move(self, sounds):
        return sounds.cuda(self.gpu)


class OneTooFar(Script):
    """GPUs are numbered from 0."""

    def move(self, sounds):
        return sounds.cuda(self.gpu) if self.gpu <= torch.cuda.device_count() else sounds


class TheLastInstead(Script):
    """Takes another GPU where the one asked for is not there."""

    def move(self, sounds):
        return sounds.cuda(min(self.gpu, torch.cuda.device_count() - 1))


class OnTheCpu(Script):
    """Right numbers, and no GPU is ever used."""

    def move(self, sounds):
        return sounds


class BroughtBack(Script):
    """The spectra come back to the CPU."""

    def forward(self, sounds):
        spectra = torch.fft.rfft(self.move(sounds)).abs().cpu()
        return spectra, self.average(spectra)


class MovedAtTheEnd(Script):
    """Computed on the CPU; only the result is brought to the GPU."""

    def forward(self, sounds):
        spectra = torch.fft.rfft(sounds).abs()
        return self.move(spectra), self.average(spectra)


class AListOfNumbers(Script):
    """The plot wants an array."""

    def average(self, spectra):
        return spectra.mean(dim=0).tolist()


class ATensor(Script):
    """On the CPU, and no array."""

    def average(self, spectra):
        return spectra.mean(dim=0).cpu()


class OfEachSound(Script):
    """Averages over the wrong dimension."""

    def average(self, spectra):
        return spectra.mean(dim=1).cpu().numpy()


class SaysWhichGpu(Script):
    """On a laptop there is no GPU to have a name."""

    def move(self, sounds):
        print(torch.cuda.get_device_name(0))
        return super().move(sounds)


ACCEPTED = (
    "ByName",
    "PickedInTheConstructor",
    "InABlock",
    "AveragedByNumPy",
    "DetachedAsWell",
)
ALSO_RIGHT = {
    'sounds.to(f"cuda:{self.gpu}")': "ByName",
    "spectra.cpu().numpy().mean(axis=0)": "AveragedByNumPy",
}
MISTAKES = {
    "StraightToNumPy": "host-round-trip",
    "ResultDropped": "host-round-trip",
    "AlwaysTheFirst": "check forward",
    "NeverAsks": "check forward",
    "OneTooFar": "check forward",
    "TheLastInstead": "check forward",
    "OnTheCpu": "check forward",
    "BroughtBack": "check forward",
    "MovedAtTheEnd": "check forward",
    "AListOfNumbers": "check forward",
    "ATensor": "check forward",
    "OfEachSound": "check forward",
    "SaysWhichGpu": "check forward",
}
