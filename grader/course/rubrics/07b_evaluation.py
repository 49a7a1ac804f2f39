"""An evaluation whose batches, counts and ones are all on the CPU."""

from grader.schema import Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="07b_evaluation",
    title="An evaluation that gathers its counts elsewhere",
    class_name="Evaluation",
    optional=True,
    finding="input-transfer",
    faults=("flowers", "torch.zeros", "kinds"),
    recipe=Recipe(
        arguments={"features": 4, "kinds": 3, "batch_size": 3},
        inputs=(Input((10, "features")), Input((10,), "integers", high="kinds")),
        thorough=True,
        inputs_stay=True,
        most_rows=3,
        other_arguments={"features": 6, "kinds": 5, "batch_size": 7},
    ),
    tensors=(*layer("scores", 3, 4),),
    differentiable=False,
    points={"placement": 1, "forward": 5},
    hints=(
        "A `DataLoader` returns batches on the CPU, like the data set behind it. The flowers are "
        "only the first of five tensors: find all that `forward` gets or makes.",
        "Each batch has two parts, both on the CPU. Two more tensors are made before the loop "
        "without a device, and a third in each round.",
        "Ask the model once, before the loop: `device = self.scores.weight.device`. Then move "
        "both parts of each batch, and say `device=device` wherever a tensor is made.",
        "First in the loop: `batch, true = batch.to(device), true.to(device)`. Before it: "
        "`counts = torch.zeros(..., device=device)` and `loss = torch.zeros((), device=device)`. "
        "And `torch.ones(len(true), device=device)`.",
    ),
    reason="The batch, its labels, and whatever gathers results meet in one loop, so they must be "
    "in one place. The model knows which: its weight does. Without gradients, nothing keeps a "
    "batch after its round.",
    also_right=(
        "Counting with `torch.bincount(true * kinds + taken_for, minlength=kinds**2)`: what is "
        "made of moved tensors is where they are.",
        "`self.scores.weight.new_zeros(...)` for counts and loss: they take the weight's device.",
    ),
)
