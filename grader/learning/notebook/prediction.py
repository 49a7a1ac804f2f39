"""`predict("03.1")`: choose, lock it in as sure or not sure; run the next cell, and it is marked.

`predict("03")` shows the map of an exercise's starter: which tensors will stay behind?
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from grader.course import Item, exercise_file, find, find_question, starter
from grader.learning.journal import Prediction, read_journal
from grader.learning.notebook.device_map import DeviceMap
from grader.learning.notebook.display import running_shell
from grader.learning.notebook.widgets import has_widgets, is_notebook, show_bundle, show_widget
from grader.learning.quiz.keeping import lock_in, locked_text, mark
from grader.learning.quiz.words import answer_text, question_text, to_html
from grader.loading import class_of, execute
from grader.probe import constructor, torch_defaults
from grader.schema import Rubric

if TYPE_CHECKING:
    from torch import nn

    from grader.learning.notebook.quiz import Asking

NEXT = "Run the next cell: then it says here whether you were right."


def predict(question: str, choice: str = "", *, sure: bool | None = None) -> None:
    """Ask what the next cell will do; of an exercise, which tensors of its starter stay behind.

    `predict("03")` asks that on the device map of exercise 03, as it is before anyone changes it:
    click the tensors, then `.cuda()`. `predict("03.1")` asks the first question of notebook 03.

    In a notebook there are buttons. Without them, `predict("03.1", "b", sure=True)` locks an
    answer in. Where no cell follows, as in a script, it says at once what is right, and why.

    Args:
        question: its number, such as "03.1", or that of an exercise, such as "03".
        choice: the letter of your answer.
        sure: whether you are sure of it.

    Raises:
        UnknownItemError: there is no such question.
        UnknownExerciseError: there is no such exercise.
    """
    if "." not in str(question):
        _ask_on_the_map(question)
        return
    asked = find_question(question)
    if choice or sure is not None:
        print(_locked_by_hand(asked, choice.strip().upper(), sure))
    elif running_shell() is None:
        print(_text(asked))
    else:
        PredictionBox(asked).show()


def _ask_on_the_map(exercise: str) -> None:
    shown = starter_map(find(exercise))
    if running_shell() is None:
        print(shown)
    else:
        shown._ipython_display_()


class PredictionBox:
    """A question below its cell: asked, locked in, and marked once the next cell has run.

    What stands there for pages without widgets says the same, and is saved with the notebook.
    """

    def __init__(self, question: Item) -> None:
        self._question = question
        self._output = f"wmt-{question.key}-{uuid4()}"
        self._made = read_journal()[0].prediction(question.key)
        self.view: Any = None

    def show(self) -> None:
        """Show it as it stands, also after a restart or in a cell that is run again."""
        BOXES[self._question.key] = self
        show_bundle(self._forms(), self._output)
        if has_widgets():
            self.draw()
            show_widget(self.view)
        self._wait()

    def draw(self) -> None:
        from grader.learning.notebook.quiz import QuestionView

        self.view = QuestionView(self._asked(), self.lock_in)

    def lock_in(self, choice: str, sure: bool) -> tuple[Prediction, str]:
        """Lock an answer in. Return the one that counts, the first; and a notice or `""`."""
        self._made, notice = lock_in(self._question, choice, sure)
        self._wait()
        self._refresh(notice)
        return self._made, notice

    def mark(self) -> None:
        """Say who was right."""
        assert self._made is not None  # nothing else waits
        self._made.is_marked = True
        self._refresh(mark(self._question))
        if not self.view:
            why = " ".join(answer_text(self._question, self._made.choice).split())
            print(f"{self._question.title}: {why}")

    def _wait(self) -> None:
        if self.is_waiting and (shell := running_shell()):
            shell.events.register("post_run_cell", mark_waiting)

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is locked in, and not marked yet."""
        return self._made is not None and not self._made.is_marked

    def _refresh(self, notice: str) -> None:
        if is_notebook():
            show_bundle(self._forms(), self._output, update=True)
        if self.view:
            self.view.show(self._asked(notice))

    def _forms(self) -> dict[str, str]:
        html = to_html(self._question, self._made)
        return {"text/html": html, "text/plain": _text(self._question)}

    def _asked(self, notice: str = "") -> Asking:
        from grader.learning.notebook.quiz import Asking

        made = self._made
        asked = Asking(self._question, replaces=".wmt.question")
        if made is None:
            return asked
        parts = (locked_text(made), "" if made.is_marked else NEXT, notice)
        message = " ".join(filter(None, parts))
        return replace(asked, chosen=made.choice, message=message, is_answered=made.is_marked)


BOXES: dict[str, PredictionBox] = {}  # the last of each question, by its number


def mark_waiting(result: Any) -> None:
    """After a cell: mark what waits for it, unless the cell asks something itself."""
    if "predict(" not in (result.info.raw_cell or ""):
        for box in BOXES.values():
            if box.is_waiting:
                box.mark()


def _text(question: Item) -> str:
    return f"{question_text(question)}\n\n{_by_hand(question)}"


def _by_hand(question: Item) -> str:
    return f'Without buttons: predict("{question.key}", "a", sure=True), or sure=False.'


def _locked_by_hand(question: Item, choice: str, sure: bool | None) -> str:
    if choice not in question.letters:
        return f"Choose one of {', '.join(question.letters)}. {_by_hand(question)}"
    if sure is None:
        return f"How sure are you? {_by_hand(question)}"
    box = BOXES.setdefault(question.key, PredictionBox(question))
    prediction, notice = box.lock_in(choice, sure)
    again = "" if prediction.choice == choice else " Your first answer stays."
    then = NEXT if running_shell() else answer_text(question, prediction.choice)
    return "\n".join(filter(None, [locked_text(prediction) + again, then, notice]))


def starter_map(rubric: Rubric) -> DeviceMap:
    """The map of a module that the starter's class makes."""
    with torch_defaults():  # else its tensors would be where a cell has `torch.set_default_device`
        return DeviceMap(starter_module(rubric), predict=True)


def starter_module(rubric: Rubric) -> nn.Module:
    """A module that the starter's class makes, built as the grader builds it."""
    code = execute(starter(rubric.stem), exercise_file(rubric.stem))
    make = constructor(class_of(code, rubric.class_name), rubric.recipe)
    module: nn.Module = make(**rubric.recipe.arguments)
    return module
