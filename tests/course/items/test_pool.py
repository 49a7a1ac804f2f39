"""Every module of the exam does what its file says, and its right version counts as a fix."""

import ast
import re
import runpy
import tokenize
from pathlib import Path

import pytest
from rules import for_each
from torch import nn

from grader import simulated_cuda
from grader.course.items import MODULES, Item, pool
from grader.learning.quiz.judging import judge

ROOT = Path(__file__).resolve().parents[3]
MEASURED = runpy.run_path(str(ROOT / "tools" / "refresh_exam.py"))["measured"]
WRONG = [module for module in pool() if module.behaviour != "works"]

# Other right answers: another way, another name, another order of registration.
ALSO_RIGHT = {
    "image_encoder": [
        ("torch.randn(deviation.shape)", "torch.randn(deviation.shape, device=mean.device)"),
    ],
    "sparse_autoencoder": [
        ("self.generator, device=x.device)", "self.generator).to(x.device)"),
    ],
    "expert_mixture": [
        ("[nn.Linear(width, width) for _ in range(experts)]", "None"),
        (
            "self.router = ",
            "self.many = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))\n"
            "        self.router = ",
        ),
        ("self.experts = None\n", "\n"),
        ("in self.experts", "in self.many"),
    ],
    "causal_attention": [
        ("self.mask[:length, :length]", "self.mask(x)"),
        (
            "        self.mask = torch.ones(longest, longest).triu(1).bool()\n",
            "\n    def mask(self, x):\n        length = x.shape[1]\n        ones = "
            "torch.ones(length, length, device=x.device)\n        return ones.triu(1).bool()\n",
        ),
    ],
}
# They no longer raise, and compute something else.
NO_FIX = {
    "frame_encoder": [
        ("self.window = torch.hann_window(frame)\n", "\n"),
        ("centred * self.window", "centred"),
    ],
    "image_encoder": [("torch.randn(deviation.shape)", "0")],
}
# It is silently wrong until a new instance loads its checkpoint.
REGISTERED_BY_A_CALL = """
import torch
from torch import nn

class PointFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = None

    def forward(self, points):
        if self.project is None:
            self.project = nn.Linear(points.shape[-1], 8).to(points.device)
        return self.project(points)

def example_input():
    return (torch.randn(2, 3),)
"""


@for_each(pool(), lambda module: module.key)
def test_a_file_ends_with_the_inputs_that_it_is_called_with(module):
    last = ast.parse(module.code).body[-1]

    assert isinstance(last, ast.FunctionDef)
    assert last.name == "example_input"
    assert ast.unparse(last.body[-1].value) == ast.unparse(
        ast.parse(f"({module.inputs},)", mode="eval").body
    )


def edited(module: Item, edits: list[tuple[str, str]]) -> str:
    source = module.code
    for old, new in edits:
        assert old in source
        source = source.replace(old, new)
    return source


def by_name(name: str) -> Item:
    return next(module for module in pool() if module.key == name)


def test_there_are_forty_and_some_are_right():
    kinds = [module.behaviour for module in pool()]

    assert len(kinds) >= 40
    assert min(kinds.count(kind) for kind in ("works", "raises", "silently wrong")) >= 10


def test_each_wrong_module_has_its_right_version():
    assert [module.key for module in pool() if module.fixes] == [each.key for each in WRONG]


@for_each(pool(), lambda module: module.key)
def test_it_is_short_and_has_no_comment_that_tells(module: Item):
    lines = iter(module.code.splitlines(keepends=True))
    kinds = {token.type for token in tokenize.generate_tokens(lambda: next(lines, ""))}

    assert tokenize.COMMENT not in kinds
    assert '"""' not in module.code
    assert 15 <= len(module.code.splitlines()) <= 30
    assert module.why in module.choice(module.right).why


@for_each(pool(), lambda module: module.key)
def test_it_raises_on_one_of_a_few_lines_that_compute(module: Item):
    lines = module.code.splitlines()
    offered = [lines[line - 1].strip() for line in module.offers]

    assert 2 <= len(offered) <= 4
    assert not [line for line in offered if line.endswith((":", "[]")) or line.startswith("for ")]


@pytest.mark.search
@pytest.mark.parametrize("module", pool(), ids=lambda module: module.key)
def test_it_does_what_the_pool_says(module: Item):
    told = MEASURED(MODULES / f"{module.key}.toml")

    assert told == {name: getattr(module, name) for name in told}, "python tools/refresh_exam.py"
    assert bool(module.finding) == ("finding" in told)


def test_no_module_of_the_pool_may_raise_where_it_is_loaded(tmp_path):
    path = tmp_path / "point_features.toml"
    path.write_text(f"code = '''{REGISTERED_BY_A_CALL}'''")

    with pytest.raises(RuntimeError, match="Unexpected key"):
        MEASURED(path)


@for_each(WRONG, lambda module: module.key)
def test_its_reason_is_about_a_line_or_an_attribute_and_what_it_says_of_that_is_so(module: Item):
    why = module.why
    model = called_on_cuda(module)
    named = [name for name in re.findall(r"`self\.(\w+)", why) if hasattr(model, name)]

    assert named or why.startswith("line ")
    if re.search(r"not (in|save|saved|registered)\b", why):
        assert named[0] not in {key.split(".")[0] for key in model.state_dict()}
    if "on the CPU" in why and module.behaviour == "silently wrong":
        assert getattr(model, named[0]).device.type == "cpu"


def called_on_cuda(module: Item) -> nn.Module:
    """An instance after a move and a call, or a new one if these raise."""
    namespace = {"__name__": module.key}
    exec(module.code, namespace)
    build = namespace[module.class_name]
    with simulated_cuda():
        try:
            model = build().cuda()
            model(*(tensor.cuda() for tensor in namespace["example_input"]()))
        except (RuntimeError, TypeError, ValueError):
            return build()
    return model


@pytest.mark.search
@pytest.mark.parametrize("module", WRONG, ids=lambda module: module.key)
def test_its_right_version_is_a_fix(module: Item):
    assert judge(module, module.fixed).message == ""


@pytest.mark.parametrize("name", ALSO_RIGHT)
def test_another_right_version_is_a_fix(name: str):
    module = by_name(name)

    assert judge(module, edited(module, ALSO_RIGHT[name])).message == ""


@pytest.mark.parametrize("name", NO_FIX)
def test_another_computation_is_no_fix(name: str):
    module = by_name(name)

    assert judge(module, edited(module, NO_FIX[name])).failed_by


def test_a_comment_is_no_fix_and_neither_is_code_that_cannot_be_read():
    module = by_name("frame_encoder")

    assert judge(module, module.code + "# fixed\n").message.startswith("Line 9: ")
    assert "cannot read" in judge(module, "class FrameEncoder(\n").message
    assert judge(module, "x = 1\n").failed_by


def test_the_line_of_a_fault_is_told_once():
    module = by_name("image_encoder")

    message = judge(module, module.code + "# fixed\n").message

    assert message.lower().count("line 16") == 1
