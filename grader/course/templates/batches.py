"""Variants of exercise 07: a training step whose walk through its batch misses a container."""

from __future__ import annotations

import random

from grader.course.templates.frame import IMPORTS, Asked, DrawnLine, Frame
from grader.course.templates.stories import CONSTANTS, STORIES
from grader.course.templates.variant import Variant
from grader.schema import Input, layer

FRAME = Frame(
    stem="07_moving_inputs",
    headline="a batch that is moved in part",
    opening="Its `forward` is one step of a training loop. It takes a batch as the loader returns "
    "it, on the CPU:",
    now="It packs them into one batch, moves that to the model, and returns the "
    "scores and the loss. It works on the CPU only, because `to_device` leaves a part behind.",
    ask="change `to_device` so that all three reach the model's device, whatever container they "
    "are in. The step still receives CPU batches, and the model may be on any device.",
    imports=f"from typing import Any\n\n{IMPORTS}",
    source='''

class {class_name}(nn.Module):
    """{title}."""

    def __init__(self, {size}: int, {width}: int) -> None:
        super().__init__()
        self.{layer} = nn.Linear({size}, {width})

    def to_device(self, batch: Any) -> Any:
        """Return the batch on the model's device."""
        {walk}
        return moved

    def forward(self, rows: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, torch.Tensor]:
        """Take ({first}, {second}, {target}) from the loader; return the scores and the loss."""
        {first}, {second}, {target} = rows
        batch = self.to_device({packed})
        {unpacked}
        {first}, {second} = self.{layer}({first}), self.{layer}({second})
        scores = {joined}
        return scores, {loss}
''',
)
# Of the walk: what it does with a dict, a tuple or list, and a tensor, and how it misses one.
DEVICE = "self.{layer}.weight.device"
DEEP = "self.to_device(part)"
SHALLOW = f"part.to({DEVICE}) if torch.is_tensor(part) else part"
DICT, SHALLOW_DICT = (
    f"""if isinstance(batch, dict):
    moved: Any = {{
        name: {walk}
        for name, part in batch.items()
    }}"""
    for walk in (DEEP, SHALLOW)
)
TUPLE, SHALLOW_TUPLE = (
    f"""if isinstance(batch, tuple):
    moved = tuple(
        {walk}
        for part in batch
    )"""
    for walk in (DEEP, SHALLOW)
)
LIST, SHALLOW_LIST = (
    f"""if isinstance(batch, list):
    moved = [
        {walk}
        for part in batch
    ]"""
    for walk in (DEEP, SHALLOW)
)
TENSOR = f"else:\n    moved = batch.to({DEVICE})"
ANYTHING = f"{TENSOR} if torch.is_tensor(batch) else batch"
# How `forward` packs a batch and unpacks it, what the walk needs, and what it has that misses it.
PACKINGS = (
    (
        '{"views": ({first}, {second}), "{target}": {target}}',
        '({first}, {second}), {target} = batch["views"], batch["{target}"]',
        (DICT, TUPLE),
        ((DICT, LIST), (SHALLOW_DICT, TUPLE)),
    ),
    (
        '{"views": [{first}, {second}], "{target}": {target}}',
        '({first}, {second}), {target} = batch["views"], batch["{target}"]',
        (DICT, LIST),
        ((DICT, TUPLE), (SHALLOW_DICT, LIST)),
    ),
    (
        '({"{first}": {first}, "{second}": {second}}, {target})',
        "{first}, {second}, {target} = *batch[0].values(), batch[1]",
        (DICT, TUPLE),
        ((DICT, LIST), (DICT, SHALLOW_TUPLE)),
    ),
    (
        '[{first}, {"{second}": {second}, "{target}": {target}}]',
        "{first}, ({second}, {target}) = batch[0], batch[1].values()",
        (DICT, LIST),
        ((DICT, TUPLE), (DICT, SHALLOW_LIST)),
    ),
)
# None gives the same for its arguments exchanged.
LOSSES = {
    "integers": ("cross_entropy(scores, {target})", "multi_margin_loss(scores, {target})"),
    "booleans": (
        "binary_cross_entropy_with_logits(scores, {target}.float())",
        "multilabel_soft_margin_loss(scores, {target}.float())",
    ),
}
JOINED = (
    "{first} - {c} * {second}",
    "{first} * torch.tanh({c} * {second})",
    "torch.sin({first}) + {c} * {second}",
)


def draw(rng: random.Random) -> Variant:
    """A variant that another state of `rng` gives with other names, containers and faults."""
    story = rng.choice(STORIES.batches)
    packed, unpacked, needed, missing = rng.choice(PACKINGS)
    walk = list(zip(needed, rng.choice(missing), strict=True))
    rng.shuffle(walk)
    walk[1:] = [(f"el{right}", f"el{wrong}") for right, wrong in walk[1:]]
    size, width = rng.randint(3, 5), rng.randint(6, 8)
    names = dict(zip(("first", "second"), rng.sample(story.views, 2), strict=True))

    def asked(more: int) -> Asked:
        built, name = (size + more, width + more), story.words["layer"]
        rows = (6,) if story.targets == "integers" else (6, built[1])
        target = Input(rows, story.targets, width if story.targets == "integers" else 2)
        return Asked(
            layer(name, *built[::-1]),
            {
                "arguments": {story.words["size"]: built[0], story.words["width"]: built[1]},
                "inputs": (Input((6, built[0])), Input((6, built[0])), target),
                "other_arguments": None,
            },
        )

    return FRAME.variant(
        story,
        ["`{first}` and `{second}`, a row of numbers for each example", "`{target}`, {what}"],
        asked,
        {"walk": [*(DrawnLine(*lines) for lines in walk), DrawnLine(TENSOR, ANYTHING)]},
        **names,
        packed=packed,
        unpacked=unpacked,
        joined=rng.choice(JOINED),
        c=str(rng.choice(CONSTANTS)),
        loss="nn.functional." + rng.choice(LOSSES[story.targets]),
    )
