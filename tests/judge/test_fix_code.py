"""Fixes as code: which edit each rule of `grader.judge.fixes` makes of a learner's statement."""

import pytest
from literal import EXPECTED, MEAN, MIXED, RUBRIC, WEIGHT, evidence, fact, named
from msgspec.structs import replace

from grader.course.rubrics import load_rubric
from grader.judge.fixes import SourceFile, Sources
from grader.judge.fixes.fix import CodeFix
from grader.judge.verdict import judge
from grader.schema import Holder, Operand, RememberedDevice, Run, Structure
from grader.schema.report import Edit, Finding

LINE = 7
TEXT = """\
import torch
from torch import nn

class CenterScale(nn.Module):
    def __init__(self, features, device=None):
        super().__init__()
        {statement}

    def noise(self, size):
        {helper}

    def forward(self, x):
        {call}
        return x
"""


def text(statement="pass", helper="pass", call="pass", imports="from torch import nn") -> str:
    whole = TEXT.format(statement=statement, helper=helper, call=call)
    return whole.replace("from torch import nn", imports)


def first_finding(whole: str, *tensors, rubric=RUBRIC, **changes) -> Finding:
    sources = Sources(SourceFile(whole))
    return judge(evidence(*tensors, **changes), rubric, EXPECTED, sources=sources).findings[0]


def plain(name: str, **changes):
    return fact(name, **{"name": "", "line": LINE, **changes})


def fixed(statement: str, *tensors, **changes) -> str:
    """What becomes of a statement of the constructor, and what is printed."""
    found = first_finding(text(statement), *tensors, **changes)
    (edit,) = found.edits
    assert (edit.line, edit.before) == (LINE, statement)
    assert found.fix.endswith(f": `{edit.after}`.")
    assert found.source_line == statement
    return edit.after


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        (
            "self.running_mean = torch.zeros(features)",
            'self.register_buffer("running_mean", torch.zeros(features))',
        ),
        (
            "self.running_mean = torch.zeros(features).cuda()",
            'self.register_buffer("running_mean", torch.zeros(features))',
        ),
        (
            'self.running_mean = torch.zeros(features, device="cuda")',
            'self.register_buffer("running_mean", torch.zeros(features))',
        ),
        (
            "self.running_mean = torch.zeros(features, device=device)",
            'self.register_buffer("running_mean", torch.zeros(features, device=device))',
        ),
    ],
)
def test_a_plain_tensor_becomes_a_buffer(statement, after):
    assert fixed(statement, WEIGHT, plain("running_mean")) == after


def test_a_plain_tensor_becomes_a_parameter_where_the_exercise_trains_it():
    statement = "self.weight = torch.ones(features, requires_grad=True)"

    assert fixed(statement, plain("weight"), MEAN) == (
        "self.weight = nn.Parameter(torch.ones(features))"
    )


def test_the_fix_calls_nn_as_the_file_does():
    whole = text("self.weight = torch.ones(features)", imports="import torch.nn as layers")
    whole = whole.replace("(nn.Module)", "(layers.Module)")

    found = first_finding(whole, plain("weight"), MEAN)

    assert found.edits[0].after == "self.weight = layers.Parameter(torch.ones(features))"


def test_a_table_that_no_checkpoint_holds_is_not_saved():
    rubric = load_rubric("03b_causal_block")
    statement = "self.future = places[:, None] < places"

    after = fixed(statement, plain("future"), rubric=rubric)
    message = first_finding(text(statement), plain("future"), rubric=rubric).message

    assert "leaves it on the CPU" in message
    assert "state_dict" not in message

    assert after == 'self.register_buffer("future", places[:, None] < places, persistent=False)'


@pytest.mark.parametrize(
    ("statement", "tensor", "after"),
    [
        (
            'self.register_buffer("weight", torch.ones(features))',
            fact("weight", role="buffer", line=LINE),
            "self.weight = nn.Parameter(torch.ones(features))",
        ),
        (
            "self.weight = nn.Parameter(torch.ones(features), requires_grad=False)",
            replace(WEIGHT, requires_grad=False, line=LINE),
            "self.weight = nn.Parameter(torch.ones(features))",
        ),
    ],
)
def test_a_tensor_gets_the_role_that_the_exercise_wants(statement, tensor, after):
    assert fixed(statement, tensor, MEAN) == after


