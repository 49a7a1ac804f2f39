"""What a learner predicts before a cell runs: one file per notebook, named by its stem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from random import sample
from string import ascii_uppercase

from grader.course.numbers import full_number
from grader.errors import GraderError


class UnknownQuestionError(GraderError, LookupError):
    """No question has that number."""


class UnknownNotebookError(GraderError, LookupError):
    """No notebook has that number."""


@dataclass(frozen=True)
class Choice:
    """One of the answers offered.

    Attributes:
        why: why it is right, or what is wrong with it and what made it look right.
    """

    text: str
    why: str


@dataclass(frozen=True)
class Question:
    """A prediction.

    Attributes:
        number: `03.1`, the first of notebook 03; `09c.1` of notebook 09c.
        right: the letter of the right choice.
        code: the lines it speaks of, for whoever is asked days later, without the notebook.
        names: what the choices are called; `()` for A, B, C.
    """

    number: str
    text: str
    right: str
    choices: tuple[Choice, ...]
    code: str = ""
    names: tuple[str, ...] = ()

    @property
    def letters(self) -> tuple[str, ...]:
        """What the choices are called."""
        return self.names or tuple(ascii_uppercase[: len(self.choices)])

    def choice(self, letter: str) -> Choice:
        """The choice called `letter`."""
        return self.choices[self.letters.index(letter)]

    def shuffled(self) -> Question:
        """The same question with its choices in a random order, so that no letter is remembered."""
        choices = tuple(sample(self.choices, len(self.choices)))
        right = choices.index(self.choice(self.right))
        return replace(self, choices=choices, right=self.letters[right])


def question_stems() -> tuple[str, ...]:
    """The stems of the notebooks that have questions, in the order of the course."""
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob("[0-9]*.py")))


def notebook_of(number: str | float) -> str:
    """The stem of the notebook with an exercise or a question, `""` if there is none.

    It is the one of that number, 09c for `09c.1`, else the one without the letter, 09 for `09b`.
    """
    name = full_number(number).partition(".")[0]
    numbered = {stem.split("_")[0]: stem for stem in question_stems()}
    return numbered.get(name) or numbered.get(name[:2], "")


def find_notebook(number: str | float) -> str:
    """The stem of the notebook called `number`: `03`, `3` or `09c`.

    Raises:
        UnknownNotebookError: there is none.
    """
    if found := notebook_of(number):
        return found
    known = ", ".join(stem.split("_")[0] for stem in question_stems())
    raise UnknownNotebookError(f"There is no notebook {number}. There are {known}.")


def load_questions(stem: str) -> tuple[Question, ...]:
    """The questions of one notebook, in its order.

    Raises:
        ModuleNotFoundError: there is no such notebook.
    """
    questions: tuple[Question, ...] = import_module(f"grader.course.questions.{stem}").QUESTIONS
    return questions


def all_questions() -> tuple[Question, ...]:
    """The questions of all notebooks, in the order of the course."""
    return tuple(question for stem in question_stems() for question in load_questions(stem))


def find_question(number: str) -> Question:
    """The question called `number`: `03.1` or `3.1`.

    Raises:
        UnknownQuestionError: there is none.
    """
    expected = full_number(number)  # predict(3.1) is understood
    matching = [
        question
        for stem in question_stems()
        for question in load_questions(stem)
        if question.number == expected
    ]
    if matching:
        return matching[0]
    near = _perhaps(expected.partition(".")[0])
    raise UnknownQuestionError(f"There is no question {number}. {near}")


def _perhaps(notebook: str) -> str:
    near = [
        question.number
        for question in all_questions()
        if question.number.startswith(f"{notebook}.")
    ]
    if near:
        return f"Notebook {notebook} has {', '.join(near)}."
    return "A question is named by its notebook and its place there, such as 03.1."
