"""Accepted answers to exercise 14, and the mistakes learners make."""

import torch
from torch import nn


def angles_of(features, longest, device=None):
    frequencies = 10_000 ** (-torch.arange(0, features, 2, device=device) / features)
    return torch.outer(torch.arange(longest, device=device), frequencies)


class Attention(nn.Module):
    """What all variants share."""

    def __init__(self, features, longest):
        super().__init__()
        self.longest = longest
        self.query_key = nn.Linear(features, 2 * features, bias=False)
        self.value = nn.Linear(features, features, bias=False)
        self.gain = nn.Parameter(torch.empty(features))
        self.keep(features, longest)
        self.reset_parameters()

    def keep(self, features, longest):
        angles = angles_of(features, longest)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def reset_parameters(self):
        nn.init.ones_(self.gain)

    def tables(self, x):
        return self.cos[: x.shape[1]], self.sin[: x.shape[1]]

    def turned(self, x):
        even, odd = x[..., 0::2], x[..., 1::2]
        cos, sin = self.tables(x)
        return torch.cat([even * cos - odd * sin, even * sin + odd * cos], dim=-1)

    def forward(self, x):
        query, key = self.query_key(x).chunk(2, dim=-1)
        scores = self.turned(query) @ self.turned(key).transpose(1, 2)
        return self.gain * (scores.softmax(dim=-1) @ self.value(x))


class AssignedAnew(Attention):
    """Assigning a tensor to a buffer's name gives a buffer."""

    def keep(self, features, longest):
        self.register_buffer("cos", None, persistent=False)
        self.register_buffer("sin", None, persistent=False)

    def reset_parameters(self):
        super().reset_parameters()
        angles = angles_of(len(self.gain), self.longest, self.gain.device)
        self.cos, self.sin = angles.cos(), angles.sin()


class RegisteredThere(Attention):
    """All of it in one method: registered where the weights are now."""

    def keep(self, features, longest):
        pass

    def reset_parameters(self):
        super().reset_parameters()
        angles = angles_of(len(self.gain), self.longest).to(self.gain.device)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)


class InForward(Attention):
    """Nothing is kept, so nothing is lost."""

    def keep(self, features, longest):
        pass

    def tables(self, x):
        angles = angles_of(x.shape[2], x.shape[1], x.device)
        return angles.cos(), angles.sin()


