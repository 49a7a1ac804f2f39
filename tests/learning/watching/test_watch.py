"""`grader watch`, as someone sees it who edits in one window and looks at the other."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import solution_file, starter, stems

sys.path.insert(0, str(Path(__file__).parent))

from terminal import CONTROL_C, DOWN, ENTER, LEFT, PAGE_UP, RIGHT, UP, Terminal

MEMBER, NEXT, ROLES = "03_member_tensors", "03b_causal_block", "04_parameter_or_buffer"
ALL = len(stems())


@pytest.fixture
def journal(tmp_path_factory, monkeypatch):
    path = tmp_path_factory.mktemp("home") / "journal.json"
    monkeypatch.setenv("GRADER_JOURNAL", str(path))
    return path


@pytest.fixture
def terminal(course, journal):
    opened = []

    def watch(*arguments, rows=40):
        opened.append(Terminal(["watch", *arguments], course, rows))
        return opened[-1]

    yield watch
    for running in opened:
        running.close()


def save(course, stem, text):
    (course / "exercises" / f"{stem}.py").write_text(text, encoding="utf-8")


def save_by_renaming(course, stem, text):
    beside = course / "exercises" / f".{stem}.py.swp"
    beside.write_text(text, encoding="utf-8")
    beside.replace(course / "exercises" / f"{stem}.py")


def answer(stem):
    return solution_file(stem).read_text(encoding="utf-8")


def almost(stem=MEMBER):
    """The solution of 03 with one of its two buffers forgotten."""
    right = answer(stem)
    wrong = right.replace(
        'self.register_buffer("std", torch.tensor(std))', "self.std = torch.tensor(std)"
    )
    assert wrong != right
    return wrong


def test_a_learner_gets_from_the_starter_to_the_next_exercise(course, terminal, journal):
    watch = terminal("3")
    watch.wait_for("NOT ATTEMPTED", f"0 of {ALL} passed")

    save(course, MEMBER, almost())
    watch.wait_for("NOT YET", "self.std")
    watch.press("h")
    watch.wait_for("Hint 1 of 4")
    watch.press("h")
    watch.wait_for("Hint 1 of 4", "Hint 2 of 4")
    save_by_renaming(course, MEMBER, answer(MEMBER))
    watch.wait_for("PASSED", "Press Enter to go on to 03b", f"1 of {ALL} passed")
    watch.press(ENTER)
    watch.wait_for(NEXT, "NOT ATTEMPTED", without="Hint")
    watch.press("q")

    assert watch.wait_for_end() == 0
    kept = json.loads(journal.read_text())
    assert [attempt["verdict"] for attempt in kept["attempts"]] == ["failed", "passed"]
    assert [hint["number"] for hint in kept["help"]] == [1, 2]


def test_the_line_to_blame_is_chosen_with_the_arrows(course, terminal, journal):
    watch = terminal("03", rows=20)
    watch.wait_for("Which line is to blame?", "▸  22")
    watch.press(DOWN * 6)
    watch.wait_for("▸  29", "Enter this one")
    watch.press(UP * 3 + ENTER)
    watch.wait_for("You chose line 24: right.", "member-tensor")

    assert json.loads(journal.read_text())["looks"]["03"]["found"]


def test_keys_and_saves_lead_to_an_exercise_whatever_its_code_does(course, terminal):
    watch = terminal("03")
    watch.wait_for(MEMBER, "NOT ATTEMPTED")

    watch.press(RIGHT)
    watch.wait_for(NEXT, "NOT ATTEMPTED")
    watch.press("p" + LEFT)
    watch.wait_for("02b_module_in_forty_lines", "NOT ATTEMPTED")
    watch.press("n")
    watch.wait_for(MEMBER, "NOT ATTEMPTED")
    save(course, ROLES, answer(ROLES))
    watch.wait_for(ROLES, "PASSED")
    save(course, MEMBER, "while True:\n    pass\n" + starter(MEMBER))
    watch.wait_for(MEMBER, "judging")  # given up when a newer file is saved
    save(course, MEMBER, "import os\nos.write(1, b'GARBAGE' * 99)\n" + answer(MEMBER))

    assert "GARBAGE" not in watch.wait_for(MEMBER, "PASSED")


def test_it_starts_where_the_learner_has_not_passed_yet(course, terminal):
    first = terminal("00")
    first.wait_for("NOT ATTEMPTED")
    save(course, "00_feature_normalizer", answer("00_feature_normalizer"))
    first.wait_for("PASSED")
    first.press("q")
    first.wait_for_end()

    terminal().wait_for("exercises/01_where_tensors_live.py", f"1 of {ALL} passed")


def test_a_long_report_can_be_read_to_its_end_in_a_small_window(course, terminal):
    watch = terminal("03", rows=13)
    watch.wait_for("Which line is to blame?", "▸", "↓ more", without="NOT ATTEMPTED")
    watch.press(PAGE_UP)
    watch.wait_for("NOT ATTEMPTED", without="▸")
    watch.press("w")
    watch.wait_for("NOT ATTEMPTED", "↓ more")

    watch.press("   ")

    watch.wait_for("change it, and save", without="↓ more")
    watch.press(UP)
    watch.wait_for("↓ more")


@pytest.mark.parametrize("end", ["q", CONTROL_C, signal.SIGTERM])
def test_the_terminal_is_given_back_as_it_was(terminal, end):
    watch = terminal("03")
    watch.wait_for("q quit")  # and PyTorch may still be on its way

    if end == signal.SIGTERM:
        os.kill(watch.process.pid, end)
    else:
        watch.press(end)

    assert watch.wait_for_end() == 0
    assert watch.is_given_back


def test_without_a_terminal_each_verdict_is_printed(course, journal):
    watch = subprocess.Popen(
        [sys.executable, "-m", "grader.cli", "watch", "03"],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        # A shell starts a background job, such as this suite's, with SIGINT ignored, and what that
        # starts inherits it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    lines = iter(watch.stdout.readline, "")
    try:
        assert any("NOT ATTEMPTED" in line for line in lines)
        save(course, MEMBER, answer(MEMBER))
        assert any("PASSED" in line for line in lines)
    finally:
        watch.send_signal(signal.SIGINT)
        watch.communicate()
    assert watch.returncode == 0


def test_an_exercise_that_is_none_is_said(grader, journal):
    ended = grader("watch", "99")

    assert ended.status == 2
    assert "There is no exercise 99" in ended.err
