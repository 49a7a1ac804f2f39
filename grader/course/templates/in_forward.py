"""Variants of exercise 06: tensors that `forward` makes, some on the CPU; noise comes last."""

from __future__ import annotations

import random
from dataclasses import dataclass

from grader.course.templates.frame import Asked, DrawnLine, Frame, one_right
from grader.course.templates.stories import CONSTANTS, STORIES
from grader.course.templates.variant import Variant
from grader.schema import Input, layer

FRAME = Frame(
    stem="06_noise_in_forward",
    headline="made where the model is",
    opening="In each call `forward` makes tensors of its own:",
    now="On the CPU it works. After `.cuda()` it does not.",
    ask="make it work on any device, wherever the model and the batch are: the CPU, the first GPU "
    "or the second. `forward` gives the same two outputs as now.",
    source='''

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
''',
)


@dataclass(frozen=True)
class MadeTensor:
    """A tensor that `forward` makes: how, without a device and with one, and where it goes."""

    what: str
    wrong: str
    right: str
    used: str


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
    ("torch.rand(x.shape)", "torch.rand_like(x)", "{noise}"),
    ("torch.randn(x.shape)", "torch.randn_like(x)", "{noise}.square()"),
    ("torch.randn(x.shape)", "torch.randn_like(x)", "{noise}.abs()"),
)
ROWS = 2  # an output of 2 x 5 x 8 numbers is small enough for its noise to be measured


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, numbers and faults."""
    story, makes = rng.choice(STORIES.forward), rng.sample(MAKES, rng.choice((2, 3)))
    lines = []
    makings = one_right([DrawnLine(made.right, made.wrong) for made in makes], rng)
    for made, line in zip(makes, makings, strict=True):
        used = made.used.format(c=rng.choice(CONSTANTS))
        lines += [line, DrawnLine(used, used)]
    noise, noise_like, noisy = rng.choice(NOISE)
    lines.append(DrawnLine(f"{{noise}} = {noise_like}", f"{{noise}} = {noise}"))
    size, width, length = rng.randint(3, 5), rng.randint(6, 8), rng.randint(3, 5)

    def asked(more: int) -> Asked:
        inputs, hidden = story.words["inputs"], story.words["width"]
        built = size + more // 2, width + more
        return Asked(
            layer(story.words["layer"], *built[::-1]),
            {
                "arguments": {inputs: built[0], hidden: built[1]},
                "inputs": (Input((ROWS, length, built[0])),),
                "other_arguments": {inputs: built[0], hidden: built[1] + 1},
                "later": (Input((ROWS, length + 3, built[0])),),
                "learns_from": "output[0]",
            },
            random_outputs=("output[1]",),
        )

    return FRAME.variant(
        story,
        [*(made.what for made in makes), "noise, new in each call"],
        asked,
        {"lines": lines},
        noisy=noisy,
        c=str(rng.choice(CONSTANTS)),
    )
