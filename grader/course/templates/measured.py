"""Variants of exercise 03: measured tensors that must move along and be saved, not be trained."""

from __future__ import annotations

import random

from grader.course.templates.frame import Asked, DrawnLine, Frame, one_right
from grader.course.templates.stories import ACTIVATIONS, CONSTANTS, STORIES
from grader.course.templates.variant import Variant
from grader.schema import Expected, Input

FRAME = Frame(
    stem="03_member_tensors",
    headline="measured elsewhere, used here",
    opening="Its constructor takes what was measured, a number for each of the {unit}:",
    now="On the CPU it works. After `.cuda()` it does not, or a checkpoint forgets what was "
    "measured, or an optimizer changes it. One may be right already.",
    ask="change `__init__` so that each of them moves with the module, is saved in its "
    "`state_dict()` under the name of its argument, and is never trained. `forward` is right as "
    "it stands.",
    source='''

class {class_name}(nn.Module):
    """{title}."""

    def __init__(
        self,
        {arguments}
    ) -> None:
        super().__init__()
        {registered}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and return a batch of shape (batch, {unit})."""
        {steps}
        return x
''',
)
RIGHT = 'self.register_buffer("{}", torch.tensor({}))'
# The first is the exercise's own fault, and is always drawn.
WRONG = (
    "self.{} = torch.tensor({})",
    'self.register_buffer("{}", torch.tensor({}), persistent=False)',
    "self.{} = nn.Parameter(torch.tensor({}))",
)
VALUES = (0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 2.5, 3.0, 3.5)


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story = rng.choice(STORIES.steps)
    parts = rng.sample(story.measured, rng.choice((2, 3)))
    names = [part.name for part in parts]
    faults = [WRONG[0], *rng.choices(WRONG, k=len(parts) - 1)]
    lines = [
        DrawnLine(RIGHT.format(name, name), fault.format(name, name))
        for name, fault in zip(names, faults, strict=True)
    ]
    lines[1:] = one_right(lines[1:], rng)
    count = rng.randint(3, 6)
    values = {name: rng.sample(VALUES, count) for name in names}
    steps = [part.step for part in parts]
    steps.insert(rng.randint(1, len(steps)), f"x = {rng.choice(ACTIVATIONS)}")
    steps.insert(rng.randint(1, len(steps)), f"x = {rng.choice(CONSTANTS)} * x")

    def asked(more: int) -> Asked:
        tensors = [
            Expected(name, None, "constant", "it is measured, not trained") for name in names
        ]
        arguments = {name: [*given, *VALUES[:more]] for name, given in values.items()}
        return Asked(
            tuple(tensors),
            {
                "arguments": arguments,
                "inputs": (Input((6, count + more)),),
                "filled": tuple(names),
                "other_arguments": {name: given[::-1] for name, given in arguments.items()},
            },
        )

    return FRAME.variant(
        story,
        [f"`{part.name}`, {part.what}" for part in parts],
        asked,
        {"registered": rng.sample(lines, len(lines))},
        arguments="\n".join(f"{name}: list[float]," for name in rng.sample(names, len(names))),
        steps="\n".join(steps),
    )
