"""Variants of exercise 04: which tensors are trained, which are kept, and which are right already.

`forward` is a chain of steps on `x`, one for each tensor, so that none can be left out unseen.
"""

from __future__ import annotations

import random
from typing import Literal

from grader.course.templates.frame import Asked, DrawnLine, Frame
from grader.course.templates.stories import ACTIVATIONS, CONSTANTS, STORIES
from grader.course.templates.variant import Variant
from grader.schema import Expected, Input

FRAME = Frame(
    stem="04_parameter_or_buffer",
    headline="what is trained, what is kept",
    opening="It has {count} tensors of shape `({shape})`:",
    now="{wrong} of them are registered as something else now{rest}. `forward` is right as it "
    "stands, and so are names and first values.",
    ask="change `__init__` so that each tensor is what is said of it above.",
    source='''

class {class_name}(nn.Module):
    """{title}."""

    def __init__(self, {unit}: int) -> None:
        super().__init__()
        {registered}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and give a batch of shape (batch, {unit}{length})."""
        {steps}
        return x
''',
)
RIGHT = {
    "learned": "self.{} = nn.Parameter({})",
    "measured": 'self.register_buffer("{}", {})',
}
WRONG = {
    "learned": (
        'self.register_buffer("{}", {})',
        "self.{} = {}",
        "self.{} = nn.Parameter({}, requires_grad=False)",
    ),
    "measured": (
        "self.{} = nn.Parameter({})",
        "self.{} = {}",
        'self.register_buffer("{}", {}, persistent=False)',
    ),
}
KEPT = "it is saved with the model, and no optimizer may change it"
SAID = {
    "learned": "`{}`, {} at first, is learned by gradient descent ({})",
    "measured": f"`{{}}`, {{}} at first, is measured elsewhere ({{}}): {KEPT}",
}
EXPECTED: dict[str, tuple[Literal["parameter", "constant"], str]] = {
    "learned": ("parameter", "it is learned by gradient descent"),
    "measured": ("constant", "it is measured"),
}
WORDS = ("none", "one", "two", "three", "four")


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story = rng.choice(STORIES.steps)
    roles = {"measured": story.measured, "learned": story.learned}
    parts = [(p, role) for role in roles for p in rng.sample(roles[role], rng.choice((1, 2)))]
    rng.shuffle(parts)
    columns = rng.choice((0, 1))  # of length 1, for a batch that has a length as well
    lines = []
    for part, role in parts:
        gaps = part.name, f"torch.{part.fill}({{unit}}{', 1' * columns})"
        lines.append(DrawnLine(RIGHT[role].format(*gaps), rng.choice(WRONG[role]).format(*gaps)))
    # One that is right already is a distractor; two tensors leave no room for it.
    has_right = len(parts) > 2
    if has_right:
        right = rng.randrange(len(parts))
        lines[right] = lines[right].as_right
    steps = [part.step for part, _ in parts]
    steps.insert(rng.randint(1, len(steps)), f"x = {rng.choice(ACTIVATIONS)}")
    steps.insert(rng.randint(1, len(steps)), f"x = x * {rng.choice(CONSTANTS)}")
    size, unit = rng.randint(4, 9), story.words["unit"]

    def asked(more: int) -> Asked:
        shape = (size + more,) + (1,) * columns
        tensors = [Expected(p.name, shape, *EXPECTED[r], start=p.start) for p, r in parts]
        return Asked(
            tuple(tensors),
            {
                "arguments": {unit: size + more},
                "inputs": (Input((8, unit) + (5,) * columns),),
                "other_arguments": {unit: size + more + 1},
                "filled": tuple(part.name for part, role in parts if role == "measured"),
            },
        )

    return FRAME.variant(
        story,
        [SAID[role].format(part.name, part.fill, part.what) for part, role in parts],
        asked,
        {"registered": lines},
        count=WORDS[len(parts)],
        shape=unit + (", 1" if columns else ","),
        wrong=WORDS[len(parts) - has_right].capitalize(),
        rest=", one is right already" if has_right else "",
        steps="\n".join(steps),
        length=", length" * columns,
    )
