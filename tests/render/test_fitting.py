"""Lines that fit a terminal or a cell."""

from grader.render.parts import wrap_lines


def test_a_choice_goes_on_below_its_own_text():
    text = "What happens?\n\n  B. It is silently wrong: it is not saved."

    assert wrap_lines(text, 30).splitlines() == [
        "What happens?",
        "",
        "  B. It is silently wrong: it",
        "     is not saved.",
    ]


def test_a_verdict_goes_on_below_its_name():
    assert (
        wrap_lines("  ✗ a_module: raises on line 17", 20) == "  ✗ a_module: raises\n    on line 17"
    )


def test_a_path_is_never_broken():
    assert wrap_lines("Hand in exam-ada/result.json", 12) == "Hand in\nexam-ada/result.json"