@pytest.mark.parametrize(
    ("holder", "path", "value", "made"),
    [
        ("list", "[0].weight", "[nn.Linear(2, 2)]", "nn.ModuleList([nn.Linear(2, 2)])"),
        ("list", "[0].weight", "[]", "nn.ModuleList()"),
        ("dict", "['a'].weight", "{}", "nn.ModuleDict()"),
        ("list", "[0]", "[nn.Parameter(x)]", "nn.ParameterList([nn.Parameter(x)])"),
        ("dict", "['a']", '{"a": nn.Parameter(x)}', 'nn.ParameterDict({"a": nn.Parameter(x)})'),
    ],
)
def test_a_container_becomes_pytorchs_own(holder, path, value, made):
    held = plain("layers", path=f"self.layers{path}", holder=Holder(holder, "self.layers"))
    held = replace(held, is_parameter=True, requires_grad=True)

    assert fixed(f"self.layers = {value}", WEIGHT, MEAN, held) == f"self.layers = {made}"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("['a.b'].weight", '{"a.b": nn.Linear(2, 2)}'),
        ("['a'][0].weight", '{"a": [nn.Linear(2, 2)]}'),
        ("[3].weight", "{3: nn.Linear(2, 2)}"),
    ],
)
def test_a_dict_that_no_module_dict_takes_gets_words(path, value):
    held = plain(
        "heads", path=f"self.heads{path}", holder=Holder("dict", "self.heads"), is_parameter=True
    )

    found = first_finding(text(f"self.heads = {value}"), WEIGHT, MEAN, held)

    assert found.edits == ()
    assert "`nn.ModuleDict`" in found.fix


def raised(line: int, name: str, source: str = "made"):
    operands = (
        Operand("cuda:0", (8, 5), "input", "input 0"),
        Operand("cpu", (8, 5), source, name, line),
    )
    return (Run("cpu", None, EXPECTED), Run("cuda", replace(MIXED, line=13, operands=operands)))


def test_no_name_is_used_that_is_not_in_scope():
    found = first_finding(text(helper="return torch.randn(size)"), runs=raised(10, "torch.randn"))

    assert found.edits == ()
    assert "`" not in found.fix


def test_a_fix_of_several_lines_is_printed_line_by_line():
    edits = (Edit(14, "z = y.to(gpu)", "z = y.to(x.device)"), Edit(13, "y = 1", "y = x"))

    assert str(CodeFix("Follow the input", edits)) == (
        "Follow the input:\n    line 13: y = x\n    line 14: z = y.to(x.device)"
    )


def test_code_that_cannot_be_parsed_is_quoted_and_fixed_in_words():
    whole = "%matplotlib inline\nself.running_mean = torch.zeros(features)\n"

    found = first_finding(whole, WEIGHT, plain("running_mean", line=2))

    assert found.source_line == "self.running_mean = torch.zeros(features)"
    assert found.edits == ()


TAGGERS = """\
import torch

class Base(torch.nn.Module):
    def place(self, x: torch.Tensor):
        return x.to(self.device)

class Tagger(Base):
    def __init__(self):
        super().__init__()
        self.device = "cpu"

    def forward(self, x: torch.Tensor):
        return self.place(x) + torch.ones(x.shape, device=self.device)

class FirstCall(Tagger):
    def forward(self, x: torch.Tensor):
        self.device = self.device or x.device
        return x.to(self.device)

class Other(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.to(self.device)
"""


def test_a_remembered_device_is_replaced_in_its_class_its_bases_and_its_subclasses():
    operand = Operand("cpu", (5,), "made", "torch.ones", 13, site=named("self.device"))
    remembered = Structure((WEIGHT,), devices=(RememberedDevice("self.device", 10, "cpu"),))
    run = Run("cuda", replace(MIXED, line=13, operands=(operand, Operand("cuda:0", (5,)))))

    found = first_finding(TAGGERS, structure=remembered, runs=(Run("cpu", None, EXPECTED), run))

    assert (found.code, found.where) == ("stale-device", "self.device")
    assert [(edit.line, edit.after) for edit in found.edits] == [
        (5, "return x.to(x.device)"),
        (13, "return self.place(x) + torch.ones(x.shape, device=x.device)"),
        (18, "return x.to(x.device)"),
    ]
