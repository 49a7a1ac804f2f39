"""tools/course_site: what the site's pages are given to show, before a browser sees it."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from grader.course import all_questions, find, find_question, notebooks

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "grader" / "learning" / "notebook"


@pytest.fixture
def site_tool():
    """Gives a module of the extension."""
    return lambda name: import_module(f"course_site.{name}")


def data_of(html: str) -> Any:
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.S)[1])


class Cached(nn.Module):
    """Remembers where it was called first."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.kept: torch.Tensor | None = None

    def forward(self, x):
        if self.kept is None:
            self.kept = torch.ones(2, device=x.device)
        return self.layer(x) + self.kept


def test_a_mount_s_data_cannot_end_its_element(site_tool):
    html = site_tool("mounting").mount("question", {"text": "</script><b>&amp;"})

    assert "</script><b>" not in html
    assert data_of(html) == {"text": "</script><b>&amp;"}


def test_a_question_explains_each_answer_as_the_notebook_does(site_tool):
    shown = data_of(site_tool("questions").prediction("03.1"))
    question = find_question("03.1")

    assert shown["right"] == question.right
    assert shown["view"]["answer"] == []
    wrong, right = shown["reasons"]["A"], shown["reasons"][question.right]
    assert "".join(piece for piece, _ in wrong).replace("`", "") in question.choice(
        "A"
    ).why.replace("`", "")
    assert "".join(piece for piece, _ in right) in question.choice(question.right).why.replace(
        "`", ""
    )


def test_the_report_on_a_starter_waits_and_names_how_near_each_line_is(site_tool):
    html = site_tool("lines").which_line("03")
    shown = data_of(html)

    assert shown["right"] == ["24", "25"]
    assert shown["near"]["24"] == [["You chose line 24: right.", False]]
    assert shown["near"]["29"][0][0].startswith("You chose line 29. PyTorch raises there.")
    assert shown["miss"]["29"][0][0].endswith("Where was that tensor made?")
    assert len(shown["near"]) == len(shown["view"]["options"])
    before, _, after = html.partition("wmt-whole")
    assert "is a plain tensor" not in before
    assert "is a plain tensor" in after
    assert 'href="../docs/findings/member-tensor.html"' in after
    assert all(f"Hint {n}" in after for n in range(1, len(find("03").hints) + 1))


def test_a_map_s_steps_depend_on_where_the_module_was_called_first(site_tool):
    maps = site_tool("maps")
    inputs = maps.Inputs((torch.ones(1, 2),))

    data = maps.recorded(Cached(), inputs)
    steps = data["steps"]

    told = {key: data["shown"][number]["message"] for key, (number, _) in steps.items()}
    assert "1 tensor new: kept." in told["cpu, call"]
    assert "1 stayed behind: kept on cpu" in told["cpu,cpu cuda:0"]
    assert "raises RuntimeError" in told["cuda:0,cpu call"]
    assert "gives a result on cuda:0" in told["cuda:0,cuda:0 call"]
    assert {state for _, state in steps.values()} == {key.split(" ")[0] for key in steps}


def test_equal_steps_are_kept_once_and_rows_as_what_differs(site_tool):
    maps = site_tool("maps")
    data = maps.recorded(nn.Linear(2, 2), maps.Inputs((torch.ones(1, 2),)))
    assert len(data["shown"]) < len(data["steps"])

    rows = data["rows"]
    whole = [row for row in rows if "as" not in row]

    assert {row["path"] for row in whole} == {"self", "self.weight", "self.bias"}
    assert all("path" not in row and len(row) < 5 for row in rows if row not in whole)


def test_the_maps_of_a_notebook_are_those_that_it_draws_and_grader_is_as_before(site_tool):
    import grader

    before = grader.device_map
    drawn = {path.stem: site_tool("notebook_maps").maps_of(path) for path in notebooks()[:4]}
    first, *_ = drawn.values()

    assert grader.device_map is before
    assert [bool(each["asked"]) for each in first] == [True]
    assert "cuda:0, call" in first[0]["steps"]  # the notebook audits a module of this class
    assert first[0]["told"]["stayed"] == [("self.mean", "mean")]


def test_the_script_has_the_notebooks_own_views(site_tool):
    script = site_tool("script")
    text = script.javascript()

    for name in ("quiz.js", "device_map/view.js"):
        view = (NOTEBOOK / name).read_text(encoding="utf-8")
        assert view.replace(script.EXPORT, "") in text
    assert "export " not in text
    assert script.course()["pages"].keys() == {each.key for each in all_questions()}


def test_a_line_of_code_that_is_wrapped_goes_on_further_in_than_it_begins(site_tool):
    shown = str(
        site_tool("weight").coloured('def of(x):\n    """One.\n\n    Two."""\n    return x\n')
    )

    assert re.findall(r'class="hang" style="--in:(\d+)"', shown) == ["0", "4", "0", "4", "4"]
    assert re.sub("<[^>]*>", "", shown).endswith("\n    return x\n")


def test_what_makes_pages_light_takes_no_code(site_tool):
    weight = site_tool("weight")

    assert weight.lean_script('// a note\n  const a = "// b"; // c\n\n') == 'const a = "// b"; // c'
    assert weight.lean_style("/* a */ b { c: d }\n.e .-Color-Bold { f: g }").strip() == "b { c: d }"
    assert "-Color" not in weight.lean_style(weight.notebook_style())


def test_each_lesson_is_listed_with_its_number_and_its_question(site_tool):
    lessons = list(site_tool("front")._lessons())

    assert [stem for stem, *_ in lessons] == [path.stem for path in notebooks()]
    assert all(title for _, _, title, _ in lessons)
    assert all(question.endswith("?") for *_, question in lessons[1:])  # 00 lists the others


def test_the_front_page_has_a_bug_that_one_line_is_to_blame_for(site_tool):
    html = site_tool("front")._bug()
    shown = data_of(html)

    assert [name for _, name in shown["map"]["told"]["stayed"]] == ["mean"]
    assert len(shown["lines"]["right"]) == 1
    assert "PyTorch raises there." in str(shown["lines"]["miss"]["9"])
    assert "RuntimeError: Expected all tensors to be on the same device" in html
