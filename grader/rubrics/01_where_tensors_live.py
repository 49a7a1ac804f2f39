"""A grid of coordinates that `forward` makes on the CPU, wherever its input is."""

from grader.recipe import Input, Recipe
from grader.rubrics import Rubric

RUBRIC = Rubric(
    stem="01_where_tensors_live",
    title="A grid that is always on the CPU",
    class_name="KeypointFinder",
    finding="made-in-forward",
    recipe=Recipe(
        arguments={"sharpness": 2.0},
        inputs=(Input((4, 2, 3, 5)),),
        thorough=True,
        later=(Input((2, 3, 4, 7)),),
        other_arguments={"sharpness": 0.5},
    ),
    tensors=(),
    points={"forward": 4},
    hints=(
        "Three tensors meet in `forward`: the heat maps, `x` and `y`. Who decided where each of "
        "them is?",
        "`torch.linspace` was told no device, so it takes the CPU. The heat maps know where they "
        "are: print `heat.device`.",
        "Functions that make a tensor take a `device=`. Give them the device of the input, and not "
        'a name such as "cuda": that would fail on the CPU, and on the second GPU.',
        "`y = torch.linspace(-1, 1, height, device=heat.device)`, and the same for `x`.",
    ),
    reason="The grid is made where the heat maps are, in each call. It names no device, so it is "
    "right on every device, and nothing has to be copied.",
    also_right=(
        "`torch.linspace(-1, 1, width).to(heat)`: made on the CPU and copied in each call, and "
        "right. `to` takes a tensor as well, and follows its device and its dtype.",
        "`torch.meshgrid` of two such lines: both coordinates of every place at once.",
    ),
)
