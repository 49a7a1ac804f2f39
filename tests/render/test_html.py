"""The report in a notebook."""

from html.parser import HTMLParser

from reports import AUDITED, CANNOT, FAILED, HOSTILE, PASSED, hostile

from grader.render.html import to_html


class Reader(HTMLParser):
    """What a browser would make of it: the tags, whether all are closed, and the text."""

    VOID = ("br", "img", "hr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def read(report) -> Reader:
    reader = Reader()
    reader.feed(to_html(report))
    reader.close()
    assert reader.open == []
    return reader


def test_everything_the_report_says_is_there():
    text = read(FAILED).text

    assert "✗ NOT YET - 1 of 2 points" in text
    assert "judged on cuda:0 (simulated)" in text
    assert "mean is not registered" in text
    assert "exercises/04_parameter_or_buffer.py:24" in text
    assert 'self.register_buffer("mean", torch.zeros(3))' in text
    assert "epoch 1\nepoch 2" in text
    assert "Change it and check again." in text


def test_a_report_without_checks_says_why():
    reader = read(CANNOT)

    assert CANNOT.message in reader.text
    assert "table" not in reader.tags


def test_an_audit_has_words_of_its_own_and_each_code_its_page_once():
    text = read(AUDITED).text

    assert "✗ FOUND 2 errors, 1 warning" in text
    assert text.count("More: !grader explain member-tensor") == 1


def test_a_screen_reader_is_told_the_title_and_each_sign():
    labels = [value for name, value in read(FAILED).attributes if name == "aria-label"]

    assert labels == [f"Report: {FAILED.title}", "failed", "passed"]


def test_what_a_learner_chose_stays_text():
    reader = read(hostile())

    assert "script" not in reader.tags
    assert not any(name.startswith("on") for name, _ in reader.attributes)
    assert "<script>alert(1)</script>&amp;\"'" in reader.text
    assert HOSTILE not in to_html(hostile())


def test_code_is_marked_as_code():
    assert "<code>state</code>" in to_html(PASSED)
    assert "`" not in read(PASSED).text
