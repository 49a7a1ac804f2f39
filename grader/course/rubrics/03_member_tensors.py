"""A normalizer whose statistics must move along and be saved, and must not be trained."""

from grader.schema import Expected, Input, Recipe, Rubric

MEASURED = "it is measured from the data, not trained"

RUBRIC = Rubric(
    stem="03_member_tensors",
    title="A normalizer that follows its model",
    class_name="Normalizer",
    finding="member-tensor",
    faults=("self.mean", "self.std"),
    recipe=Recipe(
        arguments={"mean": [0.4, -1.3, 2.1], "std": [1.2, 2.3, 0.7]},
        inputs=(Input((6, 3)),),
        filled=("mean", "std"),
        other_arguments={"mean": [1.6, 0.1, -0.7], "std": [0.3, 3.1, 1.7]},
        loads_other=True,
    ),
    tensors=(
        Expected("mean", None, "constant", MEASURED),
        Expected("std", None, "constant", MEASURED),
    ),
    points={"buffers": 2, "state_dict": 1, "placement": 2, "forward": 1},
    hints=(
        "A module moves what it has registered: its Parameters, its buffers and its child "
        "modules. Which of these should the statistics be?",
        "Ask whether an optimizer should change them. The mean and the standard deviation are "
        "measured, so nothing should train them.",
        "State that is not trained is a buffer. `nn.Module` has a method that registers one "
        "under a name.",
        'In `__init__`, write `self.register_buffer("mean", torch.tensor(mean))`, and the same '
        "for `std`. `forward` stays as it is.",
    ),
    reason="Both are buffers, which is state without training: `.cuda()` moves a buffer, "
    "`state_dict()` saves it, and `parameters()` leaves it out, so no optimizer touches it.",
    also_right=(
        "`self.mean = nn.Buffer(torch.tensor(mean))`: the newer spelling of a buffer.",
        "`nn.Parameter(torch.tensor(mean), requires_grad=False)`: it moves, is saved, and is not "
        "trained. A buffer says it more plainly: `requires_grad_(True)` on the whole model, as "
        "fine-tuning scripts have it, would begin to train a frozen Parameter.",
    ),
)
