"""The site as its readers use it: from the first screen to the exam, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from grader.course import (
    all_puzzles,
    all_questions,
    all_rubrics,
    draw,
    find,
    notebooks,
    to_fix,
)
from grader.learning.notebook.prediction import starter_map

STEMS = [path.stem for path in notebooks()]
FRONT, EXAM = "docs/index", f"notebooks/{STEMS[-1]}"
MEMBERS = "notebooks/03_member_tensors"
PUZZLES = "docs/puzzles"
SEEDS = ("ada-7", "ada-2026", "Zürich", "0", "a seed of some more words")


class Reader:
    """A page of the site; what it fetches, and what its scripts complain of."""

    def __init__(self, page: Page, site: Path) -> None:
        self.page, self.site = page, site
        self.errors: list[str] = []
        self.fetched: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.fetched.append(request.url))

    def open(self, name: str) -> Page:
        self.page.goto((self.site / f"{name}.html").as_uri())
        return self.page

    def question(self, number: str) -> Locator:
        return self.page.get_by_role("region", name=f"Prediction {number}", exact=True).last


@pytest.fixture
def reader(browser: Browser, site: Path, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """Somebody who was never here, in the theme and the width that a test asks for."""
    options = getattr(request, "param", {})
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
    context.set_default_timeout(20_000)
    reader = Reader(context.new_page(), site)
    yield reader
    context.close()
    assert reader.errors == []
    assert [url for url in reader.fetched if not url.startswith(("file:", "blob:", "data:"))] == []


def test_a_stranger_is_wrong_on_the_first_screen_and_finds_the_line(reader: Reader):
    page = reader.open(FRONT)
    move = page.get_by_role("button", name="Move a copy to cuda:0")
    expect(move).to_be_in_viewport(ratio=1)
    expect(page.locator(".wmt-error")).to_be_hidden()
    page.get_by_role("checkbox", name="bias").check()
    move.click()

    told = "You did not expect mean to stay. You expected layer.bias to stay, but it moved."
    expect(page.locator(".wmt-bug-map").get_by_role("status")).to_contain_text(told)
    expect(page.locator(".wmt-error")).to_contain_text("RuntimeError: Expected all tensors")
    for line in ("self.layer = nn.Linear", "self.layer(sound - self.mean)"):
        expect(page.get_by_text("Register it as a buffer")).to_be_hidden()
        page.locator(".wmt-bug-call").get_by_label(line).check()
        page.get_by_role("button", name="This line is to blame").click()
    expect(page.get_by_text("PyTorch raises there. The finding is in line")).to_be_visible()
    expect(page.get_by_text("Register it as a buffer")).to_be_visible()


def test_the_front_page_lists_each_lesson_by_its_number_and_a_way_in_for_each_reader(
    reader: Reader,
):
    page = reader.open(FRONT)
    numbers = page.locator(".wmt-lessons .number").all_inner_texts()

    assert numbers == [stem.partition("_")[0] for stem in STEMS]
    for way in ("take the course in JupyterLab", "Audit any nn.Module", "Grade a class"):
        page.locator("article").get_by_role("link", name=way).click()
        expect(page.locator("article h1")).to_be_visible()
        page.go_back()


def test_a_prediction_is_judged_at_once_and_remembered_until_it_is_forgotten(reader: Reader):
    page = reader.open(MEMBERS)
    why = page.locator("details", has_text="The answer to prediction 03.1")
    output = page.locator("details.hide").first
    expect(why).to_be_hidden()
    assert output.get_attribute("open") is None
    asked = reader.question("03.1")
    asked.get_by_text("The four parameters", exact=True).click()
    asked.get_by_role("button", name="I am sure").click()

    judged_wrong(asked)
    assert output.get_attribute("open") is not None
    page.reload()
    judged_wrong(reader.question("03.1"))
    reader.open(FRONT)
    progress = page.get_by_role("region", name="Your progress on this site")
    expect(progress).to_contain_text(f"1 of {len(all_questions())} made, 0 right")
    expect(progress.get_by_role("link", name="03.1")).to_be_visible()

    progress.get_by_role("button", name="Forget it").click()
    progress.get_by_role("button", name="Yes, forget all of it").click()
    expect(progress).to_contain_text("Nothing is recorded yet.")
    reader.open(MEMBERS)
    expect(reader.question("03.1").get_by_role("radio").first).to_be_enabled()


def judged_wrong(asked: Locator) -> None:
    expect(asked.get_by_role("status")).to_contain_text("Locked in: B, sure.")
    expect(asked.get_by_role("status")).to_contain_text("Not B: The four parameters")
    expect(asked.get_by_role("status")).to_contain_text("C is right")
    expect(asked.get_by_role("radio").first).to_be_disabled()


def test_puzzles_come_one_at_a_time_and_count_as_no_prediction(reader: Reader):
    page, (level, second, *others) = reader.open(PUZZLES), all_puzzles()
    asked = page.get_by_role("region", name=level.title)
    expect(page.get_by_text("1 of 40, 0 solved")).to_be_visible()
    expect(asked.locator(".bad", has_text="□ self.mean on cpu, not registered")).to_be_visible()
    asked.locator(".option").filter(has_text=level.wrong[0].edits).click()
    asked.get_by_role("button", name="I am not sure").click()

    moved = asked.locator(".cuda", has_text="■ self.mean on cuda, not registered")
    expect(moved).to_be_visible()
    expect(asked).to_contain_text(level.wrong[0].why)
    expect(asked).to_contain_text(f"{level.right} is right: {level.fixes[0]}")
    page.get_by_role("button", name="Next").click()
    asked = page.get_by_role("region", name=second.title)
    expect(asked).to_be_focused()
    page.keyboard.press(second.right)
    asked.get_by_role("button", name="I am sure").click()
    expect(page.get_by_text("2 of 40, 1 solved")).to_be_visible()

    page.goto(f"{page.url.partition('#')[0]}#40")
    expect(page.get_by_role("region", name=others[-1].title)).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    reader.open(PUZZLES)
    expect(page.get_by_role("region", name=others[0].title)).to_be_visible()
    page = reader.open(FRONT)
    progress = page.get_by_role("region", name="Your progress on this site")
    expect(progress).to_contain_text(f"0 of {len(all_questions())} made")


def test_the_keyboard_alone_answers_and_finds_a_line(reader: Reader):
    page = reader.open(MEMBERS)
    reader.question("03.1").get_by_role("radio").first.focus()
    page.keyboard.press("c")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(reader.question("03.1").get_by_role("status")).to_contain_text("Locked in: C, not sure.")

    starter = page.locator("summary", has_text="Check the starter").first
    starter.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You chose line")).to_contain_text(": right.")


def test_an_answer_is_there_in_the_frame_of_the_click(reader: Reader):
    page = reader.open(MEMBERS)

    told = page.evaluate(
        """() => {
            const question = document.querySelector(".wmt-question");
            question.querySelector("input").click();
            question.querySelector(".lock button").click();
            return question.textContent; // nothing was waited for
        }"""
    )

    assert "C is right" in told


def test_each_starter_asks_for_its_line_and_then_shows_the_whole_report(reader: Reader):
    seen = set()
    for stem in STEMS:
        page = reader.open(f"notebooks/{stem}")
        for place in page.locator('[data-view="lines"]').all():
            title = place.locator(".wmt > b").first.text_content() or ""
            place.get_by_text("Check the starter").click()
            if place.locator(".listing").count():
                expect(place.get_by_text("What is wrong, and why")).to_be_hidden()
                place.get_by_role("button", name="Show me the whole report").click()
                expect(place.get_by_text("What is wrong, and why")).to_be_visible()
            seen.add(title.partition(" ")[0])
        kept = page.evaluate("JSON.parse(localStorage.getItem('wheres-my-tensor') ?? '{}').looks")

    assert seen == {rubric.number for rubric in all_rubrics()}
    assert len(kept) >= len(seen) - 1  # one starter has no faulty line
    assert {line for look in kept.values() for line in look["lines"]} == {"0"}


@pytest.mark.parametrize("picks", [(), ("future",), ("future", "distance"), ("future", "weight")])
def test_a_map_of_a_starter_says_what_the_notebook_s_map_says(picks, reader: Reader, course):
    place = reader.open(MEMBERS).locator('[data-view="map"]', has_text="CausalBlock")
    shown = starter_map(find("03b"))
    for name in picks:
        picked = place.get_by_role("checkbox", name=name).first
        picked.check()
        shown.pick(picked.evaluate("box => box.closest('li').dataset.path"))
    place.get_by_role("button", name="Move a copy to cuda:0").click()
    shown.move("cuda:0")

    expect(place.get_by_role("status")).to_have_text(shown.message)
    place.get_by_role("button", name="Call it").click()
    expect(place.get_by_role("status")).to_contain_text("the call raises RuntimeError")
    place.get_by_role("button", name="Move a copy to cpu").click()
    expect(place.get_by_role("status")).to_contain_text("5 tensors moved to cpu.")
    place.get_by_role("button", name="Back to your module").click()
    expect(place.get_by_role("status")).to_contain_text("Your module as it is.")


@pytest.mark.search
@pytest.mark.parametrize("seed", SEEDS)
def test_the_exam_draws_what_python_draws_and_explains_every_module(seed, reader: Reader):
    page = reader.open(EXAM)
    page.get_by_label("Seed from your teacher").fill(seed)
    page.get_by_role("button", name="Begin the exam").click()
    for number, module in enumerate(draw(seed), 1):
        asked = page.get_by_role("region", name=f"Module {number} of 10")
        is_wrong = number == 1
        letter = module.right if not is_wrong else other_letter(module)
        asked.get_by_role("radio").nth(module.letters.index(letter)).check()
        asked.get_by_role("button", name="I am sure").click()

    result = page.get_by_role("region", name="Your result")
    expect(result).to_contain_text(f"Exam {seed}: 9 of 10 read right")
    for module in draw(seed):
        expect(result).to_contain_text(module.why.replace("`", ""))
    expect(result).to_contain_text(", ".join(module.key for module in to_fix(seed)))


def other_letter(question) -> str:
    return next(letter for letter in question.letters if letter != question.right)


@pytest.mark.parametrize(
    "reader", [{}, pytest.param({"color_scheme": "dark"}, marks=pytest.mark.nightly)], indirect=True
)
@pytest.mark.parametrize("name", [FRONT, MEMBERS, EXAM, PUZZLES])
def test_no_serious_fault_of_accessibility(name, reader: Reader):
    page = reader.open(name)
    closed = page.locator("details:not([open]) > summary:visible")
    for _ in closed.all():
        closed.first.click()
    for radio in page.locator(".wmt-question input:visible").all()[:1]:
        radio.check()
        page.locator(".wmt-question .locks:visible").first.click()

    found = Axe().run(page).response["violations"]

    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in serious] == []


@pytest.mark.search
@pytest.mark.parametrize("stem", STEMS)
def test_no_code_scrolls_sideways_and_no_page_is_wider_than_a_phone(stem, reader: Reader):
    page = reader.open(f"notebooks/{stem}")
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    wide = "[...document.querySelectorAll('pre')].filter((e) => e.scrollWidth > e.clientWidth)"
    assert page.evaluate(f"{wide}.map((each) => each.textContent.slice(0, 300))") == []

    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("reader", [{"java_script_enabled": False}], indirect=True)
def test_without_javascript_the_text_is_complete_and_the_answers_are_folded(reader: Reader):
    page = reader.open(MEMBERS)
    asked = page.get_by_role("region", name="Prediction 03.1")
    expect(asked.get_by_text("The four parameters and the three buffers")).to_be_visible()
    answer = page.locator("details", has_text="The answer to prediction 03.1")
    expect(answer.get_by_text("moves all parameters and all buffers")).to_be_hidden()
    answer.locator("summary").click()
    expect(answer.get_by_text("moves all parameters and all buffers")).to_be_visible()

    starter = page.locator(".wmt-check").first
    starter.locator("summary").first.click()
    expect(starter.get_by_text("Two faults: find one. Which line is to blame?")).to_be_visible()
    starter.locator(".wmt-whole summary").click()
    expect(starter.get_by_text("What is wrong, and why")).to_be_visible()


def test_a_page_prints_without_what_cannot_be_pressed_on_paper(reader: Reader):
    page = reader.open(MEMBERS)
    page.emulate_media(media="print")

    expect(reader.question("03.1")).to_be_visible()
    expect(page.get_by_role("button", name="I am sure").first).to_be_hidden()
    expect(page.locator(".sidebar-drawer")).to_be_hidden()


def test_search_finds_a_lesson_and_each_lesson_leads_to_the_next(reader: Reader):
    page = reader.open("search")
    page.goto(f"{page.url}?q=hann_window")
    expect(page.get_by_role("link", name="03 Member tensors").last).to_be_visible()
    page = reader.open(f"notebooks/{STEMS[0]}")
    reader.errors.clear()  # a result's summary has to be fetched, which a folder refuses
    page.locator("a.next-page").click()
    expect(page.locator("article h1")).to_contain_text(STEMS[1].partition("_")[0])


@pytest.mark.parametrize(
    "kept", ["not json", "null", "[]", '{"predictions": 5}', '{"looks": {"03": null}}']
)
def test_a_broken_record_in_the_browser_is_an_empty_one(reader: Reader, kept: str):
    page = reader.open(MEMBERS)
    page.evaluate("(kept) => localStorage.setItem('wheres-my-tensor', kept)", kept)
    page.reload()

    expect(reader.question("03.1").get_by_role("radio").first).to_be_enabled()
