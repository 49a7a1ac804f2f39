"""An attention block with several heads, whose mask and distances are plain tensors."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="03b_causal_block",
    title="Two tables that no checkpoint needs",
    class_name="CausalBlock",
    optional=True,
    finding="member-tensor",
    faults=("self.future", "self.distance"),
    recipe=Recipe(
        arguments={"features": 6, "heads": 2, "longest": 13},
        inputs=(Input((3, 5, "features")),),
        thorough=True,
        later=(Input((1, "longest", "features")),),
        other_arguments={"features": 9, "heads": 3, "longest": 15},
    ),
    tensors=(
        *layer("qkv", 18, 6),
        *layer("out", 6, 6),
        Expected("nearness.weight", (13, 2), "parameter"),
    ),
    points={"parameters": 1, "state_dict": 1, "placement": 2, "forward": 2},
    hints=(
        "Both tables are constants that nothing trains. What do you call a tensor that a module "
        "moves and no optimizer changes?",
        "A buffer moves, whatever its dtype, and the name that you register becomes the "
        "attribute: `forward` need not change.",
        "Old checkpoints do not have the tables, and the constructor makes them anyway. "
        "`register_buffer` has an argument that keeps a buffer out of `state_dict()`.",
        'In `__init__`: `self.register_buffer("future", places[:, None] < places, '
        "persistent=False)`, and `distance` in the same way.",
    ),
    reason="Both tables are buffers with `persistent=False`: they are moved, and not saved, since "
    "the constructor can make them again. So a checkpoint from before still loads.",
    also_right=(
        "`self.future = nn.Buffer(places[:, None] < places, persistent=False)`: the same, as an "
        "assignment.",
        "Making both tables in `forward`, with `device=words.device`: right, and done in each "
        "call.",
    ),
)
