"""Variants of exercise 04: which tensors are trained, which are kept, and which are right already.

Drawn are the story with its names, the number of tensors, their order, shapes and roles, the
constant and the activation in `forward`, and how each tensor is registered wrongly. `forward` is a
chain of steps on `x`, one for each tensor, so that no tensor can be left out unseen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import fill

from grader.course.rubrics import load_rubric
from grader.course.templates.variant import CHECKED_HERE, Variant, for_learners
from grader.schema import Expected, Input, Rubric

STEM = "04_parameter_or_buffer"


@dataclass(frozen=True)
class RolePart:
    """A tensor of a story: its name, its first value, its step in `forward`, what it is for."""

    name: str
    start: int
    operator: str
    what: str


@dataclass(frozen=True)
class RoleStory:
    """Where a module comes from, in names and words."""

    class_name: str
    does: str
    unit: str
    measured: tuple[RolePart, ...]
    learned: tuple[RolePart, ...]


STORIES = (
    RoleStory(
        "SensorCalibration",
        "turns the raw readings of a row of sensors into comparable numbers",
        "sensors",
        (
            RolePart("dark_level", 0, "-", "each sensor's reading in the dark"),
            RolePart("drift", 0, "-", "how far each sensor has wandered since it was made"),
            RolePart("spread", 1, "/", "how much each sensor's readings vary at rest"),
        ),
        (
            RolePart("gain", 1, "*", "how much each sensor counts"),
            RolePart("offset", 0, "+", "what is added for each sensor"),
        ),
    ),
    RoleStory(
        "PriceScaler",
        "brings the prices of many goods to one scale",
        "goods",
        (
            RolePart("usual_price", 0, "-", "what each good cost last year"),
            RolePart("volatility", 1, "/", "how much each price moved last year"),
            RolePart("tax", 0, "-", "what the state takes on each good"),
        ),
        (
            RolePart("importance", 1, "*", "how much each good counts"),
            RolePart("premium", 0, "+", "what buyers pay on top"),
        ),
    ),
    RoleStory(
        "VoiceLevel",
        "evens out the bands of a recorded voice",
        "bands",
        (
            RolePart("room_noise", 0, "-", "what the empty room gives in each band"),
            RolePart("loudness", 1, "/", "how loud each band is on average"),
            RolePart("hum", 0, "-", "what the power line adds to each band"),
        ),
        (
            RolePart("emphasis", 1, "*", "how much each band counts"),
            RolePart("lift", 0, "+", "what is added to each band"),
        ),
    ),
    RoleStory(
        "CropIndex",
        "compares the spectra of fields seen from the air",
        "channels",
        (
            RolePart("bare_soil", 0, "-", "what soil without plants reflects in each channel"),
            RolePart("sunlight", 1, "/", "how bright the sun was in each channel"),
            RolePart("haze", 0, "-", "what the air reflects in each channel"),
        ),
        (
            RolePart("contrast", 1, "*", "how much each channel counts"),
            RolePart("baseline", 0, "+", "what is added to each channel"),
        ),
    ),
)
ACTIVATIONS = ("torch.tanh(x)", "torch.sigmoid(x)", "nn.functional.softplus(x)", "torch.sin(x)")
CONSTANTS = (0.25, 0.5, 1.5, 3.0)
RIGHT = {
    "learned": "self.{name} = nn.Parameter({value})",
    "measured": 'self.register_buffer("{name}", {value})',
}
WRONG = {
    "learned": (
        'self.register_buffer("{name}", {value})',
        "self.{name} = {value}",
        "self.{name} = nn.Parameter({value}, requires_grad=False)",
    ),
    "measured": (
        "self.{name} = nn.Parameter({value})",
        "self.{name} = {value}",
        'self.register_buffer("{name}", {value}, persistent=False)',
    ),
}
TASK = (
    '''"""Exercise 04, a variant: what is trained, what is kept.

{opening}

{tensors}

{now}

Your task: change `__init__` so that each tensor is what is said of it above.

'''
    + CHECKED_HERE
)
SOLUTION = '"""One good answer to a variant of exercise 04."""\n'
CLASS = '''
import torch
from torch import nn


