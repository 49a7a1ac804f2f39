"""Variants of exercise 08: Parameters that are moved or changed after they were wrapped."""

from __future__ import annotations

import random

from grader.course.templates.frame import Asked, DrawnLine, Frame, one_right
from grader.course.templates.stories import ACTIVATIONS, CONSTANTS, STORIES
from grader.course.templates.variant import Variant
from grader.schema import Expected, Input

FRAME = Frame(
    stem="08_leaf_tensors",
    copy_is_thorough=True,
    headline="built on a device, and trained there",
    opening="It learns, for each of the {unit}:",
    now='Built without `device`, all is well. Built with `device="cuda"` it runs, and `backward` '
    "runs too, but not all of these change in training. One may be right already.",
    ask="change `__init__` so that all of them are Parameters wherever they are built. Without "
    "`device` they are made on PyTorch's default device, as in its own layers. `forward` is right "
    "as it stands, and so are names and first values.",
    source='''

class {class_name}(nn.Module):
    """{title}."""

    def __init__(self, {unit}: int, device: torch.device | str | None = None) -> None:
        super().__init__()
        {made}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and return a batch of shape (batch, {unit})."""
        {steps}
        return x
''',
)
RIGHT = "self.{name} = nn.Parameter({call}, device=device))"
# Each is a Parameter on the CPU, and what `.to` returns elsewhere is none.
WRONG = (
    "self.{name} = nn.Parameter({call})).to(device)",
    "self.{name} = nn.Parameter({call})).to(device=device)",
    "self.{name} = nn.Parameter({call})).to(device, non_blocking=True)",
    "self.{name} = nn.Parameter({call})).to(device).requires_grad_()",
)


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story = rng.choice(STORIES.steps)
    parts = rng.sample(story.learned, rng.choice((2, 3)))
    lines = []
    for part in parts:
        call = f"torch.{part.fill}({story.words['unit']}"
        wrong = rng.choice(WRONG).format(name=part.name, call=call)
        lines.append(DrawnLine(RIGHT.format(name=part.name, call=call), wrong))
    lines[1:] = one_right(lines[1:], rng)
    steps = [part.step for part in parts]
    steps.insert(rng.randint(1, len(steps)), f"x = {rng.choice(ACTIVATIONS)}")
    steps.insert(rng.randint(1, len(steps)), f"x = {rng.choice(CONSTANTS)} * x")
    count = rng.randint(3, 6)

    def asked(more: int) -> Asked:
        size = count + more
        tensors = [
            Expected(part.name, (size,), "parameter", "it is learned", start=part.start)
            for part in parts
        ]
        unit = story.words["unit"]
        return Asked(
            tuple(tensors),
            {
                "arguments": {unit: size},
                "inputs": (Input((5, unit)),),
                "other_arguments": {unit: size + 1},
            },
        )

    return FRAME.variant(
        story,
        [f"`{part.name}`, {part.what}, {part.fill} at first" for part in parts],
        asked,
        {"made": rng.sample(lines, len(lines))},
        steps="\n".join(steps),
    )
