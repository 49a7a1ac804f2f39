"""Variants of exercise 06: tensors that `forward` makes, some of them on the CPU.

Drawn are the story with its names, which tensors are made and in which order, which of them follow
the input already, the sizes and the constants. The last one is noise, as in exercise 06.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import fill

from grader.course.rubrics import load_rubric
from grader.course.templates.variant import Variant, for_learners
from grader.schema import Input, Rubric, layer

STEM = "06_noise_in_forward"


@dataclass(frozen=True)
class MadeTensor:
    """A tensor that `forward` makes: how, without a device and with one, and where it goes."""

    what: str
    wrong: str
    right: str
    used: str


@dataclass(frozen=True)
class ForwardStory:
    """Where a module comes from, in names and words."""

    class_name: str
    does: str
    sizes: tuple[str, str]
    layer: str
    noise: str


STORIES = (
    ForwardStory(
        "TrackSmoother", "smooths the tracks of animals", ("inputs", "width"), "mix", "wander"
    ),
    ForwardStory(
        "RainModel", "guesses tomorrow's rain", ("stations", "hidden"), "blend", "weather"
    ),
    ForwardStory("BeatFinder", "finds the beat of a song", ("bands", "states"), "listen", "jitter"),
    ForwardStory(
        "HandReader", "reads handwriting stroke by stroke", ("axes", "units"), "read", "tremor"
    ),
)
# `{c}` is a constant, `x` has the shape (batch, length, width).
MAKES = (
    MadeTensor(
        "positions along the sequence",
        "steps = torch.arange(x.shape[1])",
        "steps = torch.arange(x.shape[1], device=x.device)",
        "x = x + {c} * steps[:, None]",
    ),
    MadeTensor(
        "a mask that hides what comes later",
        "seen = torch.ones(x.shape[1], x.shape[1]).tril()",
        "seen = torch.ones(x.shape[1], x.shape[1], device=x.device).tril()",
        "x = {c} * (seen @ x)",
    ),
    MadeTensor(
        "a ramp that fades the beginning",
        "ramp = torch.linspace(0.1, 1.0, x.shape[1])",
        "ramp = torch.linspace(0.1, 1.0, x.shape[1], device=x.device)",
        "x = x * {c} * ramp[:, None]",
    ),
    MadeTensor(
        "an empty step before the first",
        "start = torch.zeros(x.shape[0], 1, x.shape[2])",
        "start = torch.zeros(x.shape[0], 1, x.shape[2], device=x.device)",
        "x = x - {c} * torch.cat([start, x[:, :-1]], dim=1)",
    ),
)
# None is symmetric: the sign of noise that is would show in nothing.
NOISE = (
    ("torch.rand(x.shape)", "torch.rand_like(x)", "{}"),
    ("torch.randn(x.shape)", "torch.randn_like(x)", "{}.square()"),
    ("torch.randn(x.shape)", "torch.randn_like(x)", "{}.abs()"),
)
ROWS = 2  # an output of 2 x 5 x 8 numbers is small enough for its noise to be measured
CONSTANTS = (0.25, 0.5, 0.75, 1.5)
TASK = '''"""Exercise 06, a variant: made where the model is.

{opening}

{made}

On the CPU it works. After `.cuda()` it does not.

Your task: make it work on any device, wherever the model and the batch are: the CPU, the first GPU
or the second. `forward` gives the same two outputs as now.

See what your copy can tell:  grader check {stem}.py
That is placement. Marks are given elsewhere: there, what `forward` gives and how it trains count
as well.
"""
'''
SOLUTION = '"""One good answer to a variant of exercise 06."""\n'
CLASS = '''
import torch
from torch import nn


class {class_name}(nn.Module):
    """{title}."""

    def __init__(self, {inputs}: int, {width}: int) -> None:
        super().__init__()
        self.{layer} = nn.Linear({inputs}, {width})

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Take a batch (batch, length, {inputs}); give it without noise, and with it."""
        x = self.{layer}(x)
{lines}
        return x, x + {c} * {noisy}
'''


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story, makes = rng.choice(STORIES), rng.sample(MAKES, rng.choice((2, 3)))
    right = rng.choice([None, *makes])  # one that follows the input already is a distractor
    constants = [rng.choice(CONSTANTS) for _ in makes]
    noise, noise_like, noisy = rng.choice(NOISE)
    inputs, width = story.sizes
    names = {
        "class_name": story.class_name,
        "title": story.does[0].upper() + story.does[1:],
        "inputs": inputs,
        "width": width,
        "layer": story.layer,
        "noisy": noisy.format(story.noise),
        "c": rng.choice(CONSTANTS),
    }

    def lines(*, solved: bool) -> str:
        found = []
        for made, constant in zip(makes, constants, strict=True):
            found.append(made.right if solved or made is right else made.wrong)
            found.append(made.used.format(c=constant))
        found.append(f"{story.noise} = {noise_like if solved else noise}")
        return "\n".join(f"        {line}" for line in found)

    sizes = (rng.randint(3, 5), rng.randint(6, 8))
    other = (sizes[0] + 1, sizes[1] + 2)
    return Variant(
        rubric=_rubric(story, sizes, rng.randint(3, 5)),
        learners=for_learners(_rubric(story, other, 4)),
        starter=_task(story, makes) + CLASS.format(**names, lines=lines(solved=False)),
        solution=SOLUTION + CLASS.format(**names, lines=lines(solved=True)),
    )


def _rubric(story: ForwardStory, sizes: tuple[int, int], length: int) -> Rubric:
    """That of exercise 06, for this module: as many points for the same checks."""
    course, (inputs, width) = load_rubric(STEM), story.sizes
    recipe = replace(
        course.recipe,
        arguments={inputs: sizes[0], width: sizes[1]},
        inputs=(Input((ROWS, length, sizes[0])),),
        other_arguments={inputs: sizes[0], width: sizes[1] + 1},
        later=(Input((ROWS, length + 3, sizes[0])),),
        learns_from="output[0]",
    )
    tensors = layer(story.layer, *sizes[::-1])
    return replace(
        course,
        class_name=story.class_name,
        recipe=recipe,
        tensors=tensors,
        random_outputs=("output[1]",),
        faults=(),
    )


def _task(story: ForwardStory, makes: Sequence[MadeTensor]) -> str:
    opening = f"`{story.class_name}` {story.does}. In each call `forward` makes tensors of its own:"
    made = [f"- {tensor.what};" for tensor in makes]
    return TASK.format(
        opening=fill(opening, 99), made="\n".join([*made, "- noise, new in each call."]), stem=STEM
    )
