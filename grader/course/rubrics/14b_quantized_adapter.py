"""A LoRA adapter on an 8-bit layer: integers that no one registers, Parameters moved too late."""

from grader.schema import Expected, Input, Recipe, Rubric

TRAINED = "it is the adapter, which is trained"
FROZEN = "it was trained elsewhere, and stays as it is"

RUBRIC = Rubric(
    stem="14b_quantized_adapter",
    title="An adapter on 8-bit weights",
    class_name="AdaptedLinear",
    optional=True,
    finding="member-tensor",
    recipe=Recipe(
        arguments={"features": 5, "outputs": 4, "rank": 2},
        inputs=(Input((3, "features")),),
        thorough=True,
        takes_device=True,
        filled=("codes", "scale"),
        other_arguments={"features": 6, "outputs": 3, "rank": 1},
    ),
    tensors=(
        Expected("codes", (4, 5), "constant", FROZEN, dtypes=("int8",)),
        Expected("scale", (4, 1), "constant", FROZEN),
        Expected("down", (2, 5), "parameter", TRAINED),
        Expected("up", (4, 2), "parameter", TRAINED),
    ),
    points={
        "parameters": 2,
        "buffers": 1,
        "state_dict": 1,
        "placement": 2,
        "forward": 1,
        "training": 1,
    },
    hints=(
        'Build it twice, with `device="cpu"` and with `device="cuda"`. What is `self.down.to(...)` '
        "on each: a Parameter, or something else?",
        "On the CPU `.to` returns the same Parameter, and registering it again adds nothing. On "
        "CUDA it returns a new tensor, which is no Parameter. The two lines are not needed at all.",
        "Make each tensor with `device=device`, and wrap it last. `codes` holds integers, which no "
        "gradient can change: a Parameter of them raises. What moves, is saved and not trained?",
        '`self.register_buffer("codes", codes)`; `self.down = nn.Parameter(torch.randn(rank, '
        "features, device=device))`; `self.up` likewise; and no `register_parameter`.",
    ),
    reason="The integers are kept in a buffer, which moves and is saved. The adapter's matrices "
    "are made on the device and wrapped last, so that assigning them registers them.",
    also_right=(
        "`nn.Parameter(codes, requires_grad=False)`: a frozen Parameter may hold integers.",
        "`register_parameter` after the assignment, with the same Parameter: it adds nothing.",
    ),
)
