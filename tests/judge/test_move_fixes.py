"""Fixes of a move that is missing, or whose result is dropped."""

import pytest
from fixed_code import HEAD, ask, edited
from literal import MEAN, WEIGHT

from grader.judge.fixes.moves import keep_result, lengths_to_cpu, move_first, stay_in_torch

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


@pytest.mark.parametrize(
    ("move", "result"),
    [
        ("x.cuda()", "x = x.to(self.weight.device)"),
        ("x.cpu()", "x = x.to(self.weight.device)"),
        ('x.to("cuda")', 'x = x.to("cuda")'),
        ("x.to(y)", "x = x.to(y)"),
    ],
)
def test_the_result_of_a_move_is_kept(move, result):
    assert body_after(keep_result, net(move), "x", move) == [result]


def test_a_move_stays_as_it_is_where_no_device_is_in_scope():
    assert body_after(keep_result, net("x.cuda()"), "x", "x.cuda()", MEAN) == ["x = x.cuda()"]


def test_every_move_of_the_function_is_kept():
    statements = ["x.to(0)", "y.to(0)", "self.z.to(0)", "x.add_(1)", "z = y.cuda()", "[x][0].to(0)"]

    assert body_after(keep_result, net(*statements), "x", "x.to(0)") == [
        "x = x.to(0)",
        "y = y.to(0)",
        *statements[2:],
    ]


@pytest.mark.parametrize(
    "statement", ["z = x.cuda()", "x.add_(1)", "x", "self.weight.cuda()", "[x][0].cuda()"]
)
def test_other_statements_are_fixed_in_words(statement):
    assert body_after(keep_result, net(statement), "x", statement) is None


def test_a_member_tensor_is_to_be_registered_and_no_other_move_is_kept_for_it():
    statements = ("self.weight.cuda()", "x.cuda()")

    assert body_after(keep_result, net(*statements), "self.weight", statements[0]) is None
    assert body_after(keep_result, net(*statements), "x", statements[1]) is not None


def test_a_loop_of_moves_becomes_an_assignment():
    for names in ("(x, y)", "[x, y]", "x, y"):
        source = net(f"for each in {names}:", "    each.cuda()")
        fix = ask(keep_result, source, "each", "each.cuda()", WEIGHT)
        assert str(fix) == (
            "Keep the results, under the names that are used: "
            "`x, y = (each.to(self.weight.device) for each in (x, y))`."
        )


@pytest.mark.parametrize(
    ("names", "old", "made"),
    [("(x, y)", "`x` and `y`", "x, y"), ("[x]", "`x`", "x,")],
)
def test_a_loop_that_rebinds_its_own_name_binds_the_others(names, old, made):
    source = net(f"for each in {names}:", "    each = each.to(0)")

    fix = ask(keep_result, source, "each", "each = each", WEIGHT)

    assert str(fix) == (
        f"`each` is the loop's own name, and {old} still mean the old tensors. Rebind those: "
        f"`{made} = (each.to(0) for each in ({made}))`."
    )


@pytest.mark.parametrize(
    "loop",
    [
        ("for each in (x, y[0]):", "    each.cuda()"),
        ("for each in batch:", "    each.cuda()"),
        ("for each in ():", "    each.cuda()"),
        ("for i, each in (x, y):", "    each.cuda()"),
        ("for each in (x, y):", "    each.cuda()", "    print(each)"),
        ("for each in (x, y):", "    x = each.cuda()"),
        ("for each in (x, y):", "    each.cuda()", "else:", "    pass"),
        ("while each in (x, y):", "    self.each.cuda()"),
    ],
)
def test_other_loops_are_fixed_in_words(loop):
    assert body_after(keep_result, net(*loop), "each", "each.cuda()") is None


def test_a_sequence_that_the_function_made_is_made_again():
    lines = ("state = self.zeros()", "for each in state:", "    each.cuda()")
    made = "state = type(state)(each.to(self.weight.device) for each in state)"

    assert body_after(keep_result, net(*lines), "each", "each.cuda()") == [lines[0], made]


def test_a_move_in_a_loop_over_something_else_is_kept():
    loop = ("for i in (0, 1):", "    x.to(i)")

    assert body_after(keep_result, net(*loop), "x", "x.to(i)") == [loop[0], "x = x.to(i)"]


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


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("pack_padded_sequence(x, n)", "pack_padded_sequence(x, n.cpu())"),
        ("pack_padded_sequence(x, n, True)", "pack_padded_sequence(x, n.cpu(), True)"),
        ("pack_padded_sequence(x, lengths=n)", "pack_padded_sequence(x, lengths=n.cpu())"),
        (
            "pack_padded_sequence(x, batch_first=b, lengths=n)",
            "pack_padded_sequence(x, batch_first=b, lengths=n.cpu())",
        ),
        ("pack_padded_sequence(x)", None),
        ("pack_padded_sequence(x, batch_first=b)", None),
        ("pack(x, n)", None),
        ("pack_padded_sequence(pack_padded_sequence(x, n), n)", None),
    ],
)
def test_lengths_are_brought_back(call, after):
    fix = ask(lengths_to_cpu, net(f"z = {call}"), "n", call, WEIGHT)

    assert (fix and str(fix)) == (after and f"Bring the lengths back for this call: `z = {after}`.")


def test_lengths_of_no_line_are_not():
    source = net("z = pack_padded_sequence(x, n)") + "\n# the end\n"

    assert ask(lengths_to_cpu, source, "n", "# the end", WEIGHT) is None
    assert ask(keep_result, source, "n", "# the end", WEIGHT) is None


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        ("z = np.sqrt(x) + np.abs(y)", "z = torch.sqrt(x) + torch.abs(y)"),
        ("z = torch.as_tensor(np.log(x))", "z = torch.as_tensor(torch.log(x))"),
        ("z = np.mean(x)", None),  # which PyTorch calls so as well, with other arguments
        ("z = np.sqrt(x, where=y)", None),
        ("z = torch.from_numpy(np.sqrt(x))", None),
        ("z = np.sqrt(x.numpy())", None),
        ("z = x.sqrt()", None),
    ],
)
def test_numpys_function_becomes_pytorchs(statement, after):
    source = net(statement).replace("import torch\n", "import numpy as np\nimport torch\n")

    assert body_after(stay_in_torch, source, "x", statement) == (after and [after])
