"""Fixes of a tensor that is made on the wrong device, or of a device that a module remembers."""

import re

import pytest
from fixed_code import HEAD, ask, line_of
from literal import MEAN, MIXED, WEIGHT, fact
from msgspec.structs import replace

from grader.course.rubrics import load_rubric
from grader.judge.fixes.devices import (
    follow_input,
    hand_on_device,
    let_caller_choose,
    make_beside_weights,
    make_on_input_device,
)
from grader.judge.fixes.remembered import ask_when_needed, key_by_device
from grader.schema.evidence import Operand, RememberedDevice, Run, Structure

NET = (
    HEAD
    + """\
import numpy as np

class Net(nn.Module):
    def __init__(self, features, device=None):
        super().__init__()
        {start}

    def forward(self, x: torch.Tensor, y=None):
        {body}
        return x
"""
)


def net(*statements, start="pass"):
    return NET.format(body="\n        ".join(statements), start=start)


def after(fixer, source, where, at, *tensors, **changes):
    """The statements that change, as they are then; None where no fix is written."""
    fix = ask(fixer, source, where, at, *(tensors or (WEIGHT,)), **changes)
    return fix and [edit.after for edit in fix.edits]


@pytest.mark.parametrize(
    ("statement", "name", "result"),
    [
        ("z = torch.zeros(3)", "torch.zeros", "z = torch.zeros(3, device=x.device)"),
        ("z = torch.ones(size=n)", "torch.ones", "z = torch.ones(size=n, device=x.device)"),
        ("z = zeros(3)", "zeros", "z = zeros(3, device=x.device)"),
        (
            "z = torch.zeros(3, device='cpu', dtype=d)",
            "torch.zeros",
            "z = torch.zeros(3, device=x.device, dtype=d)",
        ),
        (
            "z = torch.zeros(3) + torch.zeros(4)",
            "torch.zeros",
            "z = torch.zeros(3, device=x.device) + torch.zeros(4, device=x.device)",
        ),
        ("z = torch.from_numpy(a)", "torch.from_numpy", "z = torch.from_numpy(a).to(x.device)"),
        ("z = torch.from_numpy(a)", "x.sub", "z = torch.from_numpy(a).to(x.device)"),
        ("z = np.zeros(3)", "np.zeros", None),
        ("z = torch.zeros(**sizes)", "torch.zeros", None),
        ("z = torch.zeros()", "torch.zeros", None),
        ("z = torch.stack(3)", "torch.stack", None),
        ("if torch.rand(3) > 0:\n            z = 1", "torch.rand",
         "if torch.rand(3, device=x.device) > 0:"),
        ("for i in torch.arange(3):\n            z = i", "torch.arange",
         "for i in torch.arange(3, device=x.device):"),
    ],
)  # fmt: skip
def test_a_factory_gets_the_device_of_the_input(statement, name, result):
    made = after(make_on_input_device, net(statement), name, statement)

    assert made == (result and [result])


@pytest.mark.parametrize(
    ("start", "result"),
    [
        (
            "self.scale = torch.ones(3, dtype=d)",
            "self.scale = torch.ones(3, dtype=d, device=device)",
        ),
        ("self.layer = nn.Linear(3, 3)", "self.layer = nn.Linear(3, 3, device=device)"),
        ("self.scale = torch.ones(3, device='cpu')", None),
        ("self.scale = torch.ones(3).to(device='cpu')", None),
        ("self.scale = make(3)", None),
    ],
)
def test_a_constructor_hands_its_device_on_where_no_other_is_named(start, result):
    assert after(hand_on_device, net(start=start), "self.scale", start) == (result and [result])


def test_a_local_name_may_not_be_there_yet():
    source = net("a = torch.ones(1)", "b = torch.ones(len(z) + z.size(0))")

    assert after(make_on_input_device, source, "torch.ones", "b = torch") == [
        "b = torch.ones(len(z) + z.size(0), device=z.device)"
    ]


def test_outside_of_a_statement_there_is_no_fix():
    source = net("pass") + "\n# the end\n"

    assert after(make_on_input_device, source, "torch.ones", "# the end") is None
    assert after(follow_input, source, "torch.ones", "# the end") is None
    assert after(follow_input, source, "torch.ones", "import torch") is None


