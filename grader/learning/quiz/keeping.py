"""What is kept of an answer, and when its question comes again; fsrs decides, in whole days."""

from __future__ import annotations

from datetime import datetime

from grader.course import Item, all_puzzles
from grader.learning.journal import Card, Journal, Prediction, Progress, SolvedPuzzle, keep, peek
from grader.learning.journal.progress import ahead


def lock_in(question: Item, choice: str, sure: bool) -> tuple[Prediction, str]:
    """Keep a prediction. Return the one that counts, which is the first, and a notice or `""`."""
    given = Prediction(question.key, choice, sure, choice == question.right)
    counts = given

    def edit(journal: Journal) -> None:
        nonlocal counts
        counts = journal.add_prediction(given)
        if counts is given:
            journal.cards[given.question] = reviewed(None, given.right, sure, given.at)

    notice = keep(edit)
    return counts, notice


def mark(question: Item) -> str:
    """Keep that a learner was told who was right; return a notice or `""`."""

    def edit(journal: Journal) -> None:
        if made := journal.prediction(question.key):
            made.is_marked = True

    return keep(edit)


def locked_text(prediction: Prediction) -> str:
    return f"Locked in: {prediction.choice}, {'sure' if prediction.sure else 'not sure'}."


def answer_again(question: Item, choice: str, sure: bool, at: datetime) -> tuple[str, str]:
    """Keep a second answer; return when the question comes again, and a notice or `""`."""
    due = at

    def edit(journal: Journal) -> None:
        nonlocal due
        card = reviewed(journal.cards.get(question.key), choice == question.right, sure, at)
        journal.cards[question.key] = card
        due = card.due

    notice = keep(edit)
    return "" if notice else f"It comes again {ahead(due, at)}.", notice


def nothing_due(progress: Progress, now: datetime) -> str:
    """What is said where there is nothing to ask."""
    if progress.next_due:
        return f"Nothing is due. The next question comes {ahead(progress.next_due, now)}."
    return (
        "There is nothing to ask again yet. What you predict in the notebooks comes back here, "
        "some days later."
    )


def reviewed(card: Card | None, right: bool, sure: bool, at: datetime) -> Card:
    """The card after an answer; without one, after the first answer."""
    import fsrs

    # No steps of minutes: who answered now is asked again on another day.
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    known = fsrs.Rating.Easy if sure else fsrs.Rating.Good
    before = fsrs.Card(card_id=1, due=at)
    if card:
        fields = {name: getattr(card, name) for name in card.__struct_fields__}
        before = fsrs.Card(card_id=1, **{**fields, "state": fsrs.State(card.state)})
    rating = known if right else fsrs.Rating.Again
    after, _ = scheduler.review_card(before, rating, review_datetime=at)
    fields = {name: getattr(after, name) for name in Card.__struct_fields__}
    return Card(**{**fields, "state": after.state.value})


def note_puzzle(puzzle: Item, seconds: int, is_helped: bool) -> str:
    """Keep that a level was solved; return a notice or `""`. Of several times, the last counts."""
    solved = SolvedPuzzle(seconds, is_helped)
    return keep(lambda journal: journal.puzzles.update({puzzle.key: solved}))


def first_unsolved() -> Item:
    """The first level that is not solved; the first of all once they all are."""
    solved, levels = peek().puzzles, all_puzzles()
    return next((puzzle for puzzle in levels if puzzle.key not in solved), levels[0])


def solved_before() -> Item | None:
    """One of the levels that are solved, the longest ago; None if none is."""
    solved = peek().puzzles
    again = [puzzle for puzzle in all_puzzles() if puzzle.key in solved]
    return min(again, key=lambda puzzle: solved[puzzle.key].at, default=None)


def solved_summary() -> str:
    """How many levels are solved, and where to go on."""
    solved, levels = peek().puzzles, all_puzzles()
    done = [solved[puzzle.key] for puzzle in levels if puzzle.key in solved]
    alone = sum(not level.is_helped for level in done)
    counted = f"{len(done)} of {len(levels)} levels solved, {alone} without the solution."
    return counted if len(done) == len(levels) else f"{counted} Go on with: grader puzzles"
