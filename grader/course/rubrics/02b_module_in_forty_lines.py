"""A small `nn.Module`: what it registers, what it lists, and what it moves."""

from grader.schema import Expected, Input, Recipe, Rubric

MEAN = [0.5, -1.0, 2.0]

RUBRIC = Rubric(
    stem="02b_module_in_forty_lines",
    title="nn.Module in forty lines",
    class_name="Module",
    finding="to-override",
    recipe=Recipe(
        arguments={"mean": MEAN, "hidden": 4},
        inputs=(Input((6, 3)),),
        thorough=True,
        model="PriceModel",
        filled=("mean",),
        other_arguments={"mean": [1.5, 0.0, -0.5], "hidden": 5},
    ),
    tensors=(
        Expected("mean", (3,), "buffer", "`PriceModel` registers it as a buffer"),
        Expected("hidden.weight", (4, 3), "parameter"),
        Expected("hidden.bias", (4,), "parameter"),
        Expected("price.weight", (1, 4), "parameter"),
        Expected("price.bias", (1,), "parameter"),
    ),
    points={"parameters": 1, "buffers": 1, "placement": 2, "forward": 2},
    hints=(
        "h1",
        "h2",
        "h3",
    ),
    reason="r",
)