class AModuleOfItsOwn(Attention):
    """The tables are a module, which resets itself."""

    class Tables(nn.Module):
        def __init__(self, features, longest):
            super().__init__()
            self.register_buffer("angles", torch.empty(longest, features // 2), persistent=False)
            self.reset_parameters()

        def reset_parameters(self):
            longest, half = self.angles.shape
            self.angles.copy_(angles_of(2 * half, longest, self.angles.device))

    def keep(self, features, longest):
        self.kept = self.Tables(features, longest)

    def tables(self, x):
        angles = self.kept.angles[: x.shape[1]]
        return angles.cos(), angles.sin()


class BuiltAfterEachMove(Attention):
    """Every move goes through `_apply`, and so does `to_empty`."""

    def keep(self, features, longest):
        self.register_buffer("cos", None, persistent=False)
        self.register_buffer("sin", None, persistent=False)
        self.build()

    def build(self):
        angles = angles_of(len(self.gain), self.longest, self.gain.device)
        self.cos, self.sin = angles.cos(), angles.sin()

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.build()
        return self


class BuiltByAMoveOnly(Attention):
    """Whoever builds it where it is to be has no tables."""

    def keep(self, features, longest):
        self.cos = self.sin = None

    def _apply(self, *arguments):
        moved = super()._apply(*arguments)
        self.cos, self.sin = (
            function(angles_of(len(moved.gain), moved.longest, moved.gain.device))
            for function in (torch.cos, torch.sin)
        )
        return moved


class InTheConstructor(Attention):
    """As it was: what the constructor computed on meta has no numbers."""


class AfterAnIf(Attention):
    """Computed when the constructor is not on meta: later, nobody comes back."""

    def keep(self, features, longest):
        super().keep(features, longest)
        if not self.gain.is_meta:
            angles = angles_of(features, longest)
            self.cos.copy_(angles.cos())
            self.sin.copy_(angles.sin())


class Saved(Attention):
    """The checkpoint would bring them; old checkpoints do not have them."""

    def keep(self, features, longest):
        angles = angles_of(features, longest)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())


class PlainTables(Attention):
    """`to_empty` does not see plain tensors: these stay on meta."""

    def keep(self, features, longest):
        angles = angles_of(features, longest)
        self.cos, self.sin = angles.cos(), angles.sin()


class MadeOnTheCpu(Attention):
    """Built in spite of the meta device, and left on the CPU."""

    def keep(self, features, longest):
        angles = angles_of(features, longest, "cpu")
        self.cos, self.sin = angles.cos(), angles.sin()


class ResetOnTheCpu(Attention):
    """Reset, and in the wrong place: assigned tables stay where they were made."""

    def reset_parameters(self):
        super().reset_parameters()
        angles = angles_of(len(self.gain), self.longest)
        self.cos, self.sin = angles.cos(), angles.sin()


class OnlyTheCosine(Attention):
    """One of two."""

    def reset_parameters(self):
        super().reset_parameters()
        self.cos = angles_of(len(self.gain), self.longest, self.gain.device).cos()


class AlwaysCuda(Attention):
    """Right after `to_empty`, and on CUDA wherever the layer is built."""

    def reset_parameters(self):
        super().reset_parameters()
        angles = angles_of(len(self.gain), self.longest, "cuda")
        self.cos, self.sin = angles.cos(), angles.sin()

    def keep(self, features, longest):
        self.cos = self.sin = None


class ForgotTheGain(Attention):
    """The gain no longer begins with ones."""

    def reset_parameters(self):
        nn.init.zeros_(self.gain)
        angles = angles_of(len(self.gain), self.longest, self.gain.device)
        self.cos, self.sin = angles.cos(), angles.sin()


class WhereNaN(Attention):
    """Garbage need not be NaN."""

    def tables(self, x):
        if self.cos.isnan().any():
            angles = angles_of(x.shape[2], self.longest, x.device)
            self.cos, self.sin = angles.cos(), angles.sin()
        return super().tables(x)


class WhereZero(Attention):
    """Nor zero."""

    def tables(self, x):
        if self.cos.isnan().any() or not self.cos.any():
            angles = angles_of(x.shape[2], self.longest, x.device)
            self.cos, self.sin = angles.cos(), angles.sin()
        return super().tables(x)


class WhereLarge(Attention):
    """Nor larger than what belongs there."""

    def tables(self, x):
        if not (self.cos.abs() <= 1).all() or not self.cos.any():
            angles = angles_of(x.shape[2], self.longest, x.device)
            self.cos, self.sin = angles.cos(), angles.sin()
        return super().tables(x)


class GainInTheConstructor(AssignedAnew):
    """The checkpoint brings the gain; whoever trains from the start gets garbage."""

    def __init__(self, features, longest):
        super().__init__(features, longest)
        nn.init.ones_(self.gain)

    def reset_parameters(self):
        angles = angles_of(len(self.gain), self.longest, self.gain.device)
        self.cos, self.sin = angles.cos(), angles.sin()


ACCEPTED = ("AssignedAnew", "RegisteredThere", "InForward", "AModuleOfItsOwn", "BuiltAfterEachMove")
ALSO_RIGHT = {
    "by `register_buffer`": "RegisteredThere",
    "by assignment": "AssignedAnew",
    "The angles computed in `forward`": "InForward",
}
MISTAKES = {
    "BuiltByAMoveOnly": "check forward",
    "InTheConstructor": "meta-init",
    "AfterAnIf": "meta-init",
    "Saved": "check state_dict",
    "PlainTables": "member-tensor",
    "MadeOnTheCpu": "member-tensor",
    "ResetOnTheCpu": "check forward",
    "OnlyTheCosine": "meta-init",
    "AlwaysCuda": "hard-coded-device",
    "ForgotTheGain": "check parameters",
    "WhereNaN": "check forward",
    "WhereZero": "check forward",
    "WhereLarge": "check forward",
    "GainInTheConstructor": "check forward",
}
