"""Fixes that register a tensor, or register it in another role."""

import pytest
from fixed_code import HEAD, ask
from literal import RUBRIC, WEIGHT, fact, replace

from grader.course.rubrics import load_rubric
from grader.judge.fixes.registering import register
from grader.judge.fixes.roles import change_role, save_in_buffer

FREE = replace(RUBRIC, names_matter=False)
TABLES = load_rubric("03b_causal_block")


def net(*statements, more="", arguments="", before=""):
    """A module whose constructor has these statements."""
    body = "".join(f"        {statement}\n" for statement in statements)
    head = f"{HEAD}{before}class Net(nn.Module):\n    def __init__(self{arguments}):\n"
    return f"{head}        super().__init__()\n{body}{more}"


def plain(name, **changes):
    return fact(name, **{"name": "", "role": "plain", "line": 6, **changes})


PAIR = net("self.a, self.b = torch.zeros(2), 3")


def test_a_pair_is_registered_in_a_constructor_and_for_an_attribute_only():
    outside = f"{HEAD}\n\n\nself.a, self.b = torch.zeros(2), 3\n"
    nested = plain("a", path="self.box.a")

    assert ask(register, outside, "self.a", "self.a", plain("a")) is None
    assert ask(register, PAIR, "self.box.a", "self.a", nested) is None
    assert ask(register, PAIR, "self.a", "self.a", plain("a", line=99)) is None


NOISY = replace(RUBRIC, random_outputs=("output",))
COUNTED = replace(RUBRIC.tensors[1], dtypes=("int64", "int32"))


@pytest.mark.parametrize(
    ("name", "value", "rubric", "words"),
    [
        ("a", "torch.randn(2)", NOISY, "Draw it in each call, on the device of what it meets"),
        ("a", "torch.ones(2)", RUBRIC, "the name that the exercise has: `running_mean`"),
        (
            "running_mean",
            "torch.zeros(2)",
            replace(RUBRIC, tensors=(COUNTED,)),
            "Register it as it is asked for: as a buffer of int64",
        ),
    ],
)
def test_what_the_exercise_has_not_in_this_form_is_fixed_in_words(name, value, rubric, words):
    source, path = (
        net(f"self.{name} = {value}", f"self.{name}, self.z = {value}, 3"),
        f"self.{name}",
    )
    alone = ask(register, source, path, f"{path} =", plain(name), rubric=rubric)
    paired = ask(register, source, path, f"{path}, ", plain(name, line=7), rubric=rubric)
    role = ask(change_role, source, path, path, fact(name, role="parameter"), rubric=rubric)

    for fix in (alone, paired, role):
        assert fix.edits == ()
        assert fix.words.endswith(words)


def test_an_exercise_says_what_is_saved():
    source = net("self.a = torch.ones(2)")
    scored = {"parameters": 1, "state_dict": 1}

    def is_saved(rubric):
        fix = ask(register, source, "self.a", "self.a", plain("a"), rubric=rubric)
        return "persistent=False" not in str(fix)

    assert not is_saved(TABLES)
    assert is_saved(replace(TABLES, points={"parameters": 1}))
    assert is_saved(replace(FREE, points=scored))
    assert not is_saved(replace(TABLES, names_matter=False))
    asked = fact("running_mean", name="", role="plain", line=6)
    source = net("self.running_mean = torch.ones(2)")
    assert 'register_buffer("running_mean", torch.ones(2))' in str(
        ask(register, source, "self.running_mean", "self.running_mean", asked, rubric=RUBRIC)
    )


COUNT = "    def step(self):\n        self.count = self.count + 1\n        self.other = 0\n"


def test_what_is_no_number_of_the_constructor_is_not():
    words = net('self.count = "none"', more=COUNT)
    computed = net("self.count = size", more=COUNT)
    late = net("pass", more="    def step(self):\n        self.count = 0\n")
    alone = f"{HEAD}def __init__(self):\n    self.count = 0\n"

    for source in (words, computed, late, alone):
        assert ask(save_in_buffer, source, "self.count", "self.count = ", WEIGHT) is None


def test_an_exercise_says_whether_a_checkpoint_has_the_number():
    source = net("self.count = 0")

    def has_fix(name, rubric):
        whole = source.replace("count", name)
        return ask(save_in_buffer, whole, f"self.{name}", f"self.{name}", WEIGHT, rubric=rubric)

    assert has_fix("running_mean", RUBRIC).edits
    assert has_fix("count", FREE).edits
    assert "holds `weight`, `running_mean` and no more" in has_fix("count", RUBRIC).words
