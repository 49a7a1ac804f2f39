"""A scaler whose count of batches is a Python number, which no checkpoint holds."""

from grader.schema import Expected, Input, Recipe, Rubric

GATHERED = "it is gathered from the data, not trained"

RUBRIC = Rubric(
    stem="10_checkpoints",
    title="A scaler that forgets what it has seen",
    class_name="RunningScaler",
    finding="lost-from-checkpoint",
    recipe=Recipe(
        arguments={"features": 3},
        inputs=(Input((6, "features")),),
        thorough=True,
        filled=("mean", "variance"),
        other_arguments={"features": 5},
    ),
    tensors=(
        Expected("mean", (3,), "constant", GATHERED),
        Expected("variance", (3,), "constant", GATHERED),
        Expected("batches", (), "saved", GATHERED, dtypes=("int64", "int32")),
    ),
    points={"buffers": 2, "state_dict": 1, "forward": 1, "checkpoint": 2},
    advice={"lost-from-checkpoint": "Keep it as a buffer, a number as a 0-dim tensor."},
    hints=(
        "`state_dict()` holds Parameters and buffers. A Python number is neither, so a new "
        "scaler starts from the constructor's value.",
        "What else could count? A tensor of no dimensions, `torch.tensor(0)`, is a number that "
        "can be a buffer.",
        "Such a tensor is compared, divided by and changed in place like a number, so the rest "
        "of the class need not change.",
        'In `__init__`: `self.register_buffer("batches", torch.tensor(0))`. `self.batches += 1` '
        "and `if self.batches == 0` work as before.",
    ),
    reason="Training changes the count and the answer depends on it, so it is state. As a buffer "
    "it is saved with the rest, and it moves along.",
    also_right=(
        "`self.batches = nn.Buffer(torch.tensor(0))`: the newer spelling of a buffer.",
        "`self.batches = self.batches + 1`: a new tensor each time. What is assigned to a "
        "buffer's name stays a buffer.",
    ),
)
