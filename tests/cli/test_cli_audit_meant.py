"""`grader audit`, told what is meant: by comments, codes, pyproject.toml and a baseline."""

import json
from pathlib import Path

import pytest

HEAD = """\
import torch
from torch import nn


"""
NET = (
    HEAD
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 3)
        self.mask = torch.tensor([True, False, False])
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.project(x).masked_fill(self.mask, 0.0)


def example_input():
    return (torch.randn(2, 3),)
"""
)
MASK, CALLS = "self.mask = torch.tensor([True, False, False])", "self.calls += 1"


@pytest.fixture
def audit(grader, tmp_path, monkeypatch):
    """Writes net.py and audits it."""
    monkeypatch.chdir(tmp_path)

    def run(source=NET, *options):
        Path("net.py").write_text(source, encoding="utf-8")
        return grader("audit", "net.py:Net", *options)

    return run


def codes(ended):
    return [finding["code"] for finding in json.loads(ended.out)["findings"]]


def test_without_a_word_both_are_told(audit):
    ended = audit(NET, "--format", "json")

    assert (ended.status, codes(ended)) == (1, ["member-tensor", "replica"])


@pytest.mark.parametrize(
    "source",
    [
        NET.replace(MASK, f"{MASK}  # grader: ignore[member-tensor]"),
        NET.replace(MASK, f"# grader: ignore[member-tensor]\n        {MASK}"),
    ],
)
def test_a_comment_says_that_a_finding_is_meant(audit, source):
    ended = audit(source, "--format", "json")

    report = json.loads(ended.out)
    assert (ended.status, codes(ended), report["meant"]) == (0, ["replica"], 1)


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# grader: ignore[tied-weights]", "found nothing here that this comment could mark"),
        ("# grader: ignore[membr-tensor]", "There is no code `membr-tensor`"),
        ("# grader: ignore", "The comment names no code"),
    ],
)
def test_a_comment_that_marks_nothing_is_a_warning(audit, comment, message):
    source = NET.replace(MASK, "pass").replace("masked_fill(self.mask, 0.0)", "relu()")
    source = source.replace("self.calls = 0", f"self.calls = 0  {comment}")
    source = source.replace(CALLS, "pass")

    ended = audit(source, "--format", "json")

    assert (ended.status, codes(ended)) == (0, ["unused-ignore"])
    (found,) = json.loads(ended.out)["findings"]
    assert (found["file"], found["severity"]) == ("net.py", "warning")
    assert message in found["message"]
    assert comment in found["source_line"]


def test_comments_of_other_classes_and_in_strings_are_left_alone(audit):
    source = NET.replace(MASK, 'self.text = "# grader: ignore[replica]"')
    source = source.replace("masked_fill(self.mask, 0.0)", "relu()").replace(CALLS, "pass")
    source += "\n\nclass Other(nn.Module):\n    x = 1  # grader: ignore[member-tensor]\n"

    assert codes(audit(source, "--format", "json")) == []


def test_an_unused_comment_is_told_in_every_format(audit):
    source = NET.replace(CALLS, f"{CALLS}  # grader: ignore[tied-weights, replica]\n        # no")
    source = source.replace(MASK, f"{MASK}  # grader: ignore[member-tensor]")
    source = source.replace("self.calls = 0", "self.calls = 0  # grader: ignore[tied-weights]")

    text, github = audit(source).out, audit(source, "--format", "github").out

    assert "! unused-ignore  line 10" in text
    assert "grader explain unused-ignore" not in text
    assert github.startswith("::warning file=net.py,line=10,title=unused-ignore")
    assert audit(source, "--format", "sarif").status == 0
    assert "unused-ignore" in audit(source, "--format", "junit").out


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--ignore", "member-tensor"], 0, ["replica"]),
        (["--ignore", "replica"], 1, ["member-tensor"]),
        (["--select", "replica"], 0, ["replica"]),
    ],
)
def test_codes_are_chosen_on_the_command_line(audit, options, status, message):
    ended = audit(NET, "--format", "json", *options)

    assert (ended.status, codes(ended)) == (status, message)


def test_a_code_that_is_none_is_refused(audit):
    ended = audit(NET, "--ignore", "member-tensr")

    assert ended.status == 2
    assert "--ignore: there is no code member-tensr. Do you mean member-tensor?" in ended.err


def test_pyproject_chooses_and_the_command_line_overrides(audit):
    Path("pyproject.toml").write_text('[tool.grader.audit]\nignore = ["member-tensor"]\n')

    assert codes(audit(NET, "--format", "json")) == ["replica"]
    assert codes(audit(NET, "--format", "json", "--ignore", "replica")) == ["member-tensor"]


def test_a_baseline_leaves_only_what_is_new(audit):
    written = audit(NET, "--write-baseline", "known.json")
    known = audit(NET, "--baseline", "known.json", "--format", "json")
    worse = NET.replace(MASK, f"{MASK}\n        self.shift = torch.ones(3)")
    worse = worse.replace("return self.project(x)", "return (self.project(x) + self.shift)")
    new = audit(worse, "--baseline", "known.json", "--format", "json")

    assert (written.status, written.out[:29]) == (0, "known.json holds 2 findings. ")
    assert (known.status, codes(known), json.loads(known.out)["meant"]) == (0, [], 2)
    assert new.status == 1
    assert [finding["where"] for finding in json.loads(new.out)["findings"]] == ["self.shift"]


def test_a_baseline_knows_no_other_line_of_that_attribute(audit):
    audit(NET, "--write-baseline", "known.json")

    changed = audit(NET.replace("[True, False, False]", "[True, True, False]"),
                    "--baseline", "known.json")  # fmt: skip

    assert changed.status == 1


QUIET = NET.replace("self.project(x).masked_fill(self.mask, 0.0)", "self.project(x)")
REGISTERED = NET.replace("self.mask = torch.tensor(", "self.register_buffer('mask', torch.tensor(")
REGISTERED = REGISTERED.replace("[True, False, False])", "[True, False, False]))")
GONE = "member-tensor of self.mask in net.py is gone"


@pytest.mark.parametrize("source", [REGISTERED, QUIET], ids=["the line", "the mistake in it"])
def test_a_baseline_entry_whose_bug_is_gone_is_named(audit, source):
    audit(NET, "--write-baseline", "known.json")

    text, *others = (
        audit(source, "--baseline", "known.json", "--format", form)
        for form in ("text", "json", "github", "sarif", "junit")
    )
    strict = audit(source, "--baseline", "known.json", "--strict")

    assert (text.status, strict.status) == (0, 1)
    assert all(GONE in ran.out for ran in (text, *others, strict))
    assert "replica" not in text.out  # its entry is used


def test_an_entry_of_code_that_was_not_looked_at_is_not_gone(audit, grader):
    other = f"{QUIET}\n\nclass Other(nn.Identity):\n    pass\n"
    audit(NET, "--write-baseline", "known.json")

    uncalled = audit(QUIET.replace("(torch.randn(2, 3),)", "0 / 0"), "--baseline", "known.json")
    Path("net.py").write_text(other, encoding="utf-8")
    another = grader("audit", "net.py:Other", "--baseline", "known.json")

    assert (uncalled.status, another.status) == (2, 0)
    assert "is gone" not in uncalled.out + another.out


def test_the_baseline_of_pyproject_lies_beside_it(audit):
    folder = Path("checks")
    folder.mkdir()
    audit(NET, "--write-baseline", "checks/known.json")
    text = '[tool.grader.audit]\nbaseline = "checks/known.json"\n'
    Path("pyproject.toml").write_text(text)

    assert audit(NET).status == 0
    assert audit(NET, "--write-baseline", "other.json").out.startswith("other.json holds 2 find")


def test_a_baseline_that_is_not_there_is_refused(audit):
    ended = audit(NET, "--baseline", "known.json")

    assert ended.status == 2
    assert "There is no baseline known.json. Write it: grader audit" in ended.err


def test_what_cannot_be_audited_gives_no_clean_baseline(audit):
    ended = audit(NET.replace("(2, 3)", "(2, 7)"), "--write-baseline", "known.json")

    assert ended.status == 2
    assert "Do the inputs fit" in ended.err
