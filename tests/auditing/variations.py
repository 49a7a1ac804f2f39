"""Pairs without a thread: a bug in a shape that the cases do not have, and the same fixed."""

from dataclasses import dataclass
from functools import lru_cache, partial

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Pair:
    """A wrong module and a right one, which are called with the same inputs."""

    code: str
    wrong: type[nn.Module]
    right: type[nn.Module]
    inputs: tuple[torch.Tensor, ...] = (torch.randn(4, 6),)
    severity: str = "error"


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.fill()

    def fill(self):
        pass

    def forward(self, x):
        return self.linear(x)


class DefaultArgument(Base):
    def forward(self, x, scale=torch.ones(6)):  # noqa: B008
        return self.linear(x) * scale


class DefaultArgumentNone(Base):
    def forward(self, x, scale=None):
        return self.linear(x) * (torch.ones_like(x) if scale is None else scale)


class ClassAttribute(Base):
    scale = torch.ones(6)

    def forward(self, x):
        return self.linear(x) * self.scale


class ClassAttributeMoved(ClassAttribute):
    def forward(self, x):
        return self.linear(x) * self.scale.to(x)


class SparseGraph(Base):
    def fill(self):
        self.graph = torch.eye(4).to_sparse()

    def forward(self, x):
        return torch.sparse.mm(self.graph, self.linear(x))


class SparseGraphBuffer(SparseGraph):
    def fill(self):
        self.register_buffer("graph", torch.eye(4).to_sparse())


class ResultOnTheCpu(Base):
    def forward(self, x):
        result = torch.zeros(x.shape)
        result[:] = self.linear(x)
        return result


class ResultBesideTheInput(Base):
    def forward(self, x):
        result = torch.zeros_like(x)
        result[:] = self.linear(x)
        return result


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * torch.full((6,), 2.0)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


class DoublingThere(Doubling):
    @staticmethod
    def forward(ctx, x):
        return x * torch.full((6,), 2.0, device=x.device)


class OwnFunction(Base):
    def forward(self, x):
        return Doubling.apply(self.linear(x))


class OwnFunctionThere(Base):
    def forward(self, x):
        return DoublingThere.apply(self.linear(x))


class MemoizedMethod(Base):
    @lru_cache(maxsize=8)  # noqa: B019
    def ramp(self, size):
        return torch.arange(size, device=self.linear.weight.device).float()

    def forward(self, x):
        return self.linear(x) * self.ramp(6)


class MemoizedByDevice(Base):
    @lru_cache(maxsize=8)  # noqa: B019
    def ramp(self, size, device):
        return torch.arange(size, device=device).float()

    def forward(self, x):
        return self.linear(x) * self.ramp(6, x.device)


class Closure(Base):
    def fill(self):
        scale = torch.ones(6)
        self.rescale = lambda x: x * scale

    def forward(self, x):
        return self.rescale(self.linear(x))


class ClosureOverSelf(Base):
    def fill(self):
        self.register_buffer("scale", torch.ones(6))

    def forward(self, x):
        return (lambda y: y * self.scale)(self.linear(x))


class PartialLoss(Base):
    def fill(self):
        self.loss = partial(functional.cross_entropy, weight=torch.ones(6))

    def forward(self, x):
        return self.loss(self.linear(x), x.argmax(1))


class PartialLossWithoutWeight(PartialLoss):
    def fill(self):
        self.loss = partial(functional.cross_entropy, label_smoothing=0.1)


class TiedByView(Base):
    def fill(self):
        self.back = nn.Parameter(self.linear.weight.detach().t())

    def forward(self, x):
        return self.linear(x) @ self.back


class TiedByUse(Base):
    def forward(self, x):
        return self.linear(x) @ self.linear.weight.t()


class DottedKey(Base):
    def fill(self):
        self.heads = nn.ModuleDict({"head.0": nn.Linear(6, 2)})

    def forward(self, x):
        return self.heads["head.0"](x)


class UnderscoredKey(Base):
    def fill(self):
        self.heads = nn.ModuleDict({"head_0": nn.Linear(6, 2)})

    def forward(self, x):
        return self.heads["head_0"](x)


class LayersInADict(Base):
    def fill(self):
        self.heads = {"class": [nn.Linear(6, 2)]}

    def forward(self, x):
        return self.heads["class"][0](self.linear(x))


class LayersInAModuleDict(LayersInADict):
    def fill(self):
        self.heads = nn.ModuleDict({"class": nn.ModuleList([nn.Linear(6, 2)])})


