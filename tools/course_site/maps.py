"""Device maps: every step that a reader can take, recorded while the site is built.

A step depends on two things: where the module is, and where it was called first, since a module may
keep what it made then. So a few states and the steps between them are all there is to record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from markupsafe import Markup
from torch import nn
from torch.utils._pytree import tree_leaves

from course_site.mounting import mount
from grader.course import find
from grader.learning.notebook.device_map import DeviceMap
from grader.learning.notebook.device_map.history import (
    TARGET,
    MapStep,
    step_of_change,
    step_of_move,
)
from grader.learning.notebook.device_map.lines import LEGEND
from grader.learning.notebook.device_map.picture import Leaf, from_outside, picture_of
from grader.learning.notebook.device_map.view import view_data
from grader.learning.notebook.prediction import starter_module
from grader.probe import Inputs, cuda_device, recipe_inputs, torch_as_it_was, twin

CALL = "call"
SEED = 20260  # of the inputs; what a step says does not depend on their values


@dataclass(frozen=True)
class State:
    """Where a module was moved last, and where it was called first; `""` if it was not."""

    device: str
    called: str = ""

    def after(self, action: str) -> State:
        if action == CALL:
            return State(self.device, self.called or self.device)
        return State(action, self.called)

    def __str__(self) -> str:
        return f"{self.device},{self.called}"


@dataclass
class Recording:
    """The steps of one module; what they show, each once, and the rows that they share."""

    module: nn.Module
    inputs: Inputs | None
    shown: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def first(self) -> State:
        """A module that is on one device was, for all that follows, moved there."""
        devices = {leaf.device for leaf in picture_of(self.module).leaves}
        return State(devices.pop() if len(devices) == 1 else "")

    def data(self, asks: bool) -> dict[str, Any]:
        """What `static/maps.js` needs; `asks` is whether a reader predicts first."""
        start = DeviceMap(self.module)
        steps = dict(self._steps())
        return {
            "asked": view_data(DeviceMap(self.module, predict=True)) if asks else None,
            "start": self._step(MapStep(start.message, start.picture)),
            "state": str(self.first),
            "steps": steps,
            "shown": self.shown,  # after all steps have added theirs
            "rows": self.rows,
            "legend": LEGEND,
            "target": TARGET,
            "told": self._told() if asks else None,
        }

    def _steps(self) -> Iterator[tuple[str, tuple[int, str]]]:
        """By a state and an action, the number of what it shows, and the state after it."""
        actions = (TARGET, "cpu", CALL) if self.inputs else (TARGET, "cpu")
        ways: dict[State, tuple[str, ...]] = {self.first: ()}
        waiting = [self.first]
        for state in waiting:
            for action in actions:
                after = state.after(action)
                step = self._taken((*ways[state], action))
                yield f"{state} {action}", (self._step(step), str(after))
                if after not in ways:
                    ways[after] = (*ways[state], action)
                    waiting.append(after)

    def _taken(self, actions: tuple[str, ...]) -> MapStep:
        """The last of these steps, taken by a fresh copy."""
        copy, state = twin(self.module), self.first
        for action in actions:
            before = picture_of(copy)
            if action == CALL:
                told = self._call(copy, state.device or TARGET)  # a mixed one was moved there
                change = step_of_change(before, picture_of(copy))
                words = f"{told} {change.message}" if change.changes else told
                step = MapStep(words, change.picture, change.changes)
            else:
                copy.to(action)
                step = step_of_move(action, before, picture_of(copy))
            state = state.after(action)
        return step

    def _call(self, module: nn.Module, device: str) -> str:
        assert self.inputs is not None
        there = self.inputs.to(device)
        asked = f"With an input on {device}, the call"
        try:
            result = module(*there.args, **there.kwargs)
        except Exception as error:
            return f"{asked} raises {type(error).__name__}: {str(error).splitlines()[0]}"
        devices = {str(leaf.device) for leaf in tree_leaves(result) if torch.is_tensor(leaf)}
        return f"{asked} gives a result on {' and '.join(sorted(devices))}."

    def _step(self, step: MapStep) -> int:
        shown = DeviceMap(self.module)
        shown.step, shown.message = step, step.message
        view = view_data(shown)
        rows = [self._row(row) for row in view["rows"]]
        words = {"message": step.message, "heading": view["heading"]}
        return _number({**words, "rows": rows}, self.shown)

    def _row(self, row: dict[str, Any]) -> int:
        """The number of a row; one with a path that is known holds only what differs from it."""
        first = next((n for n, each in enumerate(self.rows) if each.get("path") == row["path"]), -1)
        if first >= 0:
            base = self.rows[first]
            row = {"as": first} | {key: row[key] for key in row if row[key] != base.get(key)}
        return _number(row, self.rows)

    def _told(self) -> dict[str, list[tuple[str, str]]]:
        """The tensors that a move leaves and takes, each by its path and its name."""
        before, after = picture_of(self.module), self._taken((TARGET,)).picture
        known = {leaf.path: leaf.device for leaf in before.leaves}
        once = [leaf for leaf in after.leaves if leaf.path in known and not leaf.is_repeat]
        return {
            "stayed": [_named(leaf) for leaf in once if leaf.device == known[leaf.path]],
            "moved": [_named(leaf) for leaf in once if leaf.device != known[leaf.path]],
        }


def _number(entry: dict[str, Any], entries: list[dict[str, Any]]) -> int:
    """Its place among those that are kept; it is added unless an equal one is there."""
    if entry not in entries:
        entries.append(entry)
    return entries.index(entry)


def _named(leaf: Leaf) -> tuple[str, str]:
    return leaf.path, from_outside(leaf.path)


def recorded(module: nn.Module, inputs: Inputs | None = None, asks: bool = False) -> dict[str, Any]:
    with cuda_device("simulated"):
        return Recording(module, inputs).data(asks)


def exercise_map(number: str) -> Markup:
    """The mount of `predict("03")`: which of the starter's tensors stay behind?"""
    rubric = find(number)
    with torch_as_it_was():
        module = starter_module(rubric)
        return mount("map", recorded(module, recipe_inputs(rubric.recipe, SEED), asks=True))