@pytest.mark.parametrize(
    ("statement", "result"),
    [
        ("z = y.cuda()", "z = y.to(x.device)"),
        ('z = y.to("cuda")', "z = y.to(x.device)"),
        ("z = torch.zeros(3).cuda()", "z = torch.zeros(3, device=x.device)"),
        ("z = torch.zeros(3, device='cuda')", "z = torch.zeros(3, device=x.device)"),
        ("z = torch.zeros(size=n).cuda()", "z = torch.zeros(size=n, device=x.device)"),
        ("z = torch.stack(y).cuda()", "z = torch.stack(y).to(x.device)"),
        ("z = y.to(torch.float16)", None),
        (
            "z = torch.from_numpy(y.cpu().numpy())",
            "z = torch.from_numpy(y.cpu().numpy()).to(x.device)",
        ),
        ("z = y + 1", None),
    ],
)
def test_a_device_in_forward_is_that_of_the_input(statement, result):
    assert after(follow_input, net(statement), "y", statement) == (result and [result])


@pytest.mark.parametrize(
    ("statement", "result"),
    [
        ("y = x.cuda() if torch.cuda.is_available() else x", "y = x.to(x.device)"),
        ("y = (y.cuda() if x.is_cuda else y) + 1", "y = (y.to(x.device)) + 1"),
        ("y = x.cuda() if y is None else x", "y = x.to(x.device) if y is None else x"),
        ("if x.is_cuda:\n            y = y.cuda()", "y = y.to(x.device)"),
        ("if ON:\n            y = y.cuda()", "y = y.to(x.device)"),
    ],
)
def test_what_is_moved_everywhere_needs_no_question(statement, result):
    source = net(statement)
    fix = ask(follow_input, source, "y", "y = ", WEIGHT)

    assert [edit.after for edit in fix.edits] == [result]
    is_asked = "cuda" in statement.partition(":")[0]
    assert fix.edits[0].before == (statement if is_asked else statement.partition("\n")[2].strip())


def test_numbers_that_are_drawn_once_are_not_kept():
    noisy = load_rubric("06_noise_in_forward")
    kept = "if self.z is None:\n            self.z = torch.randn(3)"
    numpy = "y = torch.from_numpy(np.random.randn(3))"

    assert ask(ask_when_needed, net(kept), "self.z", "self.z = ", rubric=noisy).edits == ()
    assert ask(make_on_input_device, net(numpy), numpy, numpy, rubric=noisy).edits == ()
    assert ask(make_on_input_device, net(numpy), numpy, numpy).edits


def test_a_plain_tensor_is_not_moved_in_each_call():
    plain = fact("table", name="", role="plain")
    source = net("z = self.table.cuda()")

    assert after(follow_input, source, "self.table", "z = self", WEIGHT, plain) is None
    assert after(follow_input, source, "self.weight", "z = self") == ["z = self.table.to(x.device)"]


@pytest.mark.parametrize(
    ("start", "result"),
    [
        (
            "self.weight = nn.Parameter(torch.ones(5, device='cuda'))",
            "self.weight = nn.Parameter(torch.ones(5{, device=device}))",
        ),
        ("self.weight = nn.Parameter(a.cuda())", "self.weight = nn.Parameter(a{.to(device)})"),
        (
            'self.register_buffer("weight", a.cuda())',
            'self.register_buffer("weight", a{.to(device)})',
        ),
        ("self.weight = nn.Parameter(torch.ones(5))", None),
        ("self.weight: nn.Parameter = nn.Parameter(torch.ones(5).cuda())", None),
        ("if features: self.weight = 3", None),
    ],
)  # fmt: skip
def test_what_is_registered_is_made_on_the_cpu_or_where_the_caller_says(start, result):
    source = net("pass", start=start)
    chosen = result and [re.sub(r"[{}]", "", result)]
    left = result and [re.sub(r"{.*}", "", result)]

    assert after(follow_input, source, "self.weight", start) == chosen
    assert after(follow_input, source.replace("device=None", "a"), "self.weight", start) == left


@pytest.mark.parametrize(
    ("choice", "fix"),
    [
        (
            "if device is None:\n            device = 'cuda' if ON else 'cpu'",
            "\n    lines 8 to 9: leave them out",
        ),
        ("device = device or 'cuda'", "\n    line 8: leave it out"),
        ("self.device = torch.device(device or 'cuda')", " `self.device = device`."),
        ("where = 'cuda' if ON else 'cpu'", " `where = device`."),
        ("where = self.where = 'cuda'", None),
        ("device = device or 'cpu'", None),
        ("self.weight = torch.ones(5, device='cuda')", None),
    ],
)
def test_the_caller_chooses_the_device(choice, fix):
    source = net("pass", start=choice)

    found = ask(let_caller_choose, source, "self.weight", "super()", WEIGHT)

    assert (str(found) if found else None) == (fix and f"Leave the choice to the caller:{fix}")


