"""A scaler whose count of batches is a Python number, which no checkpoint holds."""

from grader.recipe import Input, Recipe
from grader.rubrics import Expected, Rubric

GATHERED = "it is gathered from the data, not trained"

RUBRIC = Rubric(
    stem="10_checkpoints",
    title="A scaler that forgets what it has seen",
    class_name="RunningScaler",
    finding="lost-from-checkpoint",
    recipe=Recipe(
        arguments={"features": 3},
        inputs=(Input((6, 3)),),
        thorough=True,
        filled=("mean", "variance"),
    ),
    tensors=(
        Expected("mean", (3,), "buffer", GATHERED),
        Expected("variance", (3,), "buffer", GATHERED),
        Expected("batches", (), "saved", GATHERED, dtypes=("int64", "int32")),
    ),
    points={"buffers": 2, "state_dict": 1, "forward": 1, "checkpoint": 2},
    hints=(
        "Train a scaler on one batch and print its `state_dict()`. What does `forward` look at "
        "that is not in it?",
        "`state_dict()` holds Parameters and buffers. A Python number is neither, and the "
        "constructor of the new scaler sets it to its first value.",
        "A tensor of no dimensions is a number that can be a buffer: `torch.tensor(0)`. It can be "
        "compared, divided by, and changed in place.",
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
