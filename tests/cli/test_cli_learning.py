"""Progress, reviews, hints and next steps, as a terminal shows them."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from grader.course import all_rubrics, find
from grader.course.items import find_puzzle, find_question, pool
from grader.learning.help import exercises_on_the_way, first_open_notebook, first_unfinished
from grader.learning.journal import Attempt, keep, read_journal
from grader.learning.quiz.keeping import lock_in, note_puzzle
from grader.learning.watching.session import WatchSession

STEM = "04_parameter_or_buffer"


@pytest.fixture
def two_due(monkeypatch):
    """Two questions that were answered ten days ago, and are asked again in their first order."""
    monkeypatch.setattr("grader.course.items.item.sample", lambda choices, _: choices)

    def age(journal):
        for number, card in journal.cards.items():
            ten = timedelta(days=10)
            aged = replace(card, due=card.due - ten, last_review=card.last_review - ten)
            journal.cards[number] = aged

    lock_in(find_question("03.1"), "B", True)
    lock_in(find_question("03.2"), "D", False)
    keep(age)


def age_puzzle(journal, name, days):
    solved = journal.puzzles[name]
    journal.puzzles[name] = replace(solved, at=solved.at - timedelta(days=days))


def due_days(number):
    journal, _ = read_journal()
    return (journal.cards[number].due - journal.cards[number].last_review).days


def test_hint_gives_the_next_one_not_yet_seen(course, grader):
    hints = [grader("hint", "04").out.partition(":")[0] for _ in range(5)]

    assert hints == [f"Hint {number} of 4" for number in (1, 2, 3, 4, 4)]
    assert grader("hint", "04", "2").out.startswith("Hint 2 of 4")
    assert grader("hint", "05").out.startswith("Hint 1 of ")


def test_the_second_try_offers_the_next_hint_and_passing_ends_the_advice(course, grader):
    file = course / "exercises" / f"{STEM}.py"
    starter = file.read_text()
    assert grader("check", "04", "--why").status == 1
    assert read_journal()[0].tries("04") == 0, "the starter is nobody's answer"

    file.write_text(starter + "\nMINE = 1\n")
    first, second = grader("check", "04"), grader("check", "04")
    assert "That was try" not in first.out
    assert second.out.endswith("\nThat was try 2. Hint 1 of 4: grader hint 04\n\n")
    assert "4 of 4" not in second.out
    assert grader("check", "04", "--format", "json").out.endswith("}\n")
    assert read_journal()[0].tries("04") == 3


def test_only_the_learner_s_own_file_counts(answers, grader):
    path = answers.edit("torch.ones(features)", "torch.ones((features,))")

    assert grader("check", path).status == 0
    assert grader("check", "04", "--solutions").status == 0
    assert read_journal()[0].attempts == []


def test_a_verdict_is_shown_where_nothing_can_be_kept(course, grader, monkeypatch):
    (course / "exercises" / f"{STEM}.py").write_text("class CenterScale(int): pass\n")
    monkeypatch.setenv("GRADER_JOURNAL", str(course / "exercises" / f"{STEM}.py" / "journal.json"))
    ended = grader("check", "04")

    assert ended.out.startswith("04 What is trained, what is kept")
    assert "This is not kept in your progress" in ended.err


def test_progress_before_anything_was_done(grader):
    ended = grader("progress")

    assert ended.status == 0
    assert "Nothing is recorded here yet." in ended.out


def test_progress_says_what_is_the_matter_with_its_file(grader, journal):
    journal.parent.mkdir()
    journal.write_text("not json")
    ended = grader("progress")

    assert ended.status == 0
    assert "set aside as" in ended.err


def test_review_with_nothing_to_ask(grader):
    assert grader("review").out.startswith("There is nothing to ask again yet.")
    lock_in(find_question("03.1"), "B", True)
    assert grader("review").out == "Nothing is due. The next question comes tomorrow.\n"


def test_whoever_opens_the_grader_hears_what_is_due(two_due, grader, course):
    assert grader().out.endswith("\n2 questions are due, 2 minutes: grader review\n")
    session = WatchSession(find("03"), lambda rubric: None)

    assert session.notice == "2 questions are due, 2 minutes: grader review"


def test_before_that_nothing_is_said_of_it(grader):
    assert "due" not in grader().out.rpartition("grader")[2]


def test_review_asks_what_is_due_and_puts_it_further_away(two_due, grader, type_in):
    before = due_days("03.2")
    type_in("c", "sure", "z", "a", "x", "n")
    ended = grader("review")

    assert ended.status == 0
    assert "1 of 2." in ended.out
    assert "class SpectrumClassifier(nn.Module):" in ended.out
    assert "✓ C is right" in ended.out
    assert "type one of A, B, C, D, E, or q." in ended.out + ended.err
    assert "✗ Not A" in ended.out
    assert due_days("03.1") > 1
    assert due_days("03.2") <= before
    assert grader("review").out.startswith("Nothing is due.")


def test_a_review_ends_with_a_module_of_the_exam(two_due, grader, type_in, monkeypatch):
    module = next(module for module in pool() if module.key == "frame_encoder")
    monkeypatch.setattr("grader.cli.learning.choice", lambda modules: module)
    type_in("c", "sure", "a", "not", "a")
    last = grader("review").out.partition("One more: find the bug")[2]

    assert "15          windowed = centred * self.window" in last
    assert "✗ Not A: It works." in last
    assert module.why.partition(",")[0].replace("`", "") in last.replace("`", "")
    assert "frame_encoder" not in read_journal()[0].cards


def test_a_review_ends_with_the_puzzle_that_was_solved_the_longest_ago(two_due, grader, type_in):
    for number, days in (("3", 1), ("8", 2)):
        puzzle = find_puzzle(number)
        assert note_puzzle(puzzle, 40, is_helped=False) == ""
        keep(lambda journal, name=puzzle.key, ago=days: age_puzzle(journal, name, ago))
    type_in("c", "sure", "a", "not", "a", "q")

    assert "Level 8 of 40: Too early" in grader("review").out


def test_review_asks_with_the_choices_in_another_order(two_due, grader, type_in, monkeypatch):
    monkeypatch.setattr("grader.course.items.item.sample", lambda choices, _: choices[::-1])
    type_in("b", "sure", "q")  # C of four
    ended = grader("review")

    assert "  D. All eight" in ended.out
    assert "✓ B is right: The four parameters and the three buffers" in ended.out


def test_a_review_can_be_left_and_gone_on_with(two_due, grader, type_in):
    type_in("c", "not sure", "q")
    assert grader("review").out.endswith("Stopped. The rest stays due.\n")

    type_in()
    ended = grader("review")
    assert "1 of 1." in ended.out
    assert ended.status == 0


def test_the_first_answer_is_what_calibration_counts(two_due, grader, type_in):
    type_in("c", "not", "q")
    grader("review")

    assert "Of 1 that you were sure of, none was right." in grader("progress").out


def test_the_way_that_is_chosen_is_followed(grader):
    assert "> everything" in grader("way").out
    assert "> hour " in grader("way", "hour").out

    assert "0 of 4 passed" in grader("progress").out
    assert [rubric.number for rubric in exercises_on_the_way()] == ["00", "03", "05", "06"]
    assert first_open_notebook().startswith("00_")
    keep(lambda journal: journal.add_attempt(Attempt("00", "passed", 1, 1, "cuda:0 (simulated)")))
    assert (first_open_notebook()[:2], first_unfinished().number) == ("03", "03")
    for rubric in all_rubrics():
        keep(lambda journal, n=rubric.number: journal.add_attempt(Attempt(n, "passed", 1, 1, "")))
    assert first_open_notebook().startswith("06")
    grader("way", "weekend")
    assert first_open_notebook().startswith("15")


def test_a_way_that_there_is_not_is_refused_and_changes_nothing(grader):
    grader("way", "weekend")
    refused = grader("way", "month")

    assert (refused.status, "hour, weekend, everything" in refused.err) == (2, True)
    assert "> weekend" in grader("way").out
    assert not any(rubric.optional for rubric in exercises_on_the_way())
