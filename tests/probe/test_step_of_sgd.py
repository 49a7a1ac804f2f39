"""The step of SGD tells what can be trained from what cannot, whatever the values are."""

from itertools import count

import torch
from probing import probe
from torch import nn

from grader.probe.inspection.values import draw
from grader.schema.recipe import Input


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


class Recurrent(nn.Module):
    """Keeps its state, zeros at first, where a row has no word, which is 0."""

    def __init__(self):
        super().__init__()
        self.embedding, self.cell = nn.Embedding(7, 4), nn.GRUCell(4, 4)

    def forward(self, words):
        state = torch.zeros(len(words), 4, device=words.device)
        for column in words.unbind(1):
            has_word = (column != 0).float().unsqueeze(1)
            state = torch.lerp(state, self.cell(self.embedding(column), state), has_word)
        return state


def unchanged(cls, *inputs, **how):
    training = probe(cls, *inputs, **how).training
    return {fact.name for fact in training.tensors if not fact.changed}


def test_layers_that_saturate_are_trained():
    assert not unchanged(DeepTanh)


def test_a_product_that_begins_at_zero_is_trained():
    assert not unchanged(Adapter)


def test_what_no_values_train_is_not():
    assert unchanged(Rounded) == {"first.weight", "first.bias"}


def test_a_weight_that_these_inputs_do_not_reach_is_trained():
    sentences = Input((3, 3), "integers", high=2)
    of_one_word = (
        seed for seed in count() if all((draw((sentences,), seed)[0] != 0).sum(dim=1) < 2)
    )

    assert not unchanged(Recurrent, sentences, seed=next(of_one_word))
