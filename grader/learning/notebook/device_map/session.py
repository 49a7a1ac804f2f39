"""A device map at work: it moves a copy of the module, and follows the module itself.

It looks at the module again whenever a cell has run.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from grader.learning.notebook.device_map.history import (
    QUESTION,
    TARGET,
    WITHOUT_WIDGETS,
    MapStep,
    concealed,
    has_moved,
    scored_guess,
    step_of_change,
    step_of_move,
)
from grader.learning.notebook.device_map.html import to_html
from grader.learning.notebook.device_map.lines import to_text
from grader.learning.notebook.device_map.picture import Picture, picture_of
from grader.learning.notebook.widgets import has_widgets, show_bundle, show_widget
from grader.probe import cuda_device, is_sized, twin

KEPT_AT_ONCE = 64_000_000
WELCOME = "Your module as it is. The buttons move a copy of it, never the module itself."


class DeviceMap:
    """Where the tensors of a module are, and where a move takes them.

    A module of moderate size is copied at once, so that the map of one that nobody keeps, as in
    `device_map(Normalizer())`, can still be moved.

    Attributes:
        step: what the last move or cell did; at first, the module.
        message: what the last thing asked for did, in words.
        guess: the paths of the tensors that its reader expects to stay, until a move tells; None
            if not asked.
    """

    def __init__(self, module: nn.Module, predict: bool = False) -> None:
        self._module = weakref.ref(module)
        self._seen = picture_of(module)
        self._copy: nn.Module | None = None
        self._spare = _spare(module)
        self._view: Any = None
        self.guess = frozenset[str]() if predict else None
        self.message = QUESTION if predict else WELCOME
        self.step = MapStep(WELCOME, self._seen)
        self.changed: Callable[[], None] = lambda: None

    @property
    def picture(self) -> Picture:
        picture = self.step.picture
        return picture if self.guess is None else concealed(picture)

    @property
    def is_followed(self) -> bool:
        """Whether the module is still there to follow."""
        return self._module() is not None

    def pick(self, path: str) -> None:
        """Expect a tensor to stay behind, or no longer expect it."""
        if self.guess is not None and any(leaf.path == path for leaf in self.picture.leaves):
            self.guess ^= {path}
            self.changed()

    def move(self, device: str) -> None:
        """Move a copy, or the copy that was moved before, to `device`."""
        with cuda_device("auto"):
            self._move(device)
        self.changed()

    def start_over(self) -> None:
        """Forget the copy and show the module as it was seen last."""
        self._copy = None
        self.step = MapStep(WELCOME, self._seen)
        self.message = f"Back to your module. {WELCOME}"
        self.changed()

    def look_again(self, cell: str) -> None:
        """See what the cell that was just run did to the module."""
        module = self._module()
        if module is None:
            return
        seen = picture_of(module)
        if seen == self._seen:
            return
        step = step_of_change(self._seen, seen)
        if self.guess is not None and has_moved(self._seen, seen):
            step = scored_guess(self.guess, self._seen, step)
            self.guess = None
        self._seen, self._copy, self._spare = seen, None, _spare(module)
        self.step = step
        self.message = f"Your module changed in {cell}. {step.message}"
        self.changed()

    def _move(self, device: str) -> None:
        if why_not := unreachable(device):
            self.message = why_not
            return
        copy = self._make_copy() if self._copy is None else self._copy
        if copy is None:
            return
        before = picture_of(copy)
        error = _attempt(lambda: copy.to(device))
        after = picture_of(copy)
        step = step_of_move(device, before, after)
        if error:
            message = f'copy.to("{device}") raised {error} {step.message}'
            step = MapStep(message, after, step.changes)
        if self.guess is not None:
            step = scored_guess(self.guess, before, step)
            self.guess = None
        self.step, self.message = step, step.message

    def _make_copy(self) -> nn.Module | None:
        """Make the copy that is moved; None, and said why, where that cannot be."""
        module = self._module()
        module = self._spare if module is None else module
        if module is None:
            self.message = (
                "The module is gone, so there is nothing to copy. Give it a name in a cell, such "
                "as `model = ...`, and call `device_map(model)` again."
            )
            return None
        self._copy, error = _copied(module)
        if error:
            self.message = (
                f"The module cannot be copied: {error} The map never moves your module itself. "
                "Move it in a cell, and the map will follow."
            )
        return self._copy

    def __repr__(self) -> str:
        return str(self._forms()["text/plain"])

    def _forms(self) -> dict[str, Any]:
        """The map for pages without widgets; of a prediction, with the answer folded away."""
        if self.guess is None:
            return {"text/plain": to_text(self.picture), "text/html": to_html(self.picture)}
        answer = DeviceMap(self._module() or self._spare or nn.Module())
        answer.move(TARGET)
        step = replace(answer.step, message=answer.message)
        html = to_html(self.picture, WITHOUT_WIDGETS, step)
        return {"text/plain": to_text(self.picture, WITHOUT_WIDGETS), "text/html": html}

    def _ipython_display_(self) -> None:
        """The map as text and HTML and, where anywidget is installed, as a widget below.

        They are two outputs, so that a page without widgets shows the first whatever it prefers.
        The widget hides it.
        """
        show_bundle(self._forms())
        if has_widgets():
            from grader.learning.notebook.device_map.view import View

            self._view = self._view or View(self)
            show_widget(self._view)


def unreachable(device: str) -> str:
    """Why nothing can be moved to `device` here; `""` if it can."""
    count = torch.cuda.device_count()
    if not device.startswith("cuda") or int(device.partition(":")[2]) < count:
        return ""
    gpus = "one GPU" if count == 1 else f"{count} GPUs"
    return f"There is no {device} here: this machine has {gpus}."


def _spare(module: nn.Module) -> nn.Module | None:
    tensors = [*module.parameters(), *module.buffers()]
    sizes = (tensor.numel() * tensor.element_size() for tensor in tensors if is_sized(tensor))
    return None if sum(sizes) > KEPT_AT_ONCE else _copied(module)[0]


def _copied(module: nn.Module) -> tuple[nn.Module | None, str]:
    """A copy of a module, whose moves do not move the module; or None, and in words why not."""
    copies: list[nn.Module] = []
    if error := _attempt(lambda: copies.append(twin(module))):
        return None, error
    own = set(map(id, module.parameters()))
    if not own.isdisjoint(map(id, copies[0].parameters())):
        return None, "ValueError: its copy has the same Parameters."
    return copies[0], ""


def _attempt(action: Callable[[], object]) -> str:
    """Do something with a learner's module; in words what it raised, `""` if nothing."""
    try:
        action()
    except RecursionError:
        return "RecursionError: the module holds itself, so this never ends."
    except Exception as error:
        words = " ".join(str(error).split()) or "no message"
        return f"{type(error).__name__}: {words.rstrip('.')}."
    return ""


MOST_MAPS = 20
_maps: list[DeviceMap] = []
_shells: set[int] = set()


def follow(device_map: DeviceMap, shell: Any) -> None:
    """Keep a map up to date from cell to cell; the newest ones, if a notebook makes many."""
    _maps.append(device_map)
    del _maps[:-MOST_MAPS]
    if id(shell) not in _shells:
        _shells.add(id(shell))
        shell.events.register("post_run_cell", _after_cell)


def _after_cell(result: Any) -> None:
    number = result.execution_count
    cell = f"cell {number}" if number else "the last cell"
    _maps[:] = [shown for shown in _maps if shown.is_followed]
    for shown in _maps:
        shown.look_again(cell)
