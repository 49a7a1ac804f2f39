"""What a child process probes: a class for an exercise, or any module for an audit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import call
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import torch
from torch import nn

from grader.loading import LoadingError, class_of, execute, import_file, read_source
from grader.probe.answer import exercise_subject
from grader.probe.audited import audit_subject, needed_arguments
from grader.probe.device import DeviceChoice
from grader.probe.inspection.exceptions import describe_exception
from grader.probe.inspection.inputs import written_inputs
from grader.probe.inspection.source import Runner
from grader.probe.session import PATIENCE
from grader.probe.subject import Subject
from grader.schema import Recipe

EXAMPLE_INPUT = "example_input"


class DefaultDeviceError(Exception):
    """The file left another default device than the CPU for the whole program."""


@dataclass(frozen=True)
class Task(ABC):
    """Something in a file, to be probed.

    Attributes:
        is_graded: whether the result gives marks, so that the code needs guards.
        is_live: whether it holds objects that code in this process has made, and may have used in
            threads, which a fork has not.
    """

    is_graded: ClassVar[bool] = True
    is_live: ClassVar[bool] = False

    path: Path
    name: str
    seed: int
    device: DeviceChoice

    @property
    def is_again(self) -> bool:
        """Whether it is a second probe of the same file, with its steps in another order."""
        return False

    @property
    def patience(self) -> float:
        """Seconds after which optional steps are skipped."""
        return PATIENCE

    @property
    def files(self) -> set[str]:
        """The names that the file may have in a traceback."""
        return {str(self.path), str(self.path.resolve())}

    @property
    def readable(self) -> tuple[Path, ...]:
        """The files, and folders of files, that a sandbox leaves readable."""
        return (self.path,)

    @property
    def preloaded(self) -> tuple[str, ...]:
        """Modules to import before a process forks its probes, each of which would import them."""
        return ()

    @abstractmethod
    def prepare(self, run: Runner = call) -> Subject:
        """Run the file: what to probe.

        Args:
            run: runs the learner's code.

        Raises:
            BaseException: whatever the file raises; LoadingError if what it leaves is not usable.
        """


@dataclass(frozen=True)
class Exercise(Task):
    """A class, built and fed as a recipe says."""

    recipe: Recipe
    is_again: bool = False
    has_modules: bool = False  # beside the file; then they are all that its folder holds

    @property
    def readable(self) -> tuple[Path, ...]:
        return (self.path.parent,) if self.has_modules else (self.path,)

    @property
    def preloaded(self) -> tuple[str, ...]:
        """What PyTorch imports when the meta device's first operator in Python is called."""
        calls_on_meta = not {"meta", "unknown"}.isdisjoint(self.recipe.elsewhere)
        return ("torch._dynamo",) if calls_on_meta else ()

    def prepare(self, run: Runner = call) -> Subject:
        module = run(partial(_executed, read_source(self.path), self.path))
        cls = class_of(module, self.name)
        return exercise_subject(cls, self.recipe, {(str(self.path), "")}, self.seed)


