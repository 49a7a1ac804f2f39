"""Variants of exercise 10: what a module gathers in training, and a checkpoint forgets."""

from __future__ import annotations

import random
from dataclasses import dataclass

from grader.course.templates.frame import Asked, DrawnLine, Frame
from grader.course.templates.stories import STORIES
from grader.course.templates.variant import Variant
from grader.schema import Expected, Input

FRAME = Frame(
    stem="10_checkpoints",
    headline="gathered, and forgotten",
    opening="In training mode it gathers, batch by batch:",
    now="It works on every device. But load its checkpoint into a new one, and that does not give "
    "what the first one gave. Some of these may be right already.",
    ask="let a checkpoint hold all that it has gathered, under the names above, and no others. "
    "`{count}` is an integer of 32 or 64 bits. `update` and `forward` may change where they have "
    "to; what they compute may not.",
    source='''

class {class_name}(nn.Module):
    """{title}."""

    def __init__(self, {unit}: int) -> None:
        super().__init__()
        {registered}

    def update(self, x: torch.Tensor) -> None:
        """Gather from one more batch."""
        self.{count} += 1
        {updates}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and return a batch of shape (batch, {unit})."""
        if self.training:
            self.update(x.detach())
        if self.{count} != 0:
            {steps}
        return {activation}(x)
''',
)


@dataclass(frozen=True)
class Gathered:
    """A statistic: what it begins with, how a batch changes it, and its step in `forward`."""

    name: str
    what: str
    start: str
    update: str
    step: str


GATHERED = (
    Gathered(
        "mean",
        "the mean of all batches' means",
        "zeros",
        "self.mean += (x.mean(dim=0) - self.mean) / self.{count}",
        "x = x - self.mean",
    ),
    Gathered(
        "variance",
        "the mean of all batches' variances",
        "ones",
        "self.variance += (x.var(dim=0) - self.variance) / self.{count}",
        "x = x / self.variance.sqrt()",
    ),
    Gathered(
        "largest",
        "the largest magnitude so far",
        "zeros",
        "self.largest = self.largest.maximum(x.abs().amax(dim=0))",
        "x = x / (1 + self.largest)",
    ),
    Gathered(
        "trend",
        "the means of late batches more than those of early ones",
        "zeros",
        "self.trend += {c} * (x.mean(dim=0) - self.trend)",
        "x = x - {c} * self.trend",
    ),
)
WORKS = 'self.register_buffer("{name}", torch.{start}({unit}))'
LOST = 'self.register_buffer("{name}", torch.{start}({unit}), persistent=False)'
COUNT_WORKS = 'self.register_buffer("{count}", torch.tensor(0))'
COUNTS_LOST = (
    "self.{count} = 0",
    'self.register_buffer("{count}", torch.tensor(0), persistent=False)',
)
CONSTANTS = (0.1, 0.2, 0.25, 0.5)
ACTIVATIONS = ("torch.tanh", "torch.sin", "torch.sigmoid", "nn.functional.softplus")


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, statistics and faults."""
    story = rng.choice(STORIES.gathered)
    # One at least divides by the count: what only asks whether it is 0 may count down as well.
    first = rng.choice(GATHERED[:2])
    others = [each for each in GATHERED if each is not first]
    gathered = [first, *rng.sample(others, rng.choice((1, 2)))]
    rng.shuffle(gathered)
    unit, count = story.words["unit"], story.words["count"]
    lines = [DrawnLine(COUNT_WORKS, rng.choice(COUNTS_LOST))]
    for each in gathered:
        words = {"unit": unit, **vars(each)}
        lines.append(DrawnLine(WORKS.format(**words), LOST.format(**words)))
    rng.shuffle(lines)
    lines[1:] = [rng.choice((line, line.as_right)) for line in lines[1:]]
    size = rng.randint(3, 6)

    def asked(more: int) -> Asked:
        why = "it is gathered from the data, not trained"
        tensors = [Expected(each.name, (size + more,), "constant", why) for each in gathered]
        return Asked(
            (*tensors, Expected(count, (), "saved", why, dtypes=("int64", "int32"))),
            {
                "arguments": {unit: size + more},
                "inputs": (Input((6, unit)),),
                "other_arguments": {unit: size + more + 1},
                "filled": tuple(each.name for each in gathered),
            },
        )

    return FRAME.variant(
        story,
        [
            f"`{count}`, the number of batches",
            *(f"`{each.name}`, {each.what}" for each in gathered),
        ],
        asked,
        {"registered": rng.sample(lines, len(lines))},
        updates="\n".join(each.update for each in gathered),
        steps="\n".join(each.step for each in gathered),
        c=str(rng.choice(CONSTANTS)),
        activation=rng.choice(ACTIVATIONS),
    )
