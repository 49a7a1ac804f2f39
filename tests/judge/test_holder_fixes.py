"""Fixes of tensors in a distribution, a lambda, an object, or the closure of a hook."""

import pytest
from fixed_code import HEAD, ask, edited, line_of
from literal import fact, replace

from grader.judge.fixes.holders import follow_gradient, hold_in_buffers
from grader.schema.evidence import Operand, Raised, Run

NET = (
    HEAD
    + """\
from torch.distributions import Normal

class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        {start}

    def forward(self, x):
        return self.prior(x)
"""
)
METHOD = """\
    {method}

    def forward(self, x):
"""


def held(name, identity=1, **changes):
    return fact(name, name="", identity=identity, **changes)


def fixed(start, *facts, source=NET):
    text = source.format(start=start)
    last = start.split("\n")[-1].strip()
    made = [replace(each, line=line_of(text, last)) for each in facts]
    fix = ask(hold_in_buffers, text, made[0].path, last, *made)
    return fix and edited(fix, text)


def with_method(start, method):
    text = NET.format(start=start)
    return text.replace("    def forward(self, x):\n", METHOD.format(method=method))


LOC, SCALE = held("prior.loc"), held("prior.scale", 2)


def test_a_distribution_is_built_from_buffers():
    result = fixed("self.prior = Normal(torch.zeros(dim), torch.ones(dim))", LOC, SCALE)

    assert result == with_method(
        'self.register_buffer("prior_loc", torch.zeros(dim), persistent=False)\n'
        '        self.register_buffer("prior_scale", torch.ones(dim), persistent=False)',
        "@property\n    def prior(self):\n        return Normal(self.prior_loc, self.prior_scale)",
    )


def test_a_keyword_names_a_buffer_and_what_was_drawn_is_saved():
    result = fixed("self.prior = Normal(scale=torch.ones(2), loc=torch.randn(2))", LOC, SCALE)

    assert 'self.register_buffer("prior_scale", torch.ones(2), persistent=False)' in result
    assert 'self.register_buffer("prior_loc", torch.randn(2))\n' in result
    assert "return Normal(scale=self.prior_scale, loc=self.prior_loc)" in result


@pytest.mark.parametrize(
    ("start", "facts"),
    [
        ("self.prior = Normal(torch.zeros(2), dim)", (LOC,)),  # a local name
        ("self.prior = Normal(0.0, 1.0)", (LOC, SCALE)),  # it makes its tensors itself
        ("self.prior = Normal(torch.zeros(2), torch.ones(2))", (LOC,)),
        ("self.prior = Normal(torch.zeros(2), torch.ones(2))",
         (LOC, held("prior.scale", 2, requires_grad=True))),
        ("self.prior = None\n        self.prior = Normal(torch.zeros(2), torch.ones(2))",
         (LOC, SCALE)),
    ],
)  # fmt: skip
def test_a_distribution_that_needs_more_is_left_to_words(start, facts):
    assert fixed(start, *facts) is None


def test_a_lambda_becomes_a_method():
    caught = "high = torch.ones(dim)\n        "
    made = f"{caught}self.prior = lambda x, k=2: x.clamp(max=k * dim) * high"
    result = fixed(made, held("prior.high"))

    assert result == with_method(
        f'{caught}self.register_buffer("high", high, persistent=False)\n        self.dim = dim',
        "def prior(self, x, k=2):\n        return x.clamp(max=k * self.dim) * self.high",
    )
    taken = f"self.high = 3\n        {made}"
    assert fixed(taken, held("prior.high")) is None


OBJECT = (
    HEAD
    + """\
class Window{bases}:
    def __init__(self, n):
        {first}
        self.window = torch.hann_window(n)

    def {method}(self, x):
        return x * self.window


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {start}

    def forward(self, x):
        return self.prior(x)
"""
)


def made_module(bases="", first="self.n = n", method="__call__"):
    source = OBJECT.replace("{bases}", bases).replace("{first}", first).replace("{method}", method)
    return fixed("self.prior = Window(4)", held("prior.window"), source=source)


@pytest.mark.parametrize("bases", ["", "(object)", "()"])
def test_an_object_of_an_own_class_becomes_a_module(bases):
    after = (
        OBJECT.replace("{bases}", "(nn.Module)")
        .replace("{first}", "super().__init__()\n        self.n = n")
        .replace("{method}", "forward")
        .replace(" = torch.hann_window(n)", "")
        .replace(
            "self.window\n\n",
            'self.register_buffer("window", torch.hann_window(n), persistent=False)\n\n',
            1,
        )
        .format(start="self.prior = Window(4)")
    )

    assert made_module(bases) == after


def test_its_first_statement_may_be_the_one_that_registers():
    source = OBJECT.replace("        {first}\n", "")
    source = source.replace("{bases}", "").replace("{method}", "scaled")
    result = fixed("self.prior = Window(4)", held("prior.window"), source=source)

    assert "super().__init__()\n        self.register_buffer(" in result
    assert "def scaled(" in result


@pytest.mark.parametrize(
    "changes",
    [
        {"bases": "(dict)"},
        {"method": "to"},  # which would be `Module.to`
        {"method": "forward"},
        {"first": "self.training = True"},
        {"first": "self.window = None"},  # assigned twice
    ],
)
def test_a_class_that_cannot_be_a_module_is_left_to_words(changes):
    assert made_module(**changes) is None


HOOKED = (
    HEAD
    + """\
def hook_of(mask, shift):
    def hook({arguments}):
        return {result}

    return hook


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        mask = torch.tril(torch.ones(3))
        self.weight.register_hook({hook})
"""
)


def followed(arguments="grad", result="grad * mask", hook="hook_of(mask, 0)", at="return grad"):
    source = HOOKED.format(arguments=arguments, result=result, hook=hook)
    made = Operand("cpu", source="made", line=line_of(source, "mask = torch"))
    raised = Raised("RuntimeError", "", line_of(source, at), operands=(Operand("cuda:0"), made))
    fix = ask(
        follow_gradient, source, "mask", "mask = torch", runs=(Run("cuda", raised, phase=None),)
    )
    return fix and edited(fix, source)


def test_a_hook_brings_what_it_has_caught_to_the_gradient():
    assert "return grad * mask.to(grad.device)\n" in followed()
    of_lambda = followed(hook="lambda g: g * mask", at="self.weight.register")
    assert "lambda g: g * mask.to(g.device))\n" in of_lambda


@pytest.mark.parametrize(
    "changes",
    [{"arguments": "module, grad"}, {"result": "grad * mask + shift"}, {"result": "grad * 2"}],
)
def test_a_hook_of_which_that_is_not_known_is_left_to_words(changes):
    assert followed(**changes) is None
