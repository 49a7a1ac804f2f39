"""What a learner predicts before a cell runs: one file per notebook, named by its stem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from random import sample
from string import ascii_uppercase

from grader.errors import GraderError


class UnknownQuestionError(GraderError, LookupError):
    """No question has that number."""


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
    """

    number: str
    text: str
    right: str
    choices: tuple[Choice, ...]
    code: str = ""

    @property
    def letters(self) -> str:
        """What the choices are called: `ABC`."""
        return ascii_uppercase[: len(self.choices)]

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


def notebook_of(number: str) -> str:
    """The stem of the notebook with an exercise or a question, `""` if there is none.

    It is the one of that number, 09c for `09c.1`, else the one without the letter, 09 for `09b`.
    """
    name = number.partition(".")[0]
    numbered = {stem.split("_")[0]: stem for stem in question_stems()}
    return numbered.get(name) or numbered.get(name[:2], "")


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
    notebook, _, count = str(number).strip().lower().partition(".")
    if not notebook[1:2].isdigit():  # predict(3.1) is understood
        notebook = f"0{notebook}"
    full_number = f"{notebook}.{count}"
    matching = [
        question
        for stem in question_stems()
        for question in load_questions(stem)
        if question.number == full_number
    ]
    if matching:
        return matching[0]
    raise UnknownQuestionError(f"There is no question {number}. {_perhaps(notebook)}")


def _perhaps(notebook: str) -> str:
    near = [
        question.number
        for question in all_questions()
        if question.number.startswith(f"{notebook}.")
    ]
    if near:
        return f"Notebook {notebook} has {', '.join(near)}."
    return "A question is named by its notebook and its place there, such as 03.1."
