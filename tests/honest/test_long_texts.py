"""However long a text is that a learner's code leaves in the evidence, the report stays readable.

Past 64 MB the parent would take the message for a forgery, and call an honest mistake tampering.
"""

import pytest
from answering import report, source, words

HUGE = 70_000_000

TEXTS = {
    "message in forward": ("failed", {"forward": f"raise ValueError('long ' * {HUGE // 5})"}),
    "message in __init__": ("failed", {"init": f"raise ValueError('long ' * {HUGE // 5})"}),
    "message on import": ("not_defined", {"after": f"raise ValueError('long ' * {HUGE // 5})"}),
    "name of an exception": (
        "failed",
        {"forward": f"raise type('long' * {HUGE // 4}, (ValueError,), {{}})()"},
    ),
    "name of an attribute": (
        "failed",
        {"init": f"setattr(self, 'long' * {HUGE // 4}, torch.ones(2))"},
    ),
    "key of an output": ("failed", {"forward": f"return {{'long' * {HUGE // 4}: x}}"}),
}


@pytest.mark.search
@pytest.mark.parametrize("name", TEXTS)
def test_a_long_text_is_cut(name, tmp_path):
    verdict, mistake = TEXTS[name]

    result = report(tmp_path, source(**mistake))

    assert result.verdict == verdict
    assert "long" in words(result)
    assert len(words(result)) < 50_000


@pytest.mark.parametrize("text", ["'\\udc80'", "'a\\udc80' * 10"])
def test_a_lone_surrogate_is_replaced(text, tmp_path):
    for mistake in (
        {"init": f"setattr(self, {text}, torch.ones(2))"},
        {"forward": f"return {{{text}: x}}"},
        {"forward": f"raise KeyError({text})"},
        {"forward": f"raise type({text}, (ValueError,), {{}})()"},
    ):
        assert report(tmp_path, source(**mistake)).verdict == "failed"


@pytest.mark.nightly
def test_a_module_that_holds_too_many_numbers_is_told_so(tmp_path):
    many = "self.more = nn.ParameterList([torch.rand(100_000) for _ in range(100)])"

    result = report(tmp_path, source(init=many))

    assert result.verdict == "failed"
    assert "holds or returns far more numbers than the exercise asks for" in result.message


def test_an_exception_without_words_is_still_named(tmp_path):
    mute = "class Mute(Exception):\n    def __str__(self): {}\n"
    for body in ("raise ValueError", "return 3", "raise SystemExit", "return self.missing"):
        result = report(tmp_path, source(top=mute.format(body), forward="raise Mute()"))

        assert result.verdict == "failed"
        assert "Mute in line 15: (its `__str__` raised " in words(result)
