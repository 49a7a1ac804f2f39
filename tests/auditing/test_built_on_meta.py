"""Modules that are built on the meta device and loaded: which keep garbage, and which do not."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.render.parts import headline


def codes(make: Callable[[], nn.Module]) -> list[str]:
    return [finding.code for finding in audit(make, torch.randn(4, 6)).findings]


class Scaled(nn.Module):
    """A layer whose output a table scales; what the table is, the subclasses say."""

    def __init__(self, device=None):
        super().__init__()
        self.layer = nn.Linear(6, 6, device=device)
        self.register(torch.arange(1.0, 7.0, device=device))

    def register(self, table):
        self.register_buffer("table", table, persistent=False)

    def forward(self, x):
        return self.layer(x) * self.table


class Selected(Scaled):
    """Garbage as an index raises."""

    def register(self, table):
        self.register_buffer("index", table.long() - 1, persistent=False)

    def forward(self, x):
        return self.layer(x)[:, self.index]


class Masked(Scaled):
    """Garbage in booleans is True or False, as good as any."""

    def register(self, table):
        self.register_buffer("mask", table > 3, persistent=False)

    def forward(self, x):
        return self.layer(x).masked_fill(self.mask, 0)


class AsksForValues(Scaled):
    def register(self, table):
        values = [row.item() for row in table]
        self.register_buffer("table", table.new_tensor(values), persistent=False)


class Forgets(nn.Module):
    """Takes no device, and resets what it thinks of."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.register_buffer("table", torch.arange(1.0, 7.0), persistent=False)

    def init_weights(self):
        nn.init.normal_(self.layer.weight)

    forward = Scaled.forward


class Loader(Forgets):
    """Its own way from a state; the right one repairs the table."""

    @classmethod
    def from_pretrained(cls, state):
        with torch.device("meta"):
            module = cls()
        module.to_empty(device="cpu").load_state_dict(state)
        module.repair()
        return module

    def repair(self):
        pass


class RightLoader(Loader):
    def repair(self):
        self.table = torch.arange(1.0, 7.0)


@pytest.mark.parametrize("make", [Scaled, Selected, Masked, AsksForValues, Forgets, Loader])
def test_what_is_lost_on_the_way_is_warned_of_every_time(make: type):
    assert [codes(make) for _ in range(3)] == [["meta-init"]] * 3


class Saved(Scaled):
    def register(self, table):
        self.register_buffer("table", table)


class Remembers(Forgets):
    def init_weights(self):
        super().init_weights()
        self.table = torch.arange(1.0, 7.0)


class Lazy(Scaled):
    """A cache that a call fills when it is too short."""

    def register(self, table):
        self.register_buffer("cache", table[:0], persistent=False)

    def forward(self, x):
        if len(self.cache) < len(x):
            self.cache = torch.arange(1.0, len(x) + 1, device=x.device)
        return self.layer(x) * self.cache[: len(x), None]


class Scratch(Scaled):
    """Room that every call writes to before it reads."""

    def register(self, table):
        self.register_buffer("room", torch.empty(8, 6, device=table.device), persistent=False)

    def forward(self, x):
        room = self.room[: len(x)]
        room.copy_(x)
        return self.layer(room.clone())


class Undefined(Scaled):
    """NaN on purpose, not by accident."""

    def register(self, table):
        self.register_buffer("table", torch.full_like(table, torch.nan), persistent=False)


@pytest.mark.parametrize("make", [Saved, Remembers, RightLoader, Lazy, Scratch, Undefined])
def test_what_survives_is_clean(make: type):
    assert codes(make) == []


def test_a_module_that_nobody_builds_on_meta_is_clean():
    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 6)
            self.register_buffer("table", torch.arange(1.0, 7.0), persistent=False)

        def forward(self, x):
            return self.layer(x) * self.table

    assert codes(Plain) == []


def test_a_model_that_was_only_built_on_meta_cannot_be_audited():
    report = audit(lambda: Scaled("meta"), torch.randn(4, 6))

    assert headline(report) == "CANNOT BE AUDITED"
    assert "meta device" in report.message


class Uninitialised(nn.Module):
    """Leaves its weights to its owner, as peft's OrthLayer and a quantizer's codebook do."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(6, 6))
        self.codes = nn.Parameter(torch.FloatTensor(300, 300))

    def forward(self, x):
        return x @ self.weight + self.codes.sum()


def test_weights_that_the_constructor_leaves_uninitialised_are_no_fault():
    kept = [torch.full((300, 300), float(i)) for i in range(20)]  # memory to be found again
    del kept

    assert codes(Uninitialised) == []


def test_an_audit_leaves_the_mode_of_pytorch_as_it_was():
    codes(Scaled)

    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.utils.deterministic.fill_uninitialized_memory


class Tied(nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.embed = nn.Embedding(6, 6, device=device)
        self.head = nn.Linear(6, 6, bias=False, device=device)
        self.head.weight = self.embed.weight

    def forward(self, x):
        return self.head(self.embed(x.argmax(dim=1)))


class TiedAgain(Tied):
    def tie_weights(self):
        self.head.weight = self.embed.weight


class OneWeight(Tied):
    """Uses one Parameter in both places."""

    def __init__(self, device=None):
        super().__init__(device)
        del self.head

    def forward(self, x):
        return self.embed(x.argmax(dim=1)) @ self.embed.weight.t()


def test_a_tie_that_a_build_on_meta_breaks_is_a_warning():
    (found,) = audit(Tied, torch.randn(4, 6)).findings

    assert (found.code, found.severity, found.where) == (
        "tied-weights",
        "warning",
        "self.head.weight",
    )


@pytest.mark.parametrize("make", [TiedAgain, OneWeight])
def test_a_tie_that_lasts_is_clean(make: type):
    assert codes(make) == []
