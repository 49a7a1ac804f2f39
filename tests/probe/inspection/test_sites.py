"""Of what a call makes, moves or mixes, the expression is known, and what could be named there."""

import linecache

import torch
from probing import probe
from torch import nn

from grader.schema import Phase, Raised, Site


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.device = "cpu"


class Twice(Layer):
    def forward(self, x):
        good, bad = torch.ones(3, device=x.device), torch.zeros(3, device=self.device)
        return self.fc(x) + good + bad


class InABlock(Layer):
    def forward(self, x):
        with torch.device(self.device):
            made = torch.ones(3)
        return self.fc(x) + made


def refused(cls) -> Raised:
    run = next(run for run in probe(cls).runs if run.phase is Phase.EXERCISE and run.raised)
    assert run.raised is not None
    return run.raised


def text(site: Site | None) -> str:
    assert site is not None
    line, begin, last, end = site.span
    assert line == last
    return linecache.getline(site.file, line).encode()[begin:end].decode()


def made(raised: Raised) -> Site:
    (found,) = [o.site for o in raised.operands if o.device == "cpu" and o.site]
    return found


def test_two_calls_on_one_line_are_two_expressions():
    raised = refused(Twice)

    site = made(raised)

    assert text(site) == "torch.zeros(3, device=self.device)"
    assert (site.owner, site.function, site.named) == ("Twice", "forward", "self.device")
    assert text(raised.site) == "self.fc(x) + good + bad"


def test_arguments_come_first_then_what_is_registered():
    assert made(refused(Twice)).scope == (
        ("x", "cuda:0"),
        ("self.fc.weight", "cuda:0"),
        ("self.fc.bias", "cuda:0"),
    )


def test_a_block_names_the_device_of_what_is_made_in_it():
    raised = refused(InABlock)

    assert made(raised).named == "with torch.device(self.device):"
