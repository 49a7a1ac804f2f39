"""Accepted answers to exercise 12, and the mistakes learners make."""

import torch
from torch import nn


class Teller(nn.Module):
    """What all variants share."""

    def __init__(self, words, features, depth):
        super().__init__()
        self.embedding = nn.Embedding(words, features)
        self.cell = nn.GRUCell(features, features)
        layers = [nn.Linear(features, features) for _ in range(depth)]
        self.head = nn.Sequential(*layers, nn.Linear(features, words))

    def moved(self, words):
        return words.to(self.embedding.weight.device)

    def begin(self, words):
        return self.embedding.weight.new_zeros(len(words), self.cell.hidden_size)

    def decay(self, state):
        return 0.5 ** torch.arange(state.shape[1], device=state.device)

    def forward(self, words):
        words = self.moved(words)
        state = self.begin(words)
        has_word = (words != 0).float()
        for i, embedded in enumerate(self.embedding(words).unbind(dim=1)):
            state = torch.lerp(state, self.cell(embedded, state), has_word[:, i : i + 1])
        return self.head(state * self.decay(state))


class FirstParameter(Teller):
    """The first Parameter, as most libraries ask."""

    def moved(self, words):
        return words.to(next(self.parameters()).device)


class ABuffer(Teller):
    """The decay is made once, and moves along."""

    def __init__(self, words, features, depth):
        super().__init__(words, features, depth)
        powers = 0.5 ** torch.arange(features)
        self.register_buffer("powers", powers, persistent=False)

    def decay(self, state):
        return self.powers


class MultipliedOut(Teller):
    """The state is made of words that are there already."""

    def begin(self, words):
        return self.embedding(words[:, 0]) * 0


class FullLike(Teller):
    """The powers of a tensor that is like the state."""

    def decay(self, state):
        halves = torch.full_like(state[0], 0.5)
        return halves.cumprod(dim=0) * 2


class DeviceProperty(Teller):
    """A question, and not an answer."""

    @property
    def device(self):
        return self.cell.weight_hh.device

    def moved(self, words):
        return words.to(self.device)

    def begin(self, words):
        return torch.zeros(len(words), self.cell.hidden_size, device=self.device)


class IfCuda(Teller):
    """Right on the CPU and on every CUDA device, and on no other kind."""

    def moved(self, words):
        weight = self.embedding.weight
        return words.cuda(weight.device) if weight.is_cuda else words


class TheWeightsNumber(Teller):
    """`get_device()` gives a number: it means CUDA, and is -1 on the CPU."""

    def moved(self, words):
        return words.cuda(self.embedding.weight.get_device())


class TheMachinesAccelerator(Teller):
    """Whatever accelerator there is: the model may be on the CPU, or on a second one."""

    def moved(self, words):
        return words.to(torch.accelerator.current_accelerator())


class StateOnCuda(Teller):
    """The usual line of old tutorials."""

    def begin(self, words):
        state = torch.zeros(len(words), self.cell.hidden_size)
        return state.cuda() if torch.cuda.is_available() else state


class DecayOnTheCpu(Teller):
    """Two of three: this one is made on the CPU."""

    def decay(self, state):
        return 0.5 ** torch.arange(state.shape[1])


class ByTypeOnly(Teller):
    """The kind of the device without its number: the first of that kind."""

    def decay(self, state):
        return 0.5 ** torch.arange(state.shape[1], device=state.device.type)


class AsksTheModule(Teller):
    """A module has no device."""

    def moved(self, words):
        return words.to(self.embedding.device)


class NoDecay(Teller):
    """Runs everywhere, and computes something else."""

    def decay(self, state):
        return torch.ones_like(state)


class BroughtBack(Teller):
    """Scores for a tokenizer that is on the CPU."""

    def forward(self, words):
        return super().forward(words).cpu()


class AList(Teller):
    """The layers are no longer registered."""

    def __init__(self, words, features, depth):
        super().__init__(words, features, depth)
        self.layers = list(self.head)
        self.head = None

    def forward(self, words):
        words = self.moved(words)
        state = self.begin(words)
        has_word = (words != 0).float()
        for i, embedded in enumerate(self.embedding(words).unbind(dim=1)):
            state = torch.lerp(state, self.cell(embedded, state), has_word[:, i : i + 1])
        state = state * self.decay(state)
        for layer in self.layers:
            state = layer(state)
        return state


class WaitsForTheGpu(Teller):
    """Right where there is a GPU to wait for."""

    def forward(self, words):
        scores = super().forward(words)
        torch.cuda.synchronize()
        return scores


class PinsTheWords(Teller):
    """Only an accelerator has a use for pinned memory."""

    def moved(self, words):
        return super().moved(words.pin_memory())


class PaddingIsAWord(Teller):
    """Forgets that 0 is no word."""

    def forward(self, words):
        words = self.moved(words)
        state = self.begin(words)
        for embedded in self.embedding(words).unbind(dim=1):
            state = self.cell(embedded, state)
        return self.head(state * self.decay(state))


ACCEPTED = ("FirstParameter", "ABuffer", "MultipliedOut", "FullLike", "DeviceProperty")
ALSO_RIGHT = {
    "self.embedding.weight.new_zeros": "FirstParameter",
    "`decay` as a buffer": "ABuffer",
}
MISTAKES = {
    "IfCuda": "check forward",
    "TheWeightsNumber": "check forward",
    "TheMachinesAccelerator": "check forward",
    "StateOnCuda": "hard-coded-device",
    "DecayOnTheCpu": "made-in-forward",
    "ByTypeOnly": "hard-coded-device",
    "AsksTheModule": "check forward",
    "NoDecay": "check forward",
    "BroughtBack": "check forward",
    "AList": "python-container",
    "WaitsForTheGpu": "check forward",
    "PinsTheWords": "check forward",
    "PaddingIsAWord": "check forward",
}
