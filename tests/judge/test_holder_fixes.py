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


def held(name, identity=1, **changes):
    return fact(name, name="", identity=identity, **changes)


def fixed(start, *facts, source=NET):
    text = source.format(start=start)
    last = start.split("\n")[-1].strip()
    made = [replace(each, line=line_of(text, last)) for each in facts]
    fix = ask(hold_in_buffers, text, made[0].path, last, *made)
    return fix and edited(fix, text)


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


def test_its_first_statement_may_be_the_one_that_registers():
    source = OBJECT.replace("        {first}\n", "")
    source = source.replace("{bases}", "").replace("{method}", "scaled")
    result = fixed("self.prior = Window(4)", held("prior.window"), source=source)

    assert "super().__init__()\n        self.register_buffer(" in result
    assert "def scaled(" in result


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
