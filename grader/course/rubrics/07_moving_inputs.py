"""A training step that moves its batch, but not what lies inside a tuple."""

from grader.schema import Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="07_moving_inputs",
    title="A training step that moves its own batch",
    class_name="TwoViewStep",
    finding="input-transfer",
    recipe=Recipe(
        arguments={"features": 4, "classes": 3},
        inputs=(Input((6, "features")), Input((6, "features")), Input((6,), "integers", high=3)),
        thorough=True,
        inputs_stay=True,
        nested=True,
        other_arguments={"features": 6, "classes": 5},
    ),
    tensors=(
        *layer("left", 3, 4),
        *layer("right", 3, 4),
    ),
    points={"placement": 1, "forward": 3, "training": 2},
    hints=(
        'Write out the batch: `{"views": (left, right), "labels": labels}`. Which of its values '
        "does `to_device` move today?",
        "What does `torch.is_tensor(part)` say of the views? A tuple has no `.to`.",
        "Walk down to the leaves: a tensor is moved, and a dict, list or tuple is rebuilt from "
        "its parts, each of them moved in the same way.",
        "`to_device` may call itself: for a dict `{name: self.to_device(part) for name, part in "
        "batch.items()}`, for a tuple `tuple(self.to_device(part) for part in batch)`, for a "
        "tensor `batch.to(self.left.weight.device)`, and anything else stays as it is.",
    ),
    reason="`to_device` walks through every container and moves the tensors in it, so it also "
    "works for the batch of next month. It asks a weight for the device, and so follows the model "
    "to any of them.",
    also_right=(
        "`torch.utils._pytree.tree_map`: PyTorch's own walk through containers. Its name says "
        "that it may change.",
        "Each part by its name: right for this batch, though perhaps not for the one of next "
        "month.",
    ),
)
