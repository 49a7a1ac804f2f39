"""`grader audit`: its ways in, what it says of input it cannot use, its exit codes and formats."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

HEAD = """\
import os
import torch
from torch import nn
"""
NET = (
    HEAD
    + """
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 3)
        self.mask = torch.tensor([True, False, False])

    def forward(self, x):
        return self.project(x).masked_fill(self.mask, 0.0)
"""
)
FIXED = NET.replace("self.mask = torch.tensor([True, False, False])", 'self.register_buffer("mask"'
                    ", torch.tensor([True, False, False]))")  # fmt: skip
INPUT = """
def example_input():
    return (torch.randn(2, 3),)
"""
SCALED = """
class Scaled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return x * self.scale
"""


@pytest.fixture
def audit(grader, tmp_path, monkeypatch):
    """Writes net.py and audits it."""
    monkeypatch.chdir(tmp_path)

    def run(source, target="net.py", *options):
        Path("net.py").write_text(source, encoding="utf-8")
        return grader("audit", target, *options)

    return run


def test_a_report_names_the_attribute_the_line_and_the_page(audit, golden):
    ended = audit(NET + INPUT, "net.py:Masked", "--device", "simulated")

    assert ended.status == 1
    golden("audit_member_tensor", ended.out)


UNCALLABLE = NET.replace("x):", "x, table):").replace("0.0", 'table["padding"]')


def test_without_inputs_it_says_what_it_did_not_see(audit, golden):
    ended = audit(UNCALLABLE, "net.py:Masked", "--device", "simulated")

    assert ended.status == 0
    golden("audit_without_inputs", ended.out)
    assert audit(UNCALLABLE, "net.py:Masked", "--strict").status == 1


def test_without_inputs_a_guess_is_tried_and_told(audit):
    ended = audit(NET, "net.py:Masked")

    assert ended.status == 1
    assert "so a guess was tried: --inputs 'x=torch.randn(2, 3)'" in " ".join(ended.out.split())
    assert "guess" not in audit(NET, "net.py:Masked", "--inputs", "x=torch.randn(2, 3)").out


def test_inputs_may_be_a_method_of_the_class(audit):
    method = "\n    def example_input(self):\n        return (torch.randn(5, 3),)\n"

    ended = audit(NET + method, "net.py:Masked")

    assert ended.status == 1
    assert "guess" not in ended.out


def test_inputs_may_be_written_on_the_command_line(audit):
    assert audit(NET, "net.py", "--inputs", "torch.randn(2, 3)").status == 1
    assert audit(FIXED, "net.py", "--inputs", "torch.randn(2, 3)").status == 0

    ended = audit(NET, "net.py", "--inputs", "torch.rndn(2)")
    assert ended.status == 2
    assert "the inputs, `torch.rndn(2)`, raised AttributeError" in " ".join(ended.out.split())


@pytest.mark.parametrize(
    "inputs",
    [
        "{'x': torch.randn(2, 3), 'w': torch.ones(3)}",
        "(torch.randn(2, 3), torch.ones(3))",
        "torch.randn(2, 3), torch.ones(3)",
        "torch.randn(2, 3), w=torch.ones(3)",
        "*[torch.randn(2, 3), torch.ones(3)]",
    ],
)
def test_written_inputs_mean_what_a_function_would_return_or_a_call_is_given(audit, inputs):
    weighted = FIXED.replace("x):", "x, *, w):" if "w" in inputs else "x, w):")
    weighted = weighted.replace("return ", "return w * ")

    assert "✓ CLEAN" in audit(weighted, "net.py", "--inputs", inputs).out


def test_a_warning_fails_only_if_asked(audit):
    counter = "super().__init__()\n        self.calls = 0"
    counting = FIXED.replace("super().__init__()", counter)
    counting = counting.replace("return ", "self.calls += 1\n        return ")

    assert audit(counting + INPUT).status == 0
    assert audit(counting + INPUT, "net.py", "--strict").status == 1
    assert audit(FIXED + INPUT, "net.py", "--strict").status == 0


def test_clean(audit):
    ended = audit(FIXED + INPUT)

    assert ended.status == 0
    assert "✓ CLEAN   judged on cuda:0" in ended.out


def test_the_inputs_may_come_from_any_function_and_in_any_form(audit):
    named = "def named():\n    return {'x': torch.randn(2, 3)}\n"

    assert audit(FIXED + named, "net.py:Masked", "--inputs", "named").status == 0


@pytest.mark.parametrize("signature", ["", "device=None", "device"])
def test_a_factory(audit, signature):
    device = "device=device" if signature else ""
    factory = f"def make({signature}):\n    return nn.Sequential(nn.Linear(3, 3, {device}))\n"

    ended = audit(HEAD + INPUT + factory, "net.py:make")

    assert (ended.status, "CLEAN" in ended.out) == (0, True)


def test_a_module_that_is_there_already(audit):
    assert audit(FIXED + INPUT + "net = Masked()\n", "net.py:net").status == 0


def test_an_alias_is_no_second_class(audit):
    assert audit(FIXED + INPUT + "Model = Masked\n", "net.py:").status == 0


def test_a_file_of_a_package_imports_its_neighbours(grader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "models" / "vision"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    (package.parent / "masks.py").write_text(FIXED)
    (tmp_path / "helpers_beside_models.py").write_text("SIZE = 3\n")
    source = "from ..masks import Masked\nfrom helpers_beside_models import SIZE\n"
    source += "class Net(Masked):\n    pass\n" + INPUT.replace("3", "SIZE")
    (package / "net.py").write_text(HEAD + source)

    ended = grader("audit", "models/vision/net.py")

    assert (ended.status, "CLEAN" in ended.out) == (0, True)


UNUSABLE = {
    "no such file": ("", "gone.py:Net", "gone.py does not exist"),
    "empty": ("\n", "net.py:Net", "net.py is empty"),
    "syntax error": ("class Net(:\n", "net.py:Net", "net.py, line 1: Python cannot read this line"),
    "no such class": (NET, "net.py:Net", "net.py does not define Net. It defines Masked."),
    "no module at all": ("x = 1\n", "net.py", "which class? It defines no nn.Module."),
    "several": (
        NET + SCALED,
        "net.py",
        "which class? It defines Masked, Scaled. Name one: grader audit net.py:Masked",
    ),
    "not a class": ("x = [1]\n", "net.py:x", "x is a list. Name an nn.Module"),
    "makes no module": (
        "def make():\n    return 3\n",
        "net.py:make",
        "Constructing it gave a int, which is not an nn.Module",
    ),
    "arguments": (
        HEAD + SCALED,
        "net.py:Scaled",
        "Scaled cannot be made without arguments (size). Write a function that makes one",
    ),
    "constructor raises": (
        NET.replace("self.project =", "raise OSError('weights')\n        _ ="),
        "net.py:Masked",
        "The constructor raised OSError in line 8: weights",
    ),
    "file raises": (NET + "1 / 0\n", "net.py:Masked", "raised ZeroDivisionError in line 13"),
    "inputs raise": (
        FIXED + INPUT.replace("return", "1 / 0;"),
        "net.py",
        "the inputs, example_input(), raised ZeroDivisionError in line 15",
    ),
    "inputs return nothing": (
        FIXED + INPUT.replace("return", ""),
        "net.py",
        "example_input() returned None. Does it lack a `return`?",
    ),
    "inputs do not fit": (
        FIXED + INPUT.replace("(2, 3)", "(2, 7)"),
        "net.py",
        "On the CPU, `forward` raised RuntimeError in line 12",
    ),
    "exits": (NET + INPUT.replace("return", "os._exit(0)"), "net.py", "ended the Python process"),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_be_audited_is_said_in_a_sentence(audit, case):
    source, target, message = UNUSABLE[case]

    ended = audit(source, target)

    assert ended.status == 2
    assert message in " ".join(ended.out.split())
    assert "Traceback" not in ended.out + ended.err


def test_a_function_for_the_inputs_that_is_not_there(audit):
    ended = audit(NET, "net.py", "--inputs", "batch")

    assert ended.status == 2
    assert "net.py has no batch. The inputs come from a function" in ended.out


@pytest.mark.parametrize(
    ("endless", "stage"),
    [
        (FIXED.replace("return", "while True: pass\n        return"), "first calls, on the CPU"),
        (FIXED + "while True: pass\n", "import"),
    ],
)
def test_what_never_ends_is_ended(audit, endless, stage):
    ended = audit(endless + INPUT, "net.py", "--time-limit", "3")

    assert ended.status == 2
    assert "✗ TIME IS UP" in ended.out
    assert f"during the {stage}." in ended.out


def test_what_the_code_prints_is_no_part_of_the_json(audit):
    loud = NET.replace("return self", "print('{')\n        return self")

    ended = audit(loud + INPUT, "net.py", "--format", "json")
    report = json.loads(ended.out)

    assert ended.status == 1
    assert (report["verdict"], report["max_score"], report["checks"]) == ("failed", 0, [])
    assert [(finding["code"], finding["where"]) for finding in report["findings"]] == [
        ("member-tensor", "self.mask")
    ]


def test_junit_has_a_case_for_each_finding(audit):
    ended = audit(NET + INPUT, "net.py", "--format", "junit")

    (suite,) = ElementTree.fromstring(ended.out)

    assert suite.get("name") == "Audit of net.py"
    assert suite.find("testcase").get("name") == "member-tensor self.mask"


def test_bad_input_is_a_report_in_every_format(audit):
    report = json.loads(audit("x = 1\n", "net.py", "--format", "json").out)

    assert report["verdict"] == "not_defined"
    assert "It defines no nn.Module" in report["message"]


def test_several_files_are_audited_in_one_call(audit):
    Path("fixed.py").write_text(FIXED + INPUT, encoding="utf-8")

    ended = audit(NET + INPUT, "net.py:Masked", "fixed.py", "--format", "json")

    assert ended.status == 1
    assert [report["verdict"] for report in json.loads(ended.out)] == ["failed", "passed"]


def test_a_folder_is_audited_as_a_package(audit):
    ended = audit(NET, ".", "--format", "sarif")
    mixed = audit(NET, ".", "net.py")

    (result,) = json.loads(ended.out)["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert (location, ended.status) == ("net.py", 1)
    assert "Audit a folder on its own: grader audit ." in mixed.err


@pytest.mark.parametrize("target", ["net.py", "."])
def test_statistics_count_the_findings_of_each_code(audit, target):
    twice = NET + "\n\nclass Other(Masked):\n    pass\n" if target == "." else NET + INPUT

    ended = audit(twice, target, "--statistics")

    assert (ended.status, ended.out) == (1, "    1  error    member-tensor\n")


def test_statistics_of_nothing(audit):
    clean = audit(FIXED + INPUT, "net.py", "--statistics")
    unusable = audit("x = 1\n", "net.py", "--statistics")
    data = audit(FIXED + INPUT, "net.py", "--statistics", "--format", "json")

    assert (clean.status, clean.out) == (0, "No findings.\n")
    assert (unusable.status, "It defines no nn.Module" in unusable.err) == (2, True)
    assert (data.status, "--statistics prints text only" in data.err) == (2, True)