@dataclass(frozen=True)
class Audit(Task):
    """A class, function or module; the only class of the file if `name` is empty.

    Attributes:
        inputs: the function that gives the inputs, by default `example_input`, if there is one;
            what it would return; or what stands between the parentheses of a call. `module` is the
            module there.
    """

    is_graded: ClassVar[bool] = False

    inputs: str = ""
    patience: float = PATIENCE

    def prepare(self, run: Runner = call) -> Subject:
        """Run the file, find what to audit, and make the inputs."""
        module, target = self.loaded()
        inputs = self._inputs(module, target)
        _require_default_device()
        return audit_subject(target, inputs, self.seed)

    def loaded(self) -> tuple[ModuleType, Any]:
        """The file, run, and what to audit."""
        module = import_file(self.path, as_main=True)
        return module, self._target(module)

    def _target(self, module: ModuleType) -> Any:
        name = self.name or _only_module(module, self.path)
        target = vars(module).get(name)
        if target is None:
            raise LoadingError(f"{self.path} does not define {name}. {_there_are(module)}")
        if not callable(target):
            kind = type(target).__name__
            raise LoadingError(
                f"{self.path}: {name} is a {kind}. Name an nn.Module, or a function that makes one."
            )
        if not isinstance(target, nn.Module):
            self._require_no_arguments(name, target)
        return target

    def _require_no_arguments(self, name: str, make: Callable[..., Any]) -> None:
        needed = needed_arguments(make)
        if needed:
            listed = ", ".join(needed)
            given = ", ".join(f"{argument}=…" for argument in needed)
            raise LoadingError(
                f"{self.path}: {name} cannot be made without arguments ({listed}). Write a "
                f"function that makes one, and audit that:\n    def example_model():\n"
                f"        return {name}({given})\n"
                f"Then: grader audit {self.path}:example_model"
            )

    def _inputs(self, module: ModuleType, target: Any) -> Any:
        """The inputs, or None if the file has no function for them."""
        if self.inputs and not self.inputs.isidentifier():
            return self._called(self.inputs, partial(self._written, module, target))
        name = self.inputs or EXAMPLE_INPUT
        function = vars(module).get(name)
        if function is None and not self.inputs:
            return None
        if not callable(function):
            what = f"has no {name}" if function is None else f"has a {name} that is no function"
            raise LoadingError(
                f"{self.path} {what}. The inputs come from a function without arguments that "
                "returns a tuple of CPU tensors."
            )
        return self._called(name, function)

    def _written(self, module: ModuleType, target: Any) -> Any:
        made = target
        with suppress(Exception):  # the audit itself tells what a constructor raises
            made = target if isinstance(target, nn.Module) else target()
        names = {**vars(module), "torch": torch, "nn": nn, "module": made}
        try:
            returned = compile(self.inputs, "<inputs>", "eval")
        except SyntaxError:  # such as `x=torch.randn(2, 5)`, which is no value
            return written_inputs(self.inputs, names)
        return eval(returned, names)

    def _called(self, name: str, function: Callable[[], Any]) -> Any:
        told = f"{name}()" if name.isidentifier() else f"`{name}`"
        try:
            inputs = function()
        except Exception as error:
            raised = describe_exception(error, self.files)
            where = f" in line {raised.line}" if raised.line else ""
            raise LoadingError(
                f"{self.path}: the inputs, {told}, raised {raised.type}{where}: {raised.message}"
            ) from None
        if inputs is None:
            raise LoadingError(f"{self.path}: {name}() returned None. Does it lack a `return`?")
        return inputs


def _executed(source: str, path: Path) -> ModuleType:
    module = execute(source, path, as_main=True)
    _require_default_device()
    return module


def _require_default_device() -> None:
    if torch.get_default_device().type != "cpu":
        raise DefaultDeviceError


def _only_module(module: ModuleType, path: Path) -> str:
    """The one `nn.Module` that a file defines.

    Raises:
        LoadingError: it defines none, or several.
    """
    names = _modules_in(module)
    if len(names) == 1:
        return names[0]
    example = names[0] if names else "Net"
    raise LoadingError(
        f"{path}: which class? {_there_are(module)} Name one: grader audit {path}:{example}"
    )


def _modules_in(module: ModuleType) -> list[str]:
    """The names of the `nn.Module`s written in it, in their order; each once."""
    names: dict[type, str] = {}
    for name, value in vars(module).items():
        written_here = isinstance(value, type) and value.__module__ == module.__name__
        if written_here and issubclass(value, nn.Module):
            names.setdefault(value, name)
    return list(names.values())


def _there_are(module: ModuleType) -> str:
    names = _modules_in(module)
    return f"It defines {', '.join(names)}." if names else "It defines no nn.Module."
