"""The class's page: which exercise, which mistake, how many; who needs a person."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from grader.classroom.gradebook import Gradebook, Result, file_stem
from grader.classroom.pages.charts import Bar, Part, bars
from grader.classroom.pages.document import Kind, document, name, table
from grader.classroom.pages.mistakes import Mistake, mistakes
from grader.classroom.pages.outcomes import NOT_YET, OUTCOMES, PASSED, outcome, told
from grader.explain import summaries
from grader.judge.report import FlagKind
from grader.render.html import text

KINDS = get_args(FlagKind)


def class_page(book: Gradebook) -> str:
    """The whole page."""
    parts = [["<h1>Results of the class</h1>", f"<p>{text(_summary(book))}</p>"]]
    if book.exercises:
        parts += [_to_look_at(book), _exercises(book), _mistakes(book), _everyone(book)]
    return document("Results of the class", [piece for part in parts for piece in part])


def page_of(learner: str) -> str:
    """The file with a learner's page."""
    return f"{file_stem(learner)}.html"


def _summary(book: Gradebook) -> str:
    handed_in = len(book.counted)
    late = sum(entry.late for entry in book.counted.values())
    return (
        f"{_count(len(book.learners), 'learner')}, {_count(len(book.exercises), 'exercise')}, "
        f"{_count(handed_in, 'answer')} of {len(book.learners) * len(book.exercises)} handed in, "
        f"{late} of them late."
    )


def _exercises(book: Gradebook) -> list[str]:
    results = {rubric.number: book.of_exercise(rubric) for rubric in book.exercises}
    counts = {number: Counter(outcome(each) for each in these) for number, these in results.items()}
    rows = [
        Bar(
            f"{number}  {_short(book, number)}",
            tuple(Part(count[each], each.look, each.word) for each in OUTCOMES),
            f"{count[PASSED]} of {count.total()}",
        )
        for number, count in counts.items()
    ]
    hardest = min(counts, key=lambda number: counts[number][PASSED])
    told_hardest = (
        f"Fewest passed exercise {hardest}: {counts[hardest][PASSED]} of "
        f"{_count(len(book.learners), 'learner')}."
    )
    lines = [
        [
            text(f"{number} {these[0].rubric.title}"),
            *(str(counts[number][each]) for each in OUTCOMES),
            _mean(these),
        ]
        for number, these in results.items()
    ]
    head = ["Exercise", *(f"{each.sign} {each.word}" for each in OUTCOMES), "Mean mark"]
    return [
        "<h2>How each exercise went</h2>",
        _figure(bars(rows, told_hardest), told_hardest),
        table(head, lines, ["short", "number", "number", "number", "number", "number"]),
    ]


def _mistakes(book: Gradebook) -> list[str]:
    heading = "<h2>Which mistakes were made</h2>"
    found = mistakes(book)
    if not found:
        return [heading, "<p>The grader named none.</p>"]
    first = found[0]
    sentence = (
        f"The most frequent mistake is {first.code}: {_count(len(first.learners), 'learner')}, "
        f"in {_count(len(first.exercises), 'exercise')}."
    )
    meanings = summaries()
    rows = [Bar(each.code, (_people(each),), str(len(each.learners))) for each in found]
    lines = [
        [
            f"<code>{text(each.code)}</code>",
            text(meanings.get(each.code, "")),
            str(len(each.learners)),
            text(", ".join(each.exercises)),
        ]
        for each in found
    ]
    return [
        heading,
        _figure(bars(rows, sentence), sentence),
        table(
            ["Mistake", "What it means", "Learners", "Exercises"],
            lines,
            ["short", "prose", "number", "prose"],
        ),
        '<p class="quiet">More on each: <code>grader explain CODE</code></p>',
    ]


def _people(mistake: Mistake) -> Part:
    return Part(len(mistake.learners), NOT_YET.look, "learners")


def _to_look_at(book: Gradebook) -> list[str]:
    heading = "<h2>What a person should look at</h2>"
    results = list(book.results())
    unsettled = [result for result in results if result.is_unsettled]
    flagged = [result for result in results if result.flags]
    if not unsettled and not flagged:
        return [heading, "<p>Nothing: every answer was judged to its end, and none is flagged.</p>"]
    return [heading, *_verdicts_that_are_no_marks(unsettled), *_flags(flagged)]


def _verdicts_that_are_no_marks(results: list[Result]) -> list[str]:
    if not results:
        return []
    rows = [[_link(each), text(each.rubric.number), told(each), _why(each)] for each in results]
    return [
        "<p>These verdicts say how the grading ended, not how good the answer is.</p>",
        table(
            ["Learner", "Exercise", "Verdict", "Why"], rows, ["short", "short", "short", "prose"]
        ),
    ]


def _flags(results: list[Result]) -> list[str]:
    """What is flagged, the results with an import first."""
    if not results:
        return []
    in_order = sorted(results, key=lambda each: KINDS.index(each.flags[0].kind))
    rows = [[_link(each), text(each.rubric.number), told(each), _lines(each)] for each in in_order]
    return [
        "<p>These marks stand. The lines are of a kind that no answer needs, and an honest one may "
        "have: look at them before you trust the mark.</p>",
        table(
            ["Learner", "Exercise", "Verdict", "Lines"], rows, ["short", "short", "short", "prose"]
        ),
    ]


def _lines(result: Result) -> str:
    return "<br>".join(text(str(flag)) for flag in result.flags)


def _why(result: Result) -> str:
    message = result.entry.report.message if result.entry else ""
    return text(message.split("\n")[0])


def _everyone(book: Gradebook) -> list[str]:
    rows = []
    for learner in book.learners:
        results = book.of_learner(learner)
        total = f"{sum(each.score for each in results)}/{sum(each.max_score for each in results)}"
        rows.append([_link(results[0]), total, *(_cell(each) for each in results)])
    head = ["Learner", "Points", *(rubric.number for rubric in book.exercises)]
    kinds: list[Kind] = ["short"] * len(head)
    kinds[1] = "number"
    signs = "; ".join(f"{each.sign} {each.word}" for each in OUTCOMES)
    signs += "; ? something is flagged"
    return [
        "<h2>Everyone</h2>",
        f'<p class="quiet">{text(signs)}. Behind the sign: the points.</p>',
        table(head, rows, kinds),
    ]


def _cell(result: Result) -> str:
    how = outcome(result)
    points = "" if result.entry is None or result.mark is None else f" {result.mark}"
    late = ' <span class="late">late</span>' if result.is_late else ""
    flag = " ?" if result.flags else ""
    return f'<span class="{how.look}" title="{how.word}">{how.sign}{points}{flag}{late}</span>'


def _link(result: Result) -> str:
    return f'<a href="{page_of(result.learner)}">{name(result.learner)}</a>'


def _figure(picture: str, sentence: str) -> str:
    return f"<figure>{picture}<figcaption>{text(sentence)}</figcaption></figure>"


def _short(book: Gradebook, number: str) -> str:
    stem = next(rubric.stem for rubric in book.exercises if rubric.number == number)
    return stem.partition("_")[2].replace("_", " ")


def _mean(results: tuple[Result, ...]) -> str:
    marks = [each.mark for each in results if each.entry and each.mark is not None]
    return f"{sum(marks) / len(marks):.1f}" if marks else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
