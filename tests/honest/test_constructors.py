"""A constructor may call its arguments as it likes, where their order says which is which."""

import pytest
from answering import report, source, words

from grader.course.catalog import find
from grader.grading.grade import grade_file

HEAD = "def __init__(self, features):"
BY_POSITION = (
    "def __init__(self, n):",
    "def __init__(self, n, /):",
    "def __init__(self, features, /):",
    "def __init__(self, n, eps=1e-5):",
)
REFUSED = (
    "def __init__(self):",
    "def __init__(self, n, more):",
    "def __init__(self, *, n):",
    "def __init__(self, *n):",
)


@pytest.mark.parametrize("head", BY_POSITION)
def test_an_argument_under_another_name_is_passed_by_position(head, tmp_path):
    text = source().replace(HEAD, head)
    if "features" not in head:
        text = text.replace("(features)", "(n)")

    assert report(tmp_path, text).verdict == "passed"


@pytest.mark.parametrize("head", REFUSED)
def test_where_that_is_not_clear_it_is_passed_by_name(head, tmp_path):
    result = report(tmp_path, source().replace(HEAD, head).replace("(features)", "(5)"))

    assert result.verdict == "failed"
    assert "The constructor raised TypeError" in result.message
    assert "The exercise builds it as CenterScale(features=" in result.message


@pytest.mark.parametrize(
    ("names", "verdict"),
    [
        (("mean", "std"), "passed"),
        (("mean", "deviation"), "passed"),
        (("centre", "std"), "passed"),
        (("centre", "deviation"), "passed"),
        (("deviation", "mean"), "failed"),  # `mean` in another place: what is the first?
    ],
)
def test_a_name_that_is_known_says_where_it_belongs(names, verdict, tmp_path):
    rubric = find("03")
    first, second = names
    path = tmp_path / f"{rubric.stem}.py"
    path.write_text(
        "import torch\nfrom torch import nn\n"
        f"class Normalizer(nn.Module):\n    def __init__(self, {first}, {second}):\n"
        "        super().__init__()\n"
        f"        self.register_buffer('mean', torch.tensor({first}))\n"
        f"        self.register_buffer('std', torch.tensor({second}))\n"
        "    def forward(self, x):\n        return (x - self.mean) / self.std\n",
        encoding="utf-8",
    )

    assert grade_file(rubric, path, "simulated").verdict == verdict


@pytest.mark.parametrize(
    "after",
    [
        "CenterScale.__init__ = 3",
        "CenterScale.__signature__ = 3",
        "CenterScale.__init__.__signature__ = 3",
        "CenterScale.__init__.__wrapped__ = CenterScale.__init__",
    ],
)
def test_an_odd_signature_gets_a_verdict(after, tmp_path):
    result = report(tmp_path, source(after=after))

    assert result.verdict in ("passed", "failed", "tampered")
    assert "grader itself" not in words(result)


def test_a_metaclass_that_makes_nothing_is_said(tmp_path):
    meta = "class Nothing(type):\n    def __call__(cls, *args, **named): return None\n"
    text = source(top=meta).replace("(nn.Module)", "(nn.Module, metaclass=Nothing)")

    assert "which is not an nn.Module" in report(tmp_path, text).message
