"""The class's pages: for a browser or a printer, and safe whatever a learner wrote."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from a_class import BUFFERS, ENTRIES, FLAGGED, HALF, MEMBER, book, entry
from handing_in import hand_in, solution
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.results.exports import export
from grader.classroom.results.gradebook import file_stem, gradebook
from grader.classroom.results.pages import page_files
from grader.schema.report import Check, Flag

NO_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
VOID = {"meta", "br", "input"}


class Reader(HTMLParser):
    """What a browser makes of a page: it fails on a tag that is left open or closed twice."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style", "script"} & {*self.open}:
            self.text += data


@pytest.fixture(scope="module")
def pages():
    return dict(page_files(book()))


def page_about(pages, learner):
    (page,) = (page for page in pages.values() if f"<h1><bdi>{learner}</bdi></h1>" in page)
    return page


def test_a_learner_reads_the_same_feedback_as_from_check(pages):
    text = Reader(page_about(pages, "Łukasz Żak")).text

    assert "3 of 12 points; 0 of 2 exercises passed." in text
    assert "✗ NOT YET - 3 of 6 points" in text
    assert "self.mean stayed on the CPU" in text
    assert 'Fix: Register it: self.register_buffer("mean", torch.tensor(mean)).' in text
    assert "More: grader explain member-tensor" in text
    assert "handed in 2026-11-21 09:30 UTC, late" in text
    assert "Nothing was handed in." in text


def test_a_verdict_that_is_no_mark_says_so(pages):
    text = Reader(page_about(pages, "grace")).text

    assert "CANNOT BE GRADED" in text
    assert "This is no mark for the answer: a person should look at it." in text
    assert "0/6" not in text.split("04 What is trained")[0]


def test_the_class_page_counts_exercises_and_mistakes(pages):
    text = Reader(pages["index.html"]).text

    assert "7 learners, 2 exercises, 8 answers of 14 handed in, 1 of them late." in text
    assert "Fewest passed exercise 03: 1 of 7 learners." in text
    assert "The most frequent mistake is member-tensor: 1 learner, in 1 exercise." in text


def test_the_class_page_begins_with_those_who_need_a_person(pages):
    text = Reader(pages["index.html"]).text

    assert text.index("What a person should look at") < text.index("How each exercise went")
    assert text.index("Python process") < text.index("line 3: imports `socket`")
    assert "✓ 6 ?" in text


def test_a_learners_page_does_not_show_flags(pages):
    assert "socket" not in page_about(pages, "ada")


def test_an_untouched_starter_is_nobodys_mistake():
    untouched = replace(HALF, verdict="not_attempted")

    page = dict(page_files(gradebook([entry("ada", untouched)])))["index.html"]

    assert "The grader named none." in page
    assert "Nothing: every answer was judged to its end, and none is flagged." in page


def test_bars_are_as_long_as_the_numbers_next_to_them_and_differ_without_colour(pages):
    page = pages["index.html"]

    bars = re.findall(r'<span class="bar" aria-hidden="true">(.*?)</span>', page)
    widths = [re.findall(r'<i class="(\w+)" style="width: ([\d.]+)%">', bar) for bar in bars]
    assert widths[0] == [("good", "14.29"), ("bad", "28.57"), ("doubt", "57.14")]
    assert widths[-1] == [("bad", "100.0")]
    patterns = re.findall(r"^i\.\w+ \{ background: (.*?); \}", page, re.MULTILINE)
    assert len({re.sub("--(good|bad|doubt|quiet)", "", pattern) for pattern in patterns}) == 4


def test_nothing_comes_from_the_network_and_only_our_script_runs(pages):
    for name, page in pages.items():
        reader = Reader(page)
        assert reader.tags.count("script") == (name == "marking.html")
        assert not {"link", "img", "iframe", "object"} & set(reader.tags)
        assert not [name for name, _ in reader.attributes if name.startswith("on")]
        assert not re.search(r"(https?:)?//|@import|url\((?!#)", page)
        assert "default-src 'none'" in page


