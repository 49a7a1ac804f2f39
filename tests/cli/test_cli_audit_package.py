"""`grader audit --package`: what it writes, its exit codes, and what it says of wrong use."""

import json

import pytest

NET = """
import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.mask = torch.zeros(size, dtype=torch.bool)

    def forward(self, x):
        return x.masked_fill(self.mask, 0.0)
"""
RECIPE = """
[tool.grader.audit.recipes."small_net.Masked"]
arguments = "3"
inputs = "torch.ones(2, 3)"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "small_net.py").write_text(NET, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_projects_recipe_counts_and_a_page_is_written(grader, project):
    (project / "project" / "pyproject.toml").write_text(RECIPE, encoding="utf-8")

    ended = grader("audit", "--package", "project", "--format", "json", "--page", "page.html")

    survey_data = json.loads(ended.out)
    assert (ended.status, survey_data["wrong"], survey_data["called"]) == (1, 1, 1)
    assert "small_net.Masked" in (project / "page.html").read_text(encoding="utf-8")


def test_where_nothing_can_be_audited_it_cannot_tell(grader, project):
    source = NET.replace("size", "plan").replace("torch.zeros(plan", "torch.zeros(plan.size")
    (project / "project" / "small_net.py").write_text(source, encoding="utf-8")

    ended = grader("audit", "--package", "project")

    assert ended.status == 2
    assert "1 needs arguments that neither annotations nor defaults tell" in ended.out


def test_an_unknown_package_is_said(grader, project):
    ended = grader("audit", "--package", "no_such_package")

    assert ended.status == 2
    assert "no_such_package is neither an installed package nor a folder." in ended.err


@pytest.mark.parametrize("arguments", [(), ("net.py:Net", "--package", "project")])
def test_either_a_file_or_a_package(grader, project, arguments):
    ended = grader("audit", *arguments)

    assert ended.status == 2
    assert "Name files, `net.py:Net`, or a folder" in ended.err
