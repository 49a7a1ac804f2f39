"""An attention layer whose tables no checkpoint holds, built on the meta device."""

from grader.schema import Expected, Input, Recipe, Rubric

RUBRIC = Rubric(
    stem="14_big_models",
    title="Tables that come back as garbage",
    class_name="RotaryAttention",
    optional=True,
    finding="meta-init",
    faults=("self.cos", "self.sin"),
    recipe=Recipe(
        arguments={"features": 6, "longest": 9},
        inputs=(Input((2, 5, "features")),),
        thorough=True,
        later=(Input((1, "longest", "features")),),
        other_arguments={"features": 8, "longest": 11},
        elsewhere=("meta",),
    ),
    tensors=(
        Expected("query_key.weight", (12, 6), "parameter"),
        Expected("value.weight", (6, 6), "parameter"),
        Expected("gain", (6,), "parameter", start=1.0),
    ),
    points={"parameters": 1, "state_dict": 1, "placement": 1, "forward": 4, "training": 1},
    advice={
        "hard-coded-device": "Register it; in `reset_parameters`, `copy_` its values into it.",
    },
    hints=(
        "On the meta device a tensor has a shape and no numbers. `to_empty` allocates memory, with "
        "whatever was there before. Who writes numbers into each of the five tensors after that?",
        "The checkpoint brings the three Parameters. Nobody writes `cos` and `sin` again: the "
        "constructor did, on the meta device, where there is nothing to write to.",
        "Compute the angles in `reset_parameters`, on the device where the buffers are now, and "
        "copy them into the buffers. The constructor needs their shapes only.",
        'In `__init__`: `self.register_buffer("cos", torch.empty(longest, features // 2), '
        "persistent=False)`, and `sin` likewise. In `reset_parameters`: the two lines that compute "
        "`angles`, with `device=self.cos.device` in each `arange`, then "
        "`self.cos.copy_(angles.cos())` and `self.sin.copy_(angles.sin())`.",
    ),
    reason="Each tensor gets its numbers after the memory is there: from the checkpoint, or from "
    "`reset_parameters`, which computes the tables where they are.",
    also_right=(
        "New buffers in `reset_parameters`, by `register_buffer` or by assignment: they replace "
        "those without numbers.",
        "The angles computed in `forward`, on `x.device`: nothing is kept, so nothing is lost.",
    ),
)
