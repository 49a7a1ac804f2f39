"""Variants of exercise 05: layers and Parameters in containers, some of them Python's own.

Drawn are the story with its names, which containers there are and in which order, the sizes, the
constants and the activations. Distractors: a container that is a module already, and a list of
numbers, which are no tensors. No two entries of a container can change places unseen, since each
is applied to the result of the one before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import fill, indent
from typing import Any

from grader.course.rubrics import load_rubric
from grader.course.templates.container_stories import (
    HEADS,
    KINDS,
    STORIES,
    ContainerStory,
    Kind,
)
from grader.course.templates.variant import CHECKED_HERE, Variant, for_learners
from grader.schema import Expected, Input, Rubric, layer

STEM = "05_module_containers"


ROLES = {
    "inputs": "int",
    "width": "int",
    "count": "int",
    "keys": "list[str]",
    "tasks": "dict[str, int]",
}
ACTIVATIONS = ("torch.tanh", "torch.sin", "torch.sigmoid")
CONSTANTS = (0.25, 0.5, 0.75, 1.5)
BATCH = 5
TASKS = ("early", "late", "usual", "best")
TASK = (
    '''"""Exercise 05, a variant: which containers a module looks into.

{opening}

{containers}
- `{numbers}`: numbers that are neither trained nor saved.

On the CPU it gives the right numbers. But `.cuda()` leaves layers and Parameters behind, no
optimizer trains them, and no checkpoint holds them.

Your task: change `__init__` so that the module knows all its layers and Parameters. `forward` is
right as it stands, and so are names, sizes and first values. In a checkpoint, the name of a layer
or vector begins with its container's name and its index or key.

'''
    + CHECKED_HERE
)
SOLUTION = '"""One good answer to a variant of exercise 05."""\n'
CLASS = '''
import torch
from torch import nn


class {class_name}(nn.Module):
    """{title}."""

    {numbers} = {values}

    def __init__(
        self, {arguments}
    ) -> None:
        super().__init__()
        self.{first} = nn.Linear({inputs}, {width})
{made}

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        """Take a batch of shape (batch, {inputs}); give each of `{tasks}` by its name."""
        x = self.{first}(x)
{steps}
        return {{key: head(x) for key, head in self.{heads}.items()}}
