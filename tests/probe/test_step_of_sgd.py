"""The step of SGD tells what can be trained from what cannot, whatever the values are."""

import torch
from probing import probe
from torch import nn


class DeepTanh(nn.Module):
    """With weights near 1, sixteen features add up to where `tanh` is 1 and flat."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 16), *(nn.Linear(16, 16) for _ in range(3))])

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


class Adapter(nn.Module):
    """As LoRA begins: `down` has no gradient while `up` is zero."""

    def __init__(self):
        super().__init__()
        self.down = nn.Parameter(torch.randn(3, 2))
        self.up = nn.Parameter(torch.zeros(2, 3))

    def forward(self, x):
        return x + x @ self.down @ self.up


class Rounded(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.first(x).round())


def unchanged(cls):
    return {fact.name for fact in probe(cls).training.tensors if not fact.changed}


def test_layers_that_saturate_are_trained():
    assert not unchanged(DeepTanh)


def test_a_product_that_begins_at_zero_is_trained():
    assert not unchanged(Adapter)


def test_what_no_values_train_is_not():
    assert unchanged(Rounded) == {"first.weight", "first.bias"}
