"""What variants of exercise 05 are drawn from: kinds of containers, and named stories."""

from __future__ import annotations

from dataclasses import dataclass


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


# `{count}` and `{keys}` are arguments of the constructor, `{act}` is an activation, `{c}` a number.
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
class ContainerStory:
    """Where a module comes from, in names and words.

    Attributes:
        arguments: the constructor's names for inputs, width, count, keys and tasks.
        keys: the names that entries may have, sorted.
        containers: by their kind, each container's name and that of an entry.
        numbers: the same of the list of numbers.
    """

    class_name: str
    does: str
    arguments: tuple[str, str, str, str, str]
    keys: tuple[str, ...]
    containers: dict[str, tuple[str, str]]
    numbers: tuple[str, str]
    first: str
    heads: str


STORIES = (
    ContainerStory(
        "HarvestNet",
        "guesses from the weather how much a field gives",
        ("sensors", "width", "months", "soils", "crops"),
        ("clay", "loam", "peat", "sand"),
        {
            "layers": ("growth", "month"),
            "named layers": ("grounds", "ground"),
            "gains": ("ripeness", "gain"),
            "named shifts": ("moisture", "shift"),
        },
        ("rates", "rate"),
        "weather",
        "yields",
    ),
    ContainerStory(
        "ChoirNet",
        "tells from a recording how a choir sings",
        ("bands", "units", "verses", "voices", "judges"),
        ("alto", "bass", "soprano", "tenor"),
        {
            "layers": ("passes", "sing"),
            "named layers": ("singers", "singer"),
            "gains": ("volumes", "volume"),
            "named shifts": ("pitches", "pitch"),
        },
        ("tempi", "tempo"),
        "hear",
        "marks",
    ),
    ContainerStory(
        "RouteNet",
        "guesses when the ships of a line arrive",
        ("readings", "hidden", "legs", "ports", "ships"),
        ("dakar", "lisbon", "oslo", "recife"),
        {
            "layers": ("sails", "sail"),
            "named layers": ("harbours", "harbour"),
            "gains": ("winds", "wind"),
            "named shifts": ("delays", "delay"),
        },
        ("speeds", "speed"),
        "chart",
        "hours",
    ),
)