'''
Sizes = dict[str, Any]  # by role, what the constructor is given


@dataclass(frozen=True)
class Container:
    """One that was drawn, with its name and how it is made wrongly; "" if it is not."""

    kind: Kind
    name: str
    element: str
    wrong: str

    def constructor_line(self, words: dict[str, str], *, solved: bool) -> str:
        """The line of `__init__`."""
        kind, wrong = self.kind, bool(self.wrong) and not solved
        entry = f"nn.Parameter({kind.entry})" if wrong and kind.start is not None else kind.entry
        entries = f"{'key: ' * kind.named}{entry} for {kind.over}".format(**words)
        value = f"{{{entries}}}" if kind.named else f"[{entries}]"
        if not wrong:
            value = f"{kind.container}({value})"
        elif self.wrong == "tuple" and not kind.named:
            value = f"tuple({entries})"
        return f"self.{self.name} = {value}"

    def tensors(self, sizes: Sizes) -> Iterator[Expected]:
        """What it registers: by the entry's key, else by its index."""
        width = sizes["width"]
        if self.kind is HEADS:
            entries = sizes["tasks"]
        else:
            entries = dict.fromkeys(
                sizes["keys"] if self.kind.named else range(sizes["count"]), width
            )
        for key, rows in entries.items():
            name = f"{self.name}.{key}"
            if self.kind.start is None:
                yield from layer(name, rows, width)
            else:
                yield Expected(name, (width,), "parameter", start=self.kind.start)


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story = rng.choice(STORIES)
    containers = _containers(story, rng)
    sizes = _sizes(story, containers, rng)
    steps = [_loop(container, rng) for container in containers[:-1]]
    numbers, number = story.numbers
    scaled = f"for {number} in self.{numbers}:\n    x = torch.sin({number} * x)"
    steps.insert(rng.randint(0, len(steps)), scaled)
    values = tuple(rng.sample(CONSTANTS, 2))
    words = dict(zip(ROLES, story.arguments, strict=True))

    def code(*, solved: bool) -> str:
        lines = [container.constructor_line(words, solved=solved) for container in containers]
        return CLASS.format(
            class_name=story.class_name,
            title=story.does[0].upper() + story.does[1:],
            arguments=", ".join(f"{words[role]}: {ROLES[role]}" for role in sizes),
            numbers=numbers,
            values=values,
            first=story.first,
            made=indent("\n".join(lines), " " * 8),
            steps=indent("\n".join(steps), " " * 8),
            heads=story.heads,
            **words,
        )

    return Variant(
        rubric=_rubric(story, containers, sizes),
        learners=for_learners(_rubric(story, containers, _other(story, sizes, more=2))),
        starter=_task(story, containers, words) + code(solved=False),
        solution=SOLUTION + code(solved=True),
    )


def _containers(story: ContainerStory, rng: random.Random) -> list[Container]:
    """Two or three, and the heads; one of them may be right already."""
    kinds = rng.sample(sorted(KINDS), rng.choice((2, 3)))
    drawn = [(KINDS[kind], *story.containers[kind]) for kind in kinds]
    drawn.append((HEADS, story.heads, "head"))
    right = rng.choice([None, *drawn])
    return [
        Container(
            *parts,
            wrong="" if parts is right else rng.choice(("literal", "tuple")),
        )
        for parts in drawn
    ]


def _loop(container: Container, rng: random.Random) -> str:
    values = ".values()" if container.kind.named else ""
    step = container.kind.step.format(
        element=container.element, act=rng.choice(ACTIVATIONS), c=rng.choice(CONSTANTS)
    )
    return f"for {container.element} in self.{container.name}{values}:\n    {step}"


def _sizes(story: ContainerStory, containers: Sequence[Container], rng: random.Random) -> Sizes:
    """What the constructor is given: no more than its containers need."""
    # A width that equals the inputs or the count would let one be taken for the other.
    sizes: Sizes = {"inputs": rng.randint(3, 5), "width": rng.choice((6, 7))}
    if any(not container.kind.named for container in containers):
        sizes["count"] = rng.choice((2, 3))
    if any(container.kind.named for container in containers[:-1]):
        # An `nn.ParameterDict` sorts the keys of a dict, which shall change nothing.
        sizes["keys"] = sorted(rng.sample(story.keys, 2))
    return {**sizes, "tasks": {name: rng.randint(1, 2) for name in rng.sample(TASKS, 2)}}


def _other(story: ContainerStory, sizes: Sizes, more: int) -> Sizes:
    other: Sizes = {
        "width": sizes["width"] + more,
        "count": sizes.get("count", 0) + 1,
        "keys": [key for key in story.keys if key not in sizes.get("keys", ())],
        "tasks": {name: more for name in TASKS if name not in sizes["tasks"]},
    }
    return {role: other.get(role, size) for role, size in sizes.items()}


def _rubric(story: ContainerStory, containers: Sequence[Container], sizes: Sizes) -> Rubric:
    """That of exercise 05, for this module: as many points for the same checks."""
    course = load_rubric(STEM)
    words = dict(zip(ROLES, story.arguments, strict=True))
    first = [("weight", (sizes["width"], sizes["inputs"])), ("bias", (sizes["width"],))]
    tensors = [Expected(f"{story.first}.{name}", shape, "parameter") for name, shape in first]
    for container in containers:
        tensors += container.tensors(sizes)
    recipe = replace(
        course.recipe,
        arguments={words[role]: size for role, size in sizes.items()},
        inputs=(Input((BATCH, sizes["inputs"])),),
        other_arguments={words[role]: size for role, size in _other(story, sizes, 1).items()},
    )
    return replace(
        course,
        class_name=story.class_name,
        recipe=recipe,
        tensors=tuple(tensors),
        names_matter=True,
        faults=(),
    )


def _task(story: ContainerStory, containers: Sequence[Container], words: dict[str, str]) -> str:
    held = [
        f"- `{container.name}`: {container.kind.holds.format(**words)};" for container in containers
    ]
    opening = f"`{story.class_name}` {story.does}. Besides its first layer it has:"
    return TASK.format(
        opening=fill(opening, 99),
        containers="\n".join(held),
        numbers=story.numbers[0],
        stem=STEM,
    )
