"""What variants are about: `stories.toml`, a table for each kind of module."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import msgspec


@dataclass(frozen=True)
class Story:
    """Where a module comes from: its class, what it does, and the words for a template's gaps."""

    class_name: str
    does: str
    words: dict[str, str]


@dataclass(frozen=True)
class TensorStep:
    """A tensor, with its place in `forward`.

    Attributes:
        operator: what joins `x` and it. Divided by, it must not be 0.
    """

    name: str
    operator: str
    what: str

    @property
    def step(self) -> str:
        return f"x = x {self.operator} self.{self.name}"

    @property
    def start(self) -> int:
        """The value that leaves `x` as it is."""
        return 1 if self.operator in "*/" else 0

    @property
    def fill(self) -> str:
        """The function of PyTorch's that makes it."""
        return "ones" if self.start else "zeros"


@dataclass(frozen=True)
class StepStory(Story):
    """Tensors that were measured, and tensors that are learned."""

    measured: tuple[TensorStep, ...]
    learned: tuple[TensorStep, ...]


@dataclass(frozen=True)
class ContainerStory(Story):
    """Containers by their kind: the name of each, and that of an entry."""

    keys: tuple[str, ...]
    names: dict[str, tuple[str, str]]


@dataclass(frozen=True)
class BatchStory(Story):
    """A batch of two views and a target."""

    targets: Literal["integers", "booleans"]
    views: tuple[str, ...]


class Stories(msgspec.Struct, frozen=True):
    """All of them, by the kind of module."""

    steps: tuple[StepStory, ...]
    containers: tuple[ContainerStory, ...]
    forward: tuple[Story, ...]
    gathered: tuple[Story, ...]
    batches: tuple[BatchStory, ...]


STORIES = msgspec.toml.decode(
    files(__package__).joinpath("stories.toml").read_bytes(), type=Stories
)
ACTIVATIONS = ("torch.tanh(x)", "torch.sigmoid(x)", "nn.functional.softplus(x)", "torch.sin(x)")
CONSTANTS = (0.25, 0.5, 0.75, 1.5)