def test_what_is_not_registered_is_not():
    start = "self.weight = torch.ones(5).cuda()"
    plain = fact("weight", name="", role="plain")

    assert after(follow_input, net("pass", start=start), "self.weight", start, plain) is None
    assert after(follow_input, net("pass", start=start), "self.weight", start, MEAN) is None


def device_of(statement, *, operands=(), moved=False, annotated=True, tensors=(WEIGHT,)):
    """The device that a factory in a statement gets."""
    source = net(statement, start="self.weight = self.bias = None")
    if not annotated:
        source = source.replace("x: torch.Tensor, y=None", "x, y=None")
    raised = replace(MIXED, line=line_of(source, statement), operands=operands)
    runs = (Run("cuda", raised, moved_inputs=moved),)
    made = after(make_on_input_device, source, "torch.ones", statement, *tensors, runs=runs)
    return made and made[0].partition("device=")[2].removesuffix(")")


@pytest.mark.parametrize(
    ("statement", "options", "device"),
    [
        ("z = torch.ones(3)", {}, "x.device"),
        ("z = torch.ones(y.shape)", {}, "y.device"),
        ("z = torch.ones(y.size(0))", {}, "y.device"),
        ("z = torch.ones(self.shape)", {}, "x.device"),
        ("z = torch.ones(3)", {"annotated": False}, "self.weight.device"),
        ("z = torch.ones(3)", {"moved": True}, "self.weight.device"),
        ("z = torch.ones(y.shape)", {"moved": True}, "self.weight.device"),
        ("z = torch.ones(3)", {"annotated": False, "tensors": (MEAN,)}, None),
    ],
)
def test_a_device_in_scope(statement, options, device):
    assert device_of(statement, **options) == device


def test_an_operand_on_the_cpu_is_to_be_moved_and_no_measure():
    cuda = Operand("cuda:0", (5,), "input", "y[0]")
    cpu = Operand("cpu", (5,), "input", "y")
    local = Operand("cuda:0", (5,), "input", "z")

    assert device_of("z = torch.ones(3)", operands=(cuda,)) == "y[0].device"
    assert device_of("z = torch.ones(3)", operands=(cpu,)) == "x.device"
    assert device_of("z = torch.ones(y.shape)", operands=(cpu,)) == "x.device"
    assert device_of("z = torch.ones(3)", operands=(local,)) == "x.device"


def test_a_registered_tensor_is_asked_that_the_class_binds_and_a_weight_first():
    bias, inner = fact("bias", role="parameter"), fact("weight.weight", role="parameter")
    alien, listed = fact("alien", role="parameter"), fact("bias[0]", role="parameter")

    def asked(*tensors):
        return device_of("z = torch.ones(3)", annotated=False, tensors=tensors)

    assert asked(bias, WEIGHT) == "self.weight.device"
    assert asked(inner, bias) == "self.bias.device"
    assert asked(alien, inner) == "self.weight.weight.device"
    assert asked(alien, listed) is None
    assert asked(fact("bias", role="plain")) is None


CACHED = "self.kept = torch.arange(3)"


def cached(test, statement=CACHED, **changes):
    source = net(f"if {test}:", f"    {statement}")
    return after(ask_when_needed, source, "self.kept", statement, **changes)


def test_a_cache_is_made_again_on_another_device():
    assert cached("self.kept is None") == [
        "if self.kept is None or self.kept.device != x.device:",
        "self.kept = torch.arange(3, device=x.device)",
    ]
    assert cached("self.kept is None or len(self.kept) < 3")[0] == (
        "if self.kept is None or len(self.kept) < 3 or self.kept.device != x.device:"
    )
    assert cached("self.kept is None and self.on")[0] == (
        "if (self.kept is None and self.on) or self.kept.device != x.device:"
    )


def test_a_cache_that_is_made_there_already_only_looks_at_its_device():
    made = cached("self.kept is None", "self.kept = torch.arange(3, device=x.device)")

    assert made == ["if self.kept is None or self.kept.device != x.device:"]
    assert len(cached("self.kept is None", "self.kept = x.new_zeros(3)")) == 1