class {class_name}(nn.Module):
    """{title}."""

    def __init__(self, {unit}: int) -> None:
        super().__init__()
{registered}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and give a batch of shape ({batch_shape})."""
{steps}
        return x
'''
WORDS = {2: "two", 3: "three", 4: "four"}


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story = rng.choice(STORIES)
    parts = _parts(story, rng)
    # One that is right already is a distractor; two tensors leave no room for it.
    right = rng.choice(parts)[0] if len(parts) > 2 else None
    columns = rng.choice((0, 1))  # of length 1, for a batch that has a length as well
    size = story.unit + ", 1" * columns
    good, bad = [], []
    for part, role in parts:
        value = f"torch.{'ones' if part.start else 'zeros'}({size})"
        good.append(RIGHT[role].format(name=part.name, value=value))
        wrong = rng.choice(WRONG[role]).format(name=part.name, value=value)
        bad.append(good[-1] if part is right else wrong)
    names = {
        "class_name": story.class_name,
        "title": story.does[0].upper() + story.does[1:],
        "unit": story.unit,
        "steps": _indent(_steps([part for part, _ in parts], rng)),
        "batch_shape": f"batch, {story.unit}" + ", length" * columns,
    }
    count = rng.randint(4, 9)
    return Variant(
        rubric=_rubric(story, parts, count, columns),
        learners=for_learners(_rubric(story, parts, count + 2, columns)),
        starter=_task(story, parts, right, size) + CLASS.format(**names, registered=_indent(bad)),
        solution=SOLUTION + CLASS.format(**names, registered=_indent(good)),
    )


def _parts(story: RoleStory, rng: random.Random) -> list[tuple[RolePart, str]]:
    """Two to four tensors, each with its role, in the order of their steps."""
    measured = rng.sample(story.measured, rng.choice((1, 2)))
    learned = rng.sample(story.learned, rng.choice((1, 2)))
    parts = [(part, "measured") for part in measured] + [(part, "learned") for part in learned]
    rng.shuffle(parts)
    return parts


def _steps(parts: Sequence[RolePart], rng: random.Random) -> list[str]:
    """The lines of `forward`: one for each tensor, an activation and a constant between them."""
    steps = [f"x = x {part.operator} self.{part.name}" for part in parts]
    steps.insert(rng.randint(1, len(steps)), f"x = {rng.choice(ACTIVATIONS)}")
    steps.insert(rng.randint(1, len(steps)), f"x = x * {rng.choice(CONSTANTS)}")
    return steps


def _rubric(
    story: RoleStory, parts: Sequence[tuple[RolePart, str]], count: int, columns: int
) -> Rubric:
    """That of exercise 04, for these tensors: as many points for the same checks."""
    course = load_rubric(STEM)
    shape = (count,) + (1,) * columns
    batch = (8, story.unit) + (5,) * columns
    tensors = tuple(
        Expected(
            part.name,
            shape,
            "parameter" if role == "learned" else "constant",
            "it is learned by gradient descent" if role == "learned" else "it is measured",
            start=part.start,
        )
        for part, role in parts
    )
    recipe = replace(
        course.recipe,
        arguments={story.unit: count},
        inputs=(Input(batch),),
        other_arguments={story.unit: count + 1},
        filled=tuple(part.name for part, role in parts if role == "measured"),
    )
    return replace(course, class_name=story.class_name, recipe=recipe, tensors=tensors)


def _task(
    story: RoleStory, parts: Sequence[tuple[RolePart, str]], right: RolePart | None, size: str
) -> str:
    wrong = WORDS[len(parts) - (right is not None)].capitalize()
    rest = ", one is right already" if right else ""
    now = f"{wrong} of them are registered as something else now{rest}."
    shape = size if ", " in size else f"{size},"
    has = f"It has {WORDS[len(parts)]} tensors of shape `({shape})`:"
    opening = f"`{story.class_name}` {story.does}. {has}"
    return TASK.format(
        opening=fill(opening, 99),
        stem=STEM,
        tensors="\n".join(_described(part, role) for part, role in parts),
        now=fill(f"{now} `forward` is right as it stands, and so are names and first values.", 99),
    )


def _described(part: RolePart, role: str) -> str:
    first = f"- `{part.name}`, {'ones' if part.start else 'zeros'} at first, is"
    kept = "it is saved with the model, and no optimizer may change it"
    learned = f"{first} learned by gradient descent ({part.what});"
    measured = f"{first} measured elsewhere ({part.what}): {kept};"
    return fill(learned if role == "learned" else measured, 99, subsequent_indent="  ")


def _indent(lines: Sequence[str]) -> str:
    return "\n".join(f"        {line}" for line in lines)