class CoolingDown(Base):
    def fill(self):
        self.temperature = 1.0

    def forward(self, x):
        if self.training:
            self.temperature *= 0.9
        return self.linear(x) / self.temperature


class CoolingDownSaved(CoolingDown):
    def get_extra_state(self):
        return {"temperature": self.temperature}

    def set_extra_state(self, state):
        self.temperature = state["temperature"]


class Packs(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(6, 6, batch_first=True)

    def forward(self, x):
        lengths = (x.abs().sum(2) > 0).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(
            x, self.of_lengths(lengths), batch_first=True, enforce_sorted=False
        )
        return self.gru(packed)[0]

    def of_lengths(self, lengths):
        return lengths


class PacksOnTheCpu(Packs):
    def of_lengths(self, lengths):
        return lengths.cpu()


class Reversal(torch.autograd.Function):
    """Computes backward on the GPU wherever it is, and returns its result from there."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient.cuda().neg()


class ReversalInPlace(Reversal):
    @staticmethod
    def backward(ctx, gradient):
        return gradient.neg()


class Rounding(Reversal):
    """Mixes the two in backward."""

    @staticmethod
    def backward(ctx, gradient):
        return gradient * torch.ones(6, device="cuda")


class RoundingInPlace(Reversal):
    @staticmethod
    def backward(ctx, gradient):
        return gradient * torch.ones_like(gradient)


class Adversarial(Base):
    function = Reversal

    def forward(self, x):
        return self.function.apply(self.linear(x))


class AdversarialInPlace(Adversarial):
    function = ReversalInPlace


class Quantised(Adversarial):
    function = Rounding


class QuantisedInPlace(Adversarial):
    function = RoundingInPlace


class Sparse(Base):
    """A hook on the gradient of what it computes reads a plain tensor."""

    def fill(self):
        self.keep = torch.ones(6)

    def forward(self, x):
        hidden = self.linear(x)
        if hidden.requires_grad:
            hidden.register_hook(lambda gradient: gradient * self.keep)
        return hidden


class SparseBuffer(Sparse):
    def fill(self):
        self.register_buffer("keep", torch.ones(6))


class Clipped(Base):
    """A hook on the gradient of a layer makes its own bound."""

    def fill(self):
        self.linear.register_full_backward_hook(self.clip)

    def clip(self, module, inputs, outputs):
        return tuple(gradient.minimum(torch.ones(6)) for gradient in inputs)

    def forward(self, x):
        return self.linear(x * self.linear.bias)


class ClippedThere(Clipped):
    def clip(self, module, inputs, outputs):
        return tuple(gradient.clamp(max=1) for gradient in inputs)


class Comprehension(Base):
    def forward(self, x):
        return self.linear(x) + torch.stack([torch.full((6,), float(i)) for i in range(4)])


class NestedFunction(Base):
    def forward(self, x):
        def causal(n):
            return torch.tril(torch.ones(n, n))

        return causal(len(x)) @ self.linear(x)


PAIRS = (
    Pair("made-in-forward", Comprehension, Base),
    Pair("made-in-forward", NestedFunction, Base),
    Pair("member-tensor", DefaultArgument, DefaultArgumentNone),
    Pair("member-tensor", ClassAttribute, ClassAttributeMoved),
    Pair("member-tensor", SparseGraph, SparseGraphBuffer),
    Pair("made-in-forward", ResultOnTheCpu, ResultBesideTheInput),
    Pair("made-in-forward", OwnFunction, OwnFunctionThere),
    Pair("stale-device", MemoizedMethod, MemoizedByDevice, severity="warning"),
    Pair("opaque-holder", Closure, ClosureOverSelf),
    Pair("opaque-holder", PartialLoss, PartialLossWithoutWeight),
    Pair("tied-weights", TiedByView, TiedByUse),
    Pair("registration-misuse", DottedKey, UnderscoredKey),
    Pair("python-container", LayersInADict, LayersInAModuleDict),
    Pair("lost-from-checkpoint", CoolingDown, CoolingDownSaved),
    Pair("hard-coded-device", Adversarial, AdversarialInPlace),
    Pair("hard-coded-device", Quantised, QuantisedInPlace),
    Pair("member-tensor", Sparse, SparseBuffer),
    Pair("made-in-forward", Clipped, ClippedThere),
    Pair("index-device", Packs, PacksOnTheCpu, (torch.randn(4, 5, 6),)),
)
