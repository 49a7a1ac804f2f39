"""`grader audit --package`, as it is typed."""

import json
from xml.etree import ElementTree

import pytest

NET = """\
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.ones(3)

    def forward(self, x):
        return x * self.gain
"""
PROJECT = """\
[tool.grader.audit.recipes."nets.Scale"]
inputs = "torch.ones(2, 3)"
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nets").mkdir()
    (tmp_path / "nets" / "__init__.py").write_text(NET)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    return tmp_path


def codes(ran):
    (entry,) = json.loads(ran.out)["entries"]
    return [finding["code"] for finding in entry["report"]["findings"]]


def test_a_finding_fails_it(grader, package):
    ran = grader("audit", "--package", "nets", "--format", "json")

    assert (codes(ran), ran.status) == (["member-tensor"], 1)


def test_what_is_meant_is_left_out(grader, package):
    ran = grader("audit", "--package", "nets", "--format", "json", "--ignore", "member-tensor")

    assert (codes(ran), ran.status) == ([], 0)


def test_with_a_baseline_only_what_is_new_fails(grader, package):
    written = grader("audit", "--package", "nets", "--write-baseline", "known.json")
    (package / "nets" / "__init__.py").write_text(f"# moved down a line\n{NET}")

    ran = grader("audit", "--package", "nets", "--format", "json", "--baseline", "known.json")

    assert (written.status, "known.json holds 1 finding." in written.out) == (0, True)
    assert (codes(ran), ran.status) == ([], 0)


def test_a_baseline_entry_whose_bug_is_gone_is_named_by_a_package(grader, package):
    grader("audit", "--package", "nets", "--write-baseline", "known.json")
    (package / "nets" / "__init__.py").write_text(NET.replace("torch.ones(3)", "3.0"))
    command = ("audit", "--package", "nets", "--baseline", "known.json", "--format", "github")

    ran, strict = grader(*command), grader(*command, "--strict")

    assert "::notice title=member-tensor of self.gain in nets/__init__.py is gone::" in ran.out
    assert (ran.status, strict.status) == (0, 1)


def marked(ran):
    return [line for line in ran.out.splitlines() if line.startswith("::")]


def notified(ran):
    (invocation,) = json.loads(ran.out)["runs"][0]["invocations"]
    return invocation


def test_a_module_that_cannot_be_imported_is_told_in_every_format(grader, package):
    (package / "nets" / "__init__.py").write_text(NET.replace("torch.ones(3)", "3.0"))
    (package / "nets" / "unseen.py").write_text("import not_there\n" + NET)
    unseen, reason = "nets.unseen was not imported", "No module named 'not_there'"

    def audit(form, *options):
        return grader("audit", "--package", "nets", "--format", form, "--page", "p.html", *options)

    text, github, sarif, junit, data = map(audit, ("text", "github", "sarif", "junit", "json"))

    assert {ran.status for ran in (text, github, sarif, junit, data)} == {3}
    assert unseen in text.out
    assert any(f"::warning title={unseen}::" in line and reason in line for line in marked(github))
    (told,) = notified(sarif)["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"].startswith(unseen)) == ("warning", True)
    (error,) = ElementTree.fromstring(junit.out).iter("error")
    assert (error.get("message"), reason in error.text) == (unseen, True)
    (notice,) = json.loads(data.out)["notices"]
    assert (notice["title"], reason in notice["message"]) == (unseen, True)
    assert unseen in (package / "p.html").read_text()
    assert audit("github", "--strict").status == 1


@pytest.mark.parametrize("options", [["--statistics"], ["--write-baseline", "known.json"]])
def test_what_was_not_imported_is_told_next_to_numbers_and_baselines(grader, package, options):
    (package / "nets" / "unseen.py").write_text("import not_there\n")
    (package / "nets" / "__init__.py").write_text(NET.replace("torch.ones(3)", "3.0"))

    ran = grader("audit", "--package", "nets", *options)

    assert (ran.status, "nets.unseen was not imported" in ran.err) == (3, True)


def test_where_nothing_could_be_audited_no_format_looks_like_success(grader, package):
    (package / "nets" / "__init__.py").write_text("import not_there\n" + NET)

    github, sarif, junit = (
        grader("audit", "--package", "nets", "--format", form)
        for form in ("github", "sarif", "junit")
    )

    assert {ran.status for ran in (github, sarif, junit)} == {2}
    assert any(line.startswith("::error title=No module class found") for line in marked(github))
    assert not notified(sarif)["executionSuccessful"]
    suites = ElementTree.fromstring(junit.out).findall("testsuite")
    assert [suite.get("errors") for suite in suites] == ["1", "1"]


def test_classes_that_were_refused_or_never_called_are_counted_once(grader, package):
    more = "\n\nclass Told(nn.Module):\n    def __init__(self, plan):\n        plan.size()\n"
    odd = (
        "\n\nclass Odd(nn.Module):\n    def forward(self, *, graph):\n        return graph.nodes\n"
    )
    (package / "nets" / "__init__.py").write_text(NET.replace("torch.ones(3)", "3.0") + more + odd)
    counts = ["1 of 3 module classes not audited", "1 of 3 module classes never called"]

    github, sarif, junit = (
        grader("audit", "--package", "nets", "--format", form)
        for form in ("github", "sarif", "junit")
    )
    told = [note["message"]["text"] for note in notified(sarif)["toolExecutionNotifications"]]
    skipped = [each.get("message") for each in ElementTree.fromstring(junit.out).iter("skipped")]

    assert (github.status, sarif.status, junit.status) == (0, 0, 0)
    for count in counts:
        assert sum(f"::notice title={count}::" in line for line in marked(github)) == 1
        assert sum(text.startswith(count) for text in told) == 1
        assert skipped.count(count) == 1


def test_sarif_names_the_file(grader, package):
    ran = grader("audit", "--package", "nets", "--format", "sarif")

    (result,) = json.loads(ran.out)["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"].endswith("nets/__init__.py")
    assert location["region"]["startLine"] == 8


def test_a_package_that_is_not_there_is_said(grader, package):
    ran = grader("audit", "--package", "nowhere")

    assert ran.status == 2
    assert "nowhere" in ran.err


INPUTS = "\n\ndef example_input():\n    return (torch.ones(2, 3),)\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """One with a `src` layout, the working directory."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "src" / "shiftlib"
    package.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (package / "__init__.py").touch()
    (package / "attention.py").write_text(NET + INPUTS)
    (tmp_path / "pyproject.toml").write_text(PROJECT.replace("nets", "shiftlib.attention"))
    return tmp_path


def address(ran):
    (result,) = json.loads(ran.out)["runs"][0]["results"]
    return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


@pytest.mark.parametrize(
    ("folder", "package", "uri"),
    [
        (".", ".", "src/shiftlib/attention.py"),
        (".", "src/shiftlib", "src/shiftlib/attention.py"),
        ("src", ".", "shiftlib/attention.py"),
        ("docs", "..", "src/shiftlib/attention.py"),
    ],
)
def test_a_file_is_named_from_where_annotations_are_read(
    grader, repository, monkeypatch, folder, package, uri
):
    (repository / "docs").mkdir()
    monkeypatch.chdir(repository / folder)

    ran = grader("audit", "--package", package, "--format", "sarif")

    assert address(ran) == uri


def test_a_baseline_of_a_file_fits_the_package(grader, repository):
    file = repository / "src" / "shiftlib" / "attention.py"
    grader("audit", file, "--write-baseline", "known.json")

    of_package = grader("audit", "--package", ".", "--baseline", "known.json")
    of_file = grader("audit", file.relative_to(repository), "--baseline", "known.json")

    assert (of_package.status, of_file.status) == (0, 0)
    assert '"src/shiftlib/attention.py"' in (repository / "known.json").read_text()
