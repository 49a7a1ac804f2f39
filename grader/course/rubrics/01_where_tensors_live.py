"""A grid of coordinates that `forward` makes on the CPU, wherever its input is."""

from grader.schema import Input, Recipe, Rubric

RUBRIC = Rubric(
    stem="01_where_tensors_live",
    title="A grid that is always on the CPU",
    class_name="KeypointFinder",
    finding="made-in-forward",
    faults=("torch.linspace", "torch.linspace"),
    recipe=Recipe(
        arguments={"sharpness": 2.0},
        inputs=(Input((4, 2, 3, 5)),),
        thorough=True,
        later=(Input((1, 1, 4, 7)),),
        other_arguments={"sharpness": 0.5},
    ),
    tensors=(),
    points={"forward": 4},
    hints=(
        "`y` is made in the same way as `x`. Which tensor in `forward` already knows the right "
        "device?",
        "Ask the heat maps: `heat.device`. Functions that make a tensor take a device as an "
        "argument.",
        'Pass `device=`, taken from the input. A name such as "cuda" would fail on the CPU and '
        "on a second GPU.",
        "`y = torch.linspace(-1, 1, height, device=heat.device)`, and the same for `x`.",
    ),
    reason="The grid is made where the heat maps are, in each call. No device is named, so it is "
    "right on every device, and nothing has to be copied.",
    also_right=(
        "`torch.linspace(-1, 1, width).to(heat)`: made on the CPU and copied in each call, and "
        "right. `to` takes a tensor as well, and follows its device and its dtype.",
        "`torch.meshgrid` of two such lines: both coordinates of every place at once.",
    ),
)
