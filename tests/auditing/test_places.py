"""What is blamed has the right class and line, also where the tensor took a longer way."""

import sys

import numpy
import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)


class SentBack(Layer):
    def forward(self, x):
        y = self.layer(x)
        self.layer.to("cpu")  # here: hard-coded-device
        return y


class DataExchanged(Layer):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4), requires_grad=False)

    def forward(self, x):
        self.scale.data = torch.tensor([float(x.abs().max())] * 4)  # here: made-in-forward
        return self.layer(x) / self.scale


class BufferExchanged(DataExchanged):
    def __init__(self):
        super().__init__()
        del self.scale
        self.register_buffer("scale", torch.ones(4))


class Wrapped(Layer):
    def forward(self, x):
        return self.layer(x) * self.window(len(x[0]))

    def window(self, size):
        return torch.from_numpy(numpy.hanning(size)).float()  # here: made-in-forward


class Filled(Layer):
    def forward(self, x):
        return self.layer(x) * torch.FloatTensor([2.0])  # here: made-in-forward


@torch.jit.script
def scaled(x, w):
    return x * w


class Scripted(Layer):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(4)  # here: member-tensor

    def forward(self, x):
        return scaled(self.layer(x), self.w)


class Beside(Layer):
    def __init__(self):
        super().__init__()
        teacher = nn.Sequential(nn.Linear(4, 4))  # here: python-container
        object.__setattr__(self, "teacher", teacher)

    def forward(self, x):
        return self.layer(x) - self.teacher(x)


class Block:
    def __init__(self):
        self.inner = nn.Linear(4, 4)


class Tower(Layer):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(), Block()]  # here: opaque-holder

    def forward(self, x):
        for block in self.blocks:
            x = block.inner(x)
        return self.layer(x)


class Keyed(Layer):
    def __init__(self):
        super().__init__()
        self.tables = {}

    def forward(self, x):
        device = "cuda" if torch.cuda.is_available() else "cpu"
        if (len(x), device) not in self.tables:
            self.tables[len(x), device] = torch.ones(4).to(device)  # here: hard-coded-device
        return self.layer(x) * self.tables[len(x), device]


@pytest.mark.parametrize(
    "make",
    [SentBack, DataExchanged, BufferExchanged, Wrapped, Filled, Scripted, Beside, Tower, Keyed],
)
def test_the_line_that_does_it_is_told(make):
    errors = [f for f in audit(make, torch.randn(2, 4)).findings if f.severity == "error"]

    assert {f"{error.code}" for error in errors} == {errors[0].source_line.split("here: ")[1]}
    assert len({error.line for error in errors}) == 1


HELPER = "import torch\n\n\ndef noisy(x):\n    return x + torch.rand(len(x), 4)\n"
NET = """\
from torch import nn

from .helper import noisy


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return noisy(self.layer(x))
"""


def test_a_helper_of_the_same_package_is_named_at_its_own_line(tmp_path, monkeypatch):
    folder = tmp_path / "nets_of_places"
    folder.mkdir()
    for name, text in {"__init__": "", "helper": HELPER, "net": NET}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    import nets_of_places.net

    (found,) = audit(nets_of_places.net.Net, torch.randn(2, 4)).findings

    assert (found.line, found.file.endswith("helper.py")) == (5, True)
    assert "device=x.device" in found.edits[0].after
    assert "nets_of_places.helper" in sys.modules


class Average:
    def __init__(self, module):
        self.held = {name: p.data.clone() for name, p in module.named_parameters()}


class SavedByItself(Layer):
    def __init__(self):
        super().__init__()
        self.average = Average(self.layer)

    def get_extra_state(self):
        return self.average.held

    def set_extra_state(self, state):
        self.average.held = dict(state)

    def forward(self, x):
        for name, p in self.layer.named_parameters():
            self.average.held[name] = self.average.held[name].to(p.device).lerp(p.data, 0.1)
        return torch.func.functional_call(self.layer, self.average.held, (x,))


def test_an_extra_state_counts_as_saved():
    assert "averaged-copy" not in [f.code for f in audit(SavedByItself, torch.randn(2, 4)).findings]


class Hidden(Layer):
    def __init__(self):
        super().__init__()
        self.options = {"w": torch.ones(4)}

    def forward(self, x):
        return self.layer(x) * self.options["w"]


class Drawing(Layer):
    def __init__(self):
        super().__init__()
        self.noise = torch.distributions.Normal(torch.zeros(4), torch.ones(4))

    def forward(self, x):
        return self.layer(x) + self.noise.sample()


@pytest.mark.parametrize("make", [Hidden, Drawing])
def test_no_note_denies_what_an_error_names(make):
    report = audit(make, torch.randn(2, 4))

    assert report.findings
    assert not [note for note in report.notes if "Nothing is lost" in " ".join(note.split())]


class Optional(Layer):
    """Its other form has no table, so that this is no source of a device."""

    def __init__(self, is_regular=True):
        super().__init__()
        self.device = "cpu"
        if is_regular:
            self.register_buffer("table", torch.linspace(0, 1, 4))
        else:
            self.table = None

    def forward(self, x):
        return self.layer(x.to(self.device)) * (1 if self.table is None else self.table)


class Twice(Layer):
    def __init__(self):
        super().__init__()
        self.rng = torch.Generator().manual_seed(0)

    def drawn(self, x):
        return torch.rand(4, generator=self.rng, device=x.device)

    def forward(self, x):
        return self.layer(x) + torch.rand(4, generator=self.rng, device=x.device) + self.drawn(x)


def test_a_fix_asks_nothing_that_may_be_none():
    (found,) = audit(Optional, torch.randn(2, 4)).findings

    assert found.edits
    assert "table.device" not in found.fix


def test_each_draw_of_a_generator_is_fixed():
    (found,) = audit(Twice, torch.randn(2, 4)).findings

    assert len(found.edits) == 2