def test_so_it_is_under_any_condition_that_holds_as_long_as_there_is_none():
    assert cached("not self.ready")[0] == "if not self.ready or self.kept.device != x.device:"
    assert cached("self.on if y else self.off")[0] == (
        "if (self.on if y else self.off) or self.kept.device != x.device:"
    )
    assert cached("self.kept.device != x.device") is None


def test_other_caches_are_fixed_in_words():
    source = net(CACHED)

    assert after(ask_when_needed, source, "self.kept", CACHED) is None
    assert after(ask_when_needed, source, "KEPT", CACHED) is None
    assert after(ask_when_needed, source, "self.kept", "import torch") is None
    assert after(ask_when_needed, source + "\n# the end\n", "self.kept", "# the end") is None
    unknown = NET.replace("x: torch.Tensor", "x").format(
        start="pass", body=f"if self.kept is None:\n            {CACHED}"
    )
    assert after(ask_when_needed, unknown, "self.kept", CACHED) is None


MASKS = (
    HEAD
    + """\
def mask(n, {device}):
    key = {key}
    if key not in masks:
        masks[{used}] = torch.ones(n, device=device)
    return masks[key]
"""
)


@pytest.mark.parametrize(
    ("key", "changes", "result"),
    [
        ("(n, 3)", {}, "key = (n, 3, device)"),
        ("(n,)", {}, "key = (n, device,)"),
        ("n", {}, None),
        ("(n, 3)", {"device": "where"}, None),
        ("(n, 3)", {"used": "(n, 3)"}, None),
    ],
)
def test_the_device_becomes_a_part_of_a_key(key, changes, result):
    source = MASKS.format(key=key, **{"device": "device", "used": "key", **changes})

    assert after(key_by_device, source, "masks", "masks[") == (result and [result])


ADAPTED = """\
class Adapter(nn.Module):
    def __init__(self, base, rank, device=None):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, 3))

    def widen(self):
        self.up = nn.Linear(3, 3)
"""


def test_what_is_added_later_is_made_beside_the_weights():
    base = fact("layers[0].base.weight", role="parameter")
    own = fact("base.weight", role="parameter")
    source = (HEAD + ADAPTED).replace(", device=None", "")

    assert after(make_beside_weights, source, "self.layers[0].down", "self.down", base) == [
        "self.down = nn.Parameter(torch.randn(rank, 3, device=self.base.weight.device))"
    ]
    layer = source.replace("nn.Parameter(torch.randn(rank, 3))", "nn.Linear(3, rank)")
    assert after(make_beside_weights, layer, "self.layers[0].down.bias", "self.down", base) == [
        "self.down = nn.Linear(3, rank, device=self.base.weight.device)"
    ]
    assert after(make_beside_weights, source, "self.up", "self.up", own) == [
        "self.up = nn.Linear(3, 3, device=self.base.weight.device)"
    ]
    assert after(make_beside_weights, source, "self.down", "self.down", base) is None
    given = HEAD + ADAPTED  # then that is the one to hand on
    assert after(make_beside_weights, given, "self.layers[0].down", "self.down", base) is None


def test_a_function_of_autograd_asks_what_it_is_given():
    source = f"""{HEAD}
class Sum(torch.autograd.Function):
    @staticmethod
    def backward(ctx, grad):
        return grad * torch.ones(ctx.size)
"""

    assert after(make_on_input_device, source, "torch.ones", "return grad") == [
        "return grad * torch.ones(ctx.size, device=grad.device)"
    ]


REMEMBERED = (RememberedDevice("self.device", 6, "cpu"),)


def test_a_remembered_device_is_asked_for():
    structure = Structure((WEIGHT,), devices=REMEMBERED)
    source = net(
        "z = y.to(self.device)",
        "if self.device: pass",
        "self.device = self.device or z",
        start="self.device = device or self.device",
    )

    made = after(ask_when_needed, source, "self.device", "z = y", structure=structure)
    assert made == ["z = y.to(x.device)"]


def test_where_one_use_has_no_device_in_scope_none_is_replaced():
    structure = Structure((MEAN,), devices=REMEMBERED)
    source = net("z = y.to(self.device)") + "\n    def more(self):\n        return self.device\n"
    outside = net("pass") + "\ndef free(self, x: torch.Tensor):\n    return x.to(self.device)\n"

    for whole, at in ((source, "z = y"), (outside, "return x.to")):
        assert after(ask_when_needed, whole, "self.device", at, MEAN, structure=structure) is None
