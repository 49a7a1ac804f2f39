"""`grader audit --package`, as it is typed."""

import json

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
