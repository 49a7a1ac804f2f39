"""`predict("03.1")`: choose, lock it in as sure or not sure; then run the cell, and see why.

`predict("03")` shows the map of an exercise's starter: which tensors will stay behind?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.course import Question, exercise_file, find, find_question, starter
from grader.learning.journal import read_journal
from grader.learning.notebook.device_map import DeviceMap
from grader.learning.notebook.display import running_shell
from grader.learning.notebook.widgets import has_widgets, show_bundle, show_widget
from grader.learning.predictions import lock_in, locked_text
from grader.learning.question import answer_text, question_text, to_html
from grader.loading import class_of, execute
from grader.probe import constructor, torch_defaults
from grader.schema import Rubric

if TYPE_CHECKING:
    from torch import nn


def predict(
    question: str, choice: str = "", *, sure: bool | None = None, reveal: bool = False
) -> None:
    """Ask what the next cell will do; of an exercise, which tensors of its starter stay behind.

    `predict("03")` asks that on the device map of exercise 03, as it is before anyone changes it:
    click the tensors, then `.cuda()`. `predict("03.1")` asks the first question of notebook 03.

    In a notebook there are buttons. Without them, `predict("03.1", "b", sure=True)` locks an
    answer in, and `predict("03.1", reveal=True)` shows what is right, and why.

    Args:
        question: its number, such as "03.1", or that of an exercise, such as "03".
        choice: the letter of your answer.
        sure: whether you are sure of it.
        reveal: show what is right. It comes after an answer is locked in.

    Raises:
        UnknownQuestionError: there is no such question.
        UnknownExerciseError: there is no such exercise.
    """
    if "." not in str(question):
        _ask_on_the_map(question)
        return
    asked = find_question(question)
    if reveal:
        print(_revealed(asked))
    elif choice or sure is not None:
        print(_locked_by_hand(asked, choice.strip().upper(), sure))
    else:
        _ask(asked)


def _ask_on_the_map(exercise: str) -> None:

    shown = starter_map(find(exercise))
    if running_shell() is None:
        print(shown)
    else:
        shown._ipython_display_()


def _ask(question: Question) -> None:
    text = f"{question_text(question)}\n\n{_by_hand(question)}"
    if running_shell() is None:
        print(text)
        return
    show_bundle({"text/html": to_html(question), "text/plain": text})
    if has_widgets():
        from grader.learning.notebook.buttons import PredictionButtons

        show_widget(PredictionButtons(question).view)


def _by_hand(question: Question) -> str:
    return f'Without buttons: predict("{question.number}", "a", sure=True), or sure=False.'


def _locked_by_hand(question: Question, choice: str, sure: bool | None) -> str:
    if choice not in question.letters or len(choice) != 1:
        return f"Choose one of {', '.join(question.letters)}. {_by_hand(question)}"
    if sure is None:
        return f"How sure are you? {_by_hand(question)}"
    prediction, notice = lock_in(question, choice, bool(sure))
    again = "" if prediction.choice == choice else " Your first answer stays."
    then = f'Run the next cell, then see why: predict("{question.number}", reveal=True)'
    return "\n".join(filter(None, [locked_text(prediction) + again, then, notice]))


def _revealed(question: Question) -> str:
    journal, notice = read_journal()
    prediction = journal.prediction(question.number)
    if prediction is None:
        text = f"Decide first; a surprise is what makes it stick. {_by_hand(question)}"
    else:
        text = f"{locked_text(prediction)}\n{answer_text(question, prediction.choice)}"
    return "\n".join(filter(None, [text, notice]))


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
