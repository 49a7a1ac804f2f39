"""One tensor to train and one to keep: which is the Parameter, which the buffer?"""

from grader.schema import Expected, Input, Recipe, Rubric

RUBRIC = Rubric(
    stem="04_parameter_or_buffer",
    title="What is trained, what is kept",
    class_name="CenterScale",
    finding="parameter-or-buffer",
    faults=("self.weight", "self.running_mean"),
    recipe=Recipe(
        arguments={"features": 5},
        inputs=(Input((8, "features")),),
        filled=("running_mean",),
        other_arguments={"features": 3},
    ),
    tensors=(
        Expected("weight", (5,), "parameter", "it is learned by gradient descent", start=1),
        Expected("running_mean", (5,), "constant", "it is measured, not learned", start=0),
    ),
    points={
        "parameters": 1,
        "buffers": 1,
        "state_dict": 1,
        "placement": 1,
        "forward": 1,
        "training": 1,
    },
    hints=(
        "Both kinds move and both are saved. Only one is returned by `parameters()`, which is "
        "what an optimizer gets.",
        "The two have each other's role. Swap them; names, shapes and initial values stay.",
        "You register a Parameter by assigning it as an attribute, and a buffer by calling a "
        "method with its name and the tensor.",
        "`self.weight = nn.Parameter(torch.ones(features))` and "
        '`self.register_buffer("running_mean", torch.zeros(features))`.',
    ),
    reason="The scale is learned: a Parameter. The mean is measured: a buffer. Both move and both "
    "are saved; the difference is who changes them. An optimizer changes a Parameter; a buffer "
    "changes only where the code says so.",
    also_right=(
        "`self.running_mean = nn.Buffer(torch.zeros(features))`: the newer spelling of a buffer.",
        '`self.register_parameter("weight", nn.Parameter(...))`: the assignment, as a call.',
        "`nn.Parameter(torch.zeros(features), requires_grad=False)` for `running_mean`: kept as a "
        "buffer is, until somebody calls `requires_grad_(True)` on the whole model.",
    ),
)
