"""Fixes of misused registration, and of weights that are tied by their memory only."""

import pytest
from fixed_code import HEAD, ask, edited, line_of
from literal import fact

from grader.judge.fixes.misuse import fix_registration, tie_weights

CONTAINER = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {statement}
"""


def container(statement, variant=""):
    source = HEAD + CONTAINER.format(statement=statement)
    return ask(fix_registration, source, "self.p", statement, variant=variant)


def test_a_registration_that_returns_nothing_is_not_assigned():
    statement = 'self.p = self.register_buffer("p", torch.ones(2))'
    fix = container(statement, "result assigned")

    assert str(fix) == 'Register without assigning: `self.register_buffer("p", torch.ones(2))`.'
    assert container(statement) is None


@pytest.mark.parametrize(
    ("value", "variant", "right"),
    [
        ("nn.ModuleList([p])", "Parameter among modules", "nn.ParameterList([p])"),
        ('nn.ModuleDict({"a": p})', "Parameter among modules", 'nn.ParameterDict({"a": p})'),
        ('nn.ModuleList({"a": p})', "Parameter among modules", 'nn.ParameterDict({"a": p})'),
        ("nn.Sequential(p)", "Parameter among modules", "nn.ParameterList(p)"),
        ('nn.ModuleList({"a": layer})', "", 'nn.ModuleDict({"a": layer})'),
        ("nn.ParameterList({k: p for k in x})", "", "nn.ParameterDict({k: p for k in x})"),
        ("ModuleList({'a': layer})", "", "ModuleDict({'a': layer})"),
    ],
)
def test_a_container_of_another_kind_is_used(value, variant, right):
    fix = container(f"self.p = {value}", variant)
    name = right.partition("(")[0].removeprefix("nn.")

    assert str(fix) == f"Use `nn.{name}`: `self.p = {right}`."


@pytest.mark.parametrize(
    "statement",
    [
        "self.p = nn.ModuleList([layer])",
        "self.p = nn.ModuleList({'a': layer}, {'b': layer})",
        "self.p = nn.ModuleList({'a': layer}, strict=True)",
        "self.p = nn.ModuleList()",
        "self.p = make.TensorList({'a': layer})",
        "self.p = {'a': layer}",
        "nn.ModuleList({'a': layer})",
    ],
)
def test_other_containers_are_fixed_in_words(statement):
    assert container(statement) is None


INITS = f"""{HEAD}
class Base(nn.Module):
    limit = 3

    def helper(self, other):
        pass

    def __init__(self, size, device):
        super().__init__()

class Middle(Base):
    pass

class Right(Middle):
    def __init__(self, size, device, more):
        \"\"\"Takes more.\"\"\"
        self.a = nn.Linear(size, more)
        super().__init__()
        self.b = 3

class Lacking(Base):
    def __init__(self, size):
        self.lacking = nn.Linear(size, size)

class Alone(nn.Module):
    def __init__(self, rows):
        self.alone = nn.Linear(rows, rows)

    def forward(self, x):
        return self.called(x)

class Described(nn.Module):
    def __init__(self):
        "Nothing more."

def __init__(self):
    self.loose = nn.Linear(2, 2)
"""


def initialised(at):
    return ask(fix_registration, INITS, "self", at, variant="not initialised first")


def test_what_the_nearest_base_takes_is_given_first_and_a_late_call_is_left_out():
    fix = initialised("self.a = ")
    after = edited(fix, INITS).splitlines()
    start = line_of(INITS, '"""Takes more.')

    assert fix.words == "Make `super().__init__()` the first line of `__init__`"
    assert [line.strip() for line in after[start : start + 4]] == [
        "super().__init__(size, device)",
        "self.a = nn.Linear(size, more)",
        "",
        "self.b = 3",
    ]


@pytest.mark.parametrize("at", ["self.alone = ", "self.loose = ", "def __init__(self, rows)"])
def test_where_no_base_of_the_file_takes_arguments_none_are_given(at):
    (edit,) = initialised(at).edits

    assert edit.after.startswith("super().__init__()\nself.")


@pytest.mark.parametrize("at", ["self.lacking = ", "return self.called", "class Alone", '"Nothing'])
def test_where_it_cannot_be_called_it_is_told_in_words(at):
    assert initialised(at) is None


def tied(statement, *, shape=(5,), path="self.second"):
    source = HEAD + CONTAINER.format(statement=statement)
    facts = fact("first", role="parameter"), fact("second", role="parameter", shape=shape)
    return ask(tie_weights, source, path, statement, *facts, shared_with="self.first")


@pytest.mark.parametrize("target", ["self.second", "self.second.data"])
def test_the_parameter_itself_is_assigned(target):
    fix = tied(f"{target} = self.first.data")

    assert str(fix) == "Tie them by assigning the Parameter itself: `self.second = self.first`."


def test_a_layer_that_is_given_a_weight_gets_the_parameter_itself():
    statement = "self.out = nn.Embedding(9, 4, _weight=self.first)"
    source = HEAD + CONTAINER.format(statement=statement)
    facts = fact("first", role="parameter"), fact("out.weight", role="parameter")
    of = {"shared_with": "self.first"}

    fix = ask(tie_weights, source, "self.out.weight", statement, *facts, **of)
    assert edited(fix, source) == f"{source}        self.out.weight = self.first\n"
    copied = source.replace("=self.first)", "=self.first.t())")
    assert ask(tie_weights, copied, "self.out.weight", "self.out", *facts, **of) is None


def test_other_ties_are_told_in_words():
    assert tied("self.second = self.first.data", shape=(1, 5)) is None
    assert tied("self.second = self.third = self.first.data") is None
    assert tied("self.third = self.first.data") is None
    assert tied("tie(self.second, self.first)") is None
    assert tied("self.second = self.first.data", path="self.other") is None
