"""Fixes of a layer that is built in each call."""

import pytest
from fixed_code import HEAD, ask, edited

from grader.judge.fixes.layers import build_in_constructor

NET = (
    HEAD
    + """\
SIZE = 3

class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        {start}

    def shrink(self):
        self.seen = 4

    def forward(self, x):
        {body}
        return h
"""
)


def fixed(body, start="self.first = nn.Linear(dim, dim)", where="", at=""):
    source = NET.format(body=body, start=start)
    fix = ask(build_in_constructor, source, where or "line 17", at or body.split("\n")[-1].strip())
    return fix and edited(fix, source)


@pytest.mark.parametrize(
    ("body", "made", "used"),
    [
        ("h = nn.Linear(self.dim, 2)(x)", "linear = nn.Linear(self.dim, 2)", "self.linear(x)"),
        ("h = nn.GRU(SIZE, self.dim).cuda()(x)", "gru = nn.GRU(SIZE, self.dim)", "self.gru(x)"),
        ("h = nn.Linear(4, 2).to(x)(x)", "linear = nn.Linear(4, 2)", "self.linear(x)"),
        ("h = nn.LayerNorm(self.dim)(x)", "layer_norm = nn.LayerNorm(self.dim)",
         "self.layer_norm(x)"),
        ("h = nn.Linear(x.shape[1], self.dim)(x)", "linear = nn.LazyLinear(self.dim)",
         "self.linear(x)"),
        ("h = nn.Conv1d(x.shape[1], 2, kernel_size=1)(x)",
         "conv1d = nn.LazyConv1d(2, kernel_size=1)", "self.conv1d(x)"),
    ],
)  # fmt: skip
def test_it_is_built_with_the_module(body, made, used):
    after = NET.format(
        body=f"h = {used}", start=f"self.first = nn.Linear(dim, dim)\n        self.{made}"
    )

    assert fixed(body) == after


@pytest.mark.parametrize(
    "body",
    [
        "h = nn.Linear(4, x.shape[1])(x)",  # how many outputs only a call knows
        "h = nn.LayerNorm(x.shape[1])(x)",  # there is no lazy one
        "h = nn.LayerNorm(self.seen)(x)",  # another method changes it
        "h = nn.Linear(4, 2, device=x.device)(x)",
        "for _ in range(2):\n            h = nn.Linear(4, 4)(x)",  # a layer for each turn
        "h = [nn.Linear(4, 4)(part) for part in x]",
        "h = nn.Dropout(0.1)(x)",
    ],
)
def test_what_a_constructor_cannot_build_is_left_to_words(body):
    assert fixed(body) is None


@pytest.mark.parametrize(
    "last",
    [
        "self.apply(init_weights)",
        "self.to(device)",
        "self.optimizer = torch.optim.SGD(self.parameters())",
        "self.optimizer = torch.optim.SGD(self.parameters())\n        self.apply(init_weights)",
    ],
)
def test_it_is_there_before_what_looks_at_the_whole_module(last):
    after = f"self.first = 1\n        self.linear = nn.Linear(4, 2)\n        {last}"

    assert fixed("h = nn.Linear(4, 2)(x)", f"self.first = 1\n        {last}") == NET.format(
        body="h = self.linear(x)", start=after
    )


def test_two_of_a_kind_get_two_names():
    body = "h = nn.Linear(4, 4)(x)\n        h = nn.Linear(4, 2)(h)"
    start = "self.linear_2 = nn.Linear(dim, dim)"

    assert "self.linear = nn.Linear(4, 4)\n" in fixed(body, start, at="h = nn.Linear(4, 4)")
    assert "self.linear_3 = nn.Linear(4, 2)\n" in fixed(body, start)


KEPT = """\
if self.fc is None:
            self.fc = nn.Linear(x.shape[1], self.dim)
        h = self.fc(x)"""


@pytest.mark.parametrize(
    ("start", "after"),
    [
        ("self.fc = None", "self.fc = nn.LazyLinear(self.dim)"),
        ("self.fc = None\n        self.n = 1",
         "\n        self.n = 1\n        self.fc = nn.LazyLinear(self.dim)"),
        ("self.n = 1", "self.n = 1\n        self.fc = nn.LazyLinear(self.dim)"),
    ],
)  # fmt: skip
def test_one_that_the_first_call_builds_is_built_where_none_was_assigned(start, after):
    result = fixed(KEPT, start, "self.fc", "self.fc = nn")

    assert result == NET.format(body="\n        h = self.fc(x)", start=after)


@pytest.mark.parametrize(
    ("piece", "instead"),
    [
        ("self.fc is None", "self.fc is None or self.training"),
        ("        h = self", "            self.n = 2\n        h = self"),
        ("        h = self", "        else:\n            self.n = 2\n        h = self"),
        ("nn.Linear(x.shape[1], self.dim)", "nn.Sequential(nn.Linear(4, 4))"),
    ],
)
def test_more_than_that_question_is_left_to_words(piece, instead):
    body = KEPT.replace(piece, instead)

    assert fixed(body, "self.fc = None", "self.fc", "self.fc = nn") is None


def test_a_method_that_runs_twice_would_share_its_layer():
    source = NET.format(body="h = self.block(self.block(x))", start="pass")
    source += "\n    def block(self, x):\n        return nn.Linear(4, 4)(x)\n"
    once = source.replace("self.block(self.block(x))", "self.block(x)")

    assert ask(build_in_constructor, source, "line 21", "return nn.Linear") is None
    assert ask(build_in_constructor, once, "line 21", "return nn.Linear") is not None


@pytest.mark.parametrize(
    "head", ["if {}(x).sum() > 0:", "with open_for({}(x)):", "while {}(x).sum() > 0:"]
)
def test_of_a_block_only_the_head_changes(head):
    asked = head.format("nn.Linear(4, 1)")
    body = f"{asked}\n            h = nn.Linear(4, 2)(x)"
    result = fixed(body, "pass", at=asked)

    if head.startswith("while"):
        assert result is None  # asked again in each turn
    else:
        made = "pass\n        self.linear = nn.Linear(4, 1)"
        assert result == NET.format(body=body.replace("nn.Linear(4, 1)", "self.linear"), start=made)