def test_every_link_leads_somewhere(pages):
    for page in pages.values():
        reader = Reader(page)
        ids = {value for name, value in reader.attributes if name == "id"}
        for link in (value for name, value in reader.attributes if name == "href"):
            assert link[1:] in ids if link.startswith("#") else link.partition("#")[0] in pages


TEXT = st.text(st.characters(codec=None) | st.sampled_from("<>&\"'`\x00\x1b\x0c\u202e")) | st.just(
    "</style></pre><script>alert(1)</script><!--"
)


@given(TEXT.filter(bool), TEXT)
def test_whatever_a_learner_wrote_the_page_is_well_formed_and_says_it(learner, words):
    report = replace(
        HALF,
        source=words,
        checks=(Check(words, False, 3, 6, words),),
        findings=(replace(MEMBER, where=words, message=words, fix=words),),
        message=words,
        printed=words,
        flags=(Flag("likeness", 0, words),),
    )
    some = gradebook([entry(learner, report, file=words)])

    for _, page in page_files(some):
        assert not NO_TEXT.search(page)
        reader = Reader(page)
        assert reader.tags.count("script") <= 1
        assert NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", learner).strip() in reader.text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_finds_nothing_inaccessible(browser, tmp_path, scheme):
    from axe_playwright_python.sync_playwright import Axe

    other = entry("ada", replace(BUFFERS, title="05 Layers in a list, heads in a dict"), "05")
    folder = export(gradebook([*ENTRIES, other]), "html", tmp_path)
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # to run the checker
    page = context.new_page()
    for name in ("index", "marking", file_stem("ada")):
        page.goto((folder / f"{name}.html").as_uri())
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    context.close()


def test_the_form_makes_a_table_that_mark_takes(browser, grader, tmp_path):
    hand_in(tmp_path / "in", {"Ada, née Byron/03_member_tensors.py": solution()})
    grader("batch", tmp_path / "in", "--out", tmp_path, "--jobs", "1")
    grader("export", tmp_path, "--to", "html")
    page = browser.new_page()
    page.goto((tmp_path / "html" / "marking.html").as_uri())
    page.get_by_text("Ada, née Byron").click()
    page.get_by_label("Points of 6").fill("5.5")
    assert page.get_by_role("button").is_disabled()
    page.get_by_label("Because").fill('It says "fine", and why?')
    page.get_by_label("Comment").fill("Which one is it?")
    page.get_by_label("on line").fill("4")

    with page.expect_download() as begun:
        page.get_by_role("button", name="Download marks.csv (1)").click()
    begun.value.save_as(tmp_path / begun.value.suggested_filename)
    page.close()
    ran = grader("mark", "--from", tmp_path / "marks.csv", "--in", tmp_path)

    assert (ran.status, "Ada, née Byron, 03: 5.5 of 6 points. 1 comment." in ran.out) == (0, True)


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("letter", ["x", "Ж"])
def test_a_name_of_240_letters_breaks_no_page(browser, tmp_path, letter, width):
    name = letter * 240
    nothing = entry(name, BUFFERS, "04", submission="", file="", handed_in="")
    long = replace(FLAGGED, message="self.heads['age'].weight" * 9)
    folder = export(gradebook([entry(name, long, "03"), nothing]), "html", tmp_path)
    page = browser.new_page(viewport={"width": width, "height": 800})
    for file in folder.glob("*.html"):
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), file.name
        widths = page.evaluate("[...document.querySelectorAll('bdi')].map(b => b.offsetWidth)")
        assert max(widths) <= width, file.name
    page.close()


def test_fifteen_names_are_a_number_until_they_are_asked_for():
    same = replace(FLAGGED, flags=(Flag("solution", 0, "is the shipped solution"),))
    class_page = dict(page_files(gradebook([entry(f"learner {n}", same) for n in range(15)])))
    text = class_page["index.html"]

    assert text.count("is the shipped solution") == 1
    assert "<summary>15 learners</summary>" in text
    assert all(f"learner {n}</bdi>" in text for n in range(15))
