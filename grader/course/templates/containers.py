"""Variants of exercise 05: layers and Parameters in containers, some of them Python's own.

Distractors: a container that is a module already, and a list of numbers, which are no tensors. No
two entries can change places unseen, since each is applied to the result of the one before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.course.templates.frame import Asked, DrawnLine, Frame
from grader.course.templates.stories import CONSTANTS, STORIES, ContainerStory
from grader.course.templates.variant import Variant
from grader.schema import Expected, Input, layer

FRAME = Frame(
    stem="05_module_containers",
    headline="which containers a module looks into",
    opening="Besides its first layer it has:",
    now="On the CPU it gives the right numbers. But `.cuda()` leaves layers and Parameters behind, "
    "no optimizer trains them, and no checkpoint holds them.",
    ask="change `__init__` so that the module knows all its layers and Parameters. `forward` is "
    "right as it stands, and so are names, sizes and first values. In a checkpoint, the name of a "
    "layer or vector begins with its container's name and its index or key.",
    source='''

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
        return {key: head(x) for key, head in self.{heads}.items()}
''',
)
ROLES = {
    "inputs": "int",
    "width": "int",
    "count": "int",
    "keys": "list[str]",
    "tasks": "dict[str, int]",
}
ACTIVATIONS = ("torch.tanh", "torch.sin", "torch.sigmoid")
BATCH = 5
TASKS = ("early", "late", "usual", "best")
Sizes = dict[str, Any]  # by role, what the constructor is given


@dataclass(frozen=True)
class Kind:
    """A container that is a module, what it holds, and how `forward` applies an entry.

    Attributes:
        entry: as the container takes it: of a tensor, it makes a Parameter itself.
        over: what the entries are made for.
        start: the first value of its Parameters; None if it holds layers.
    """

    container: str
    entry: str
    over: str
    step: str
    holds: str
    start: float | None = None

    @property
    def named(self) -> bool:
        """Whether its entries have names, as in a dict, or numbers, as in a list."""
        return self.container.endswith("Dict")


# `{act}` is an activation, `{c}` a number, `{element}` an entry; the rest are the story's words.
KINDS = {
    "layers": Kind(
        "nn.ModuleList",
        "nn.Linear({width}, {width})",
        "_ in range({count})",
        "x = x + {c} * {act}({element}(x))",
        "`{count}` layers, one after another",
    ),
    "named layers": Kind(
        "nn.ModuleDict",
        "nn.Linear({width}, {width})",
        "key in {keys}",
        "x = x - {c} * {act}({element}(x))",
        "a layer for each of `{keys}`",
    ),
    "gains": Kind(
        "nn.ParameterList",
        "torch.ones({width})",
        "_ in range({count})",
        "x = x + {c} * {act}(x * {element})",
        "`{count}` vectors that are trained, ones at first",
        start=1,
    ),
    "named shifts": Kind(
        "nn.ParameterDict",
        "torch.zeros({width})",
        "key in {keys}",
        "x = x - {c} * {act}(x + {element})",
        "a vector that is trained for each of `{keys}`, zeros at first",
        start=0,
    ),
}
HEADS = Kind(
    "nn.ModuleDict",
    "nn.Linear({width}, size)",
    "key, size in {tasks}.items()",
    "",  # the last line of `forward`
    "a layer for each output, named and sized as in `{tasks}`",
)


@dataclass(frozen=True)
class Container:
    """One that was drawn, with its name and that of an entry."""

    kind: Kind
    name: str
    element: str

    def made(self, *, as_tuple: bool) -> DrawnLine:
        """The line of `__init__`; wrong, it is a container of Python's own."""
        kind = self.kind
        right, wrong = (
            f"{'key: ' * kind.named}{entry} for {kind.over}"
            for entry in (kind.entry, f"nn.Parameter({kind.entry})")
        )
        plain = right if kind.start is None else wrong
        literal = f"{{{plain}}}" if kind.named else f"[{plain}]"
        if as_tuple and not kind.named:
            literal = f"tuple({plain})"
        entries = f"{{{right}}}" if kind.named else f"[{right}]"
        made = f"self.{self.name} = "
        return DrawnLine(f"{made}{kind.container}({entries})", made + literal)

    def step(self, rng: random.Random) -> str:
        """Its loop in `forward`."""
        values = ".values()" if self.kind.named else ""
        act, c = rng.choice(ACTIVATIONS), rng.choice(CONSTANTS)
        step = self.kind.step.format(element=self.element, act=act, c=c)
        return f"for {self.element} in self.{self.name}{values}:\n    {step}"

    def tensors(self, sizes: Sizes) -> Iterator[Expected]:
        """What it registers: by the entry's key, else by its index."""
        width = sizes["width"]
        if self.kind is HEADS:
            entries = sizes["tasks"]
        else:
            over = sizes["keys"] if self.kind.named else range(sizes["count"])
            entries = dict.fromkeys(over, width)
        for key, rows in entries.items():
            name = f"{self.name}.{key}"
            if self.kind.start is None:
                yield from layer(name, rows, width)
            else:
                yield Expected(name, (width,), "parameter", start=self.kind.start)


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story = rng.choice(STORIES.containers)
    words = story.words
    kinds = rng.sample(sorted(KINDS), rng.choice((2, 3)))  # and the heads
    containers = [Container(KINDS[kind], *story.names[kind]) for kind in kinds]
    containers.append(Container(HEADS, words["heads"], "head"))
    lines = [container.made(as_tuple=rng.random() < 0.5) for container in containers]
    right = rng.choice([None, *range(len(lines))])  # one may be right already
    if right is not None:
        lines[right] = lines[right].as_right
    sizes = _sizes(story, containers, rng)
    steps = [container.step(rng) for container in containers[:-1]]
    scaled = "for {number} in self.{numbers}:\n    x = torch.sin({number} * x)"
    steps.insert(rng.randint(0, len(steps)), scaled)

    def asked(more: int) -> Asked:
        built = _other(story, sizes, more) if more else sizes
        first = layer(words["first"], built["width"], built["inputs"])
        tensors = (expected for each in containers for expected in each.tensors(built))
        return Asked(
            (*first, *tensors),
            {
                "arguments": {words[role]: size for role, size in built.items()},
                "inputs": (Input((BATCH, built["inputs"])),),
                "other_arguments": {
                    words[role]: size for role, size in _other(story, built, 1).items()
                },
            },
        )

    return FRAME.variant(
        story,
        [
            *(f"`{container.name}`: {container.kind.holds}" for container in containers),
            "`{numbers}`: numbers that are neither trained nor saved",
        ],
        asked,
        {"made": lines},
        arguments=", ".join(f"{words[role]}: {ROLES[role]}" for role in sizes),
        values=str(tuple(rng.sample(CONSTANTS, 2))),
        steps="\n".join(steps),
    )


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
