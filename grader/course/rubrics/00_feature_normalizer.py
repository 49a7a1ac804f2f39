"""A normalizer whose statistics must move along and be saved: the first bug of the course."""

from grader.schema import Expected, Input, Recipe, Rubric

MEASURED = "it is measured from the data, not trained"

RUBRIC = Rubric(
    stem="00_feature_normalizer",
    title="The normalizer of a speech recognizer",
    class_name="FeatureNormalizer",
    finding="member-tensor",
    recipe=Recipe(
        arguments={"statistics": [[0.4, -1.3, 2.1], [1.2, 2.3, 0.7]]},
        inputs=(Input((6, 3)),),
        filled=("statistics",),
        other_arguments={"statistics": [[1.6, 0.1, -0.7], [0.3, 3.1, 1.7]]},
        loads_other=True,
    ),
    tensors=(Expected("statistics", None, "constant", MEASURED),),
    points={"buffers": 1, "state_dict": 1, "placement": 2, "forward": 1},
    hints=(
        "`.cuda()` moves the tensors that a module knows. Which tensor does this one not know?",
        "A module does not know a tensor that is only assigned: `self.statistics = ...`.",
        "A tensor that belongs to the module and is not trained is a buffer. `nn.Module` has a "
        "method that registers one under a name.",
        'Replace the line by `self.register_buffer("statistics", torch.tensor(statistics))`.',
    ),
    reason="A buffer belongs to the module and is not trained: `.cuda()` moves it, and "
    "`state_dict()` saves it. `forward` reads it as before.",
    also_right=(
        "`self.statistics = nn.Buffer(torch.tensor(statistics))`: the newer spelling of a buffer.",
        "`nn.Parameter(torch.tensor(statistics), requires_grad=False)`: it moves, is saved, and "
        "is not trained. A buffer says it more plainly.",
    ),
)
