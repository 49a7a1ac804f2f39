"""Variants of exercise 12: what `forward` makes and moves, for one kind of GPU alone."""

from __future__ import annotations

import random

from grader.course.templates.frame import Asked, DrawnLine, Frame
from grader.course.templates.in_forward import MAKES
from grader.course.templates.stories import CONSTANTS, STORIES
from grader.course.templates.variant import Variant
from grader.schema import Input, layer

FRAME = Frame(
    stem="12_any_accelerator",
    headline="written for one kind of GPU",
    opening="It takes batches on the CPU. In each call `forward` moves one to the model, and "
    "makes:",
    now="It was written for the one GPU of somebody's machine. There it works. It does not on the "
    "CPU of the same machine, on a second GPU, or on any other accelerator.",
    ask="let it work on whatever device it is moved to: the CPU, every GPU, and kinds of devices "
    "whose names the code does not know. Batches stay on the CPU, and the result is where the "
    "model is.",
    source='''

class {class_name}(nn.Module):
    """{title}."""

    def __init__(self, {inputs}: int, {width}: int) -> None:
        super().__init__()
        self.{layer} = nn.Linear({inputs}, {width})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take a batch (batch, length, {inputs}) on the CPU; return (batch, length, {width})."""
        {moved}
        x = self.{layer}(x)
        {lines}
        return x
''',
)
MOVED = "x = x.to(self.{layer}.weight.device)"
MOVED_WRONG = (
    "x = x.cuda() if torch.cuda.is_available() else x",
    "x = x.cuda() if self.{layer}.weight.is_cuda else x",
    'x = x.to("cuda" if torch.cuda.is_available() else "cpu")',
    'x = x.to("cuda:0")',
)
DEVICES_WRONG = ('"cuda" if x.is_cuda else "cpu"', '"cuda"', '"cuda:0"')


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story, makes = rng.choice(STORIES.forward), rng.sample(MAKES, rng.choice((2, 3)))
    lines = []
    for made in makes:
        lines.append(
            DrawnLine(made.right, made.right.replace("x.device", rng.choice(DEVICES_WRONG)))
        )
        used = made.used.format(c=rng.choice(CONSTANTS))
        lines.append(DrawnLine(used, used))
    size, width = rng.randint(3, 5), rng.randint(6, 8)

    def asked(more: int) -> Asked:
        built, name = (size + more, width + more), story.words["layer"]
        names = story.words["inputs"], story.words["width"]
        return Asked(
            layer(name, *built[::-1]),
            {
                "arguments": dict(zip(names, built, strict=True)),
                "inputs": (Input((2, 5, built[0])),),
                "other_arguments": dict(zip(names, (built[0], built[1] + 1), strict=True)),
                "later": (Input((2, 8, built[0])),),
            },
        )

    return FRAME.variant(
        story,
        [made.what for made in makes],
        asked,
        {"moved": [DrawnLine(MOVED, rng.choice(MOVED_WRONG))], "lines": lines},
    )
