"""Fixes of a move that is missing, or whose result is dropped."""

from fixed_code import HEAD, ask, edited
from literal import MEAN, WEIGHT

from grader.judge.fixes.moves import move_first

NET = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x, y):
        \"\"\"Adds them.\"\"\"
{body}
        return x + y
"""
)


def net(*statements):
    return NET.format(body="\n".join(f"        {statement}" for statement in statements))


def body_after(fixer, source, where, at, *tensors, **changes):
    """The statements of `forward`, but the last, after the fix; None where none is written."""
    fix = ask(fixer, source, where, at, *(tensors or (WEIGHT,)), **changes)
    if fix is None:
        return None
    lines = edited(fix, source).split('"""Adds them."""\n')[1].splitlines()
    return [line.strip() for line in lines[:-1]]


def test_an_input_is_moved_before_it_is_used():
    source = net("y = y * 2")

    assert body_after(move_first, source, "x", "return") == [
        "x = x.to(self.weight.device)",
        "y = y * 2",
    ]
    assert body_after(move_first, source, "z", "return") is None
    assert body_after(move_first, source, "x", "return", MEAN) is None
    assert ask(move_first, source, "x", "class Net", WEIGHT) is None
    only_words = source.replace("        return x + y\n", "").replace("        y = y * 2\n", "")
    assert ask(move_first, only_words, "x", "Adds", WEIGHT) is None
