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
