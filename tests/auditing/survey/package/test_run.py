"""A survey of a small package, from the import to the exit code."""

import json

import pytest
from small_package import write_package

from grader.auditing.survey.faces.data import survey_json
from grader.auditing.survey.faces.page import survey_page
from grader.auditing.survey.faces.text import survey_lines
from grader.auditing.survey.package.distribution import find_package
from grader.auditing.survey.package.run import survey_package
from grader.auditing.survey.recipes import read_recipes


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = write_package(tmp_path_factory.mktemp("project"))
    recipes = read_recipes(folder / "pyproject.toml")
    return survey_package(find_package(str(folder / "nets")), recipes, seconds=60)


@pytest.fixture(scope="module")
def entries(survey):
    return {entry.name.rpartition(".")[2]: entry for entry in survey.entries}


def test_every_class_is_there_once(survey, entries):
    names = ["Downloads", "Exits", "Masked", "Odd", "Scaled", "Served", "Shown"]
    names += ["Stage", "Staged", "Untold"]
    assert sorted(entries) == names
    assert len(survey.entries) == len(names)
    assert (entries["Masked"].name, entries["Masked"].file) == (
        "nets.layers.Masked",
        "nets/layers.py",
    )


def test_what_cannot_be_imported_is_said(survey):
    assert {module.name: module.reason for module in survey.unimported} == {
        "nets.broken": "ModuleNotFoundError: No module named 'no_such_package'",
        "nets.ends": "it ended its process (exit code 1)",
    }


def test_a_tensor_that_stays_behind_is_an_error(entries):
    masked = entries["Masked"]

    assert (masked.outcome, masked.is_called) == ("wrong", True)
    (finding,) = masked.report.findings
    assert (finding.code, finding.where, finding.severity) == (
        "member-tensor",
        "self.mask",
        "error",
    )


def test_arguments_are_told_from_annotations_and_names(entries):
    scaled = entries["Scaled"]

    assert scaled.outcome == "clean"
    assert scaled.plan.arguments == "dim=8, bias=False"
    assert scaled.plan.arguments_from == "guess"
    assert scaled.plan.inputs == "x=torch.randn(2, 8)"


def test_a_docstrings_example_gives_both(entries):
    shown = entries["Shown"]

    assert (shown.outcome, shown.is_called) == ("clean", True)
    assert (shown.plan.arguments_from, shown.plan.inputs_from) == ("docstring", "docstring")


def test_a_recipe_gives_both(entries):
    untold = entries["Untold"]

    assert (untold.outcome, untold.is_called) == ("clean", True)
    assert (untold.plan.arguments_from, untold.plan.inputs_from) == ("recipe", "recipe")


def test_what_nobody_can_build_is_caught_where_another_calls_it(entries):
    stage = entries["Stage"]

    assert (stage.context, stage.is_called, stage.outcome) == (
        "a call of nets.layers.Staged",
        True,
        "wrong",
    )


def test_without_inputs_only_the_structure_is_judged(entries):
    odd = entries["Odd"]

    assert (odd.outcome, odd.is_called, odd.plan.inputs) == ("warned", False, None)
    assert "`forward` was never called" in odd.report.message


def test_what_cannot_be_audited_is_refused_with_its_reason(entries):
    refusals = {name: entry.refusal for name, entry in entries.items() if entry.refusal}

    assert {name: refusal.kind for name, refusal in refusals.items()} == {
        "Downloads": "needs the network to be built",
        "Exits": "could not be built in its process",
        "Served": "is skipped by its recipe",
    }
    assert refusals["Exits"].detail == "it ended its process (exit code 3)"
    assert refusals["Served"].detail == "needs a server"


def test_an_error_finding_decides_the_exit_code(survey):
    assert survey.exit_code == 1
    assert survey.device.startswith("cuda:0")


def test_the_terminals_summary(survey, golden):
    golden("survey", "".join(f"{line.text}\n" for line in survey_lines(survey)))


def test_the_same_as_json(survey):
    survey_data = json.loads(survey_json(survey))

    assert (survey_data["classes"], survey_data["wrong"], survey_data["refused"]) == (10, 3, 3)
    assert survey_data["entries"][0]["name"] == "nets.fatal.Downloads"
    masked = next(
        entry for entry in survey_data["entries"] if entry["name"] == "nets.layers.Masked"
    )
    assert masked["report"]["findings"][0]["code"] == "member-tensor"


def test_the_page_holds_every_class_and_no_address(survey):
    page = survey_page(survey)

    assert "recipes.&#34;nets.layers.Scaled&#34;]" in page
    assert "recipes.&#34;nets.layers.Untold&#34;]" not in page
    assert all(entry.name in page for entry in survey.entries)
    assert "http" not in page.replace("Content-Security-Policy", "").replace("http-equiv", "")
