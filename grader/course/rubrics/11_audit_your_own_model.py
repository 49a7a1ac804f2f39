"""An image model with three faults, one of which shows in training only."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

COUNTS = ("float32", "int64", "int32")

RUBRIC = Rubric(
    stem="11_audit_your_own_model",
    title="A model that nobody has audited",
    class_name="LeafDoctor",
    finding="member-tensor",
    faults=("self.average", "self.met", "torch.rand"),
    recipe=Recipe(
        arguments={"average": [0.2, 0.6, 0.3], "diseases": 7},
        inputs=(Input((6, 3, 5, 6)), Input((6,), "integers", high=6)),
        thorough=True,
        filled=("average", "met"),
        other_arguments={"average": [0.9, 0.1, 0.4], "diseases": 9},
    ),
    tensors=(
        *layer("patches", 5, 3, 3, 3),
        *layer("scores", 7, 5),
        Expected("average", None, "constant", "it is measured, not learned"),
        Expected("met", (7,), "constant", "it is counted, not learned", dtypes=COUNTS),
    ),
    points={"parameters": 1, "buffers": 1, "state_dict": 1, "placement": 1, "forward": 3},
    hints=(
        "Audit it, and read the whole report: each error is a fault, with the line that it comes "
        "from. Fix one, and audit again.",
        "Two of the three faults are about tensors that the constructor makes: one is measured, "
        "and one is counted. The third is made in a method that is called in training only.",
        "What moves and is saved, and is not trained, is a buffer. A buffer may be changed in "
        "place by `self.met += ...`, as before.",
        '`self.register_buffer("average", torch.tensor(average))`, the same for `met`, and '
        "`torch.rand(len(photos), 1, 1, 1, device=photos.device)`.",
    ),
    reason="What was measured or counted is a buffer, so it moves and is saved. What each call "
    "makes is made where the photos are.",
    also_right=(
        "`self.met = self.met + torch.bincount(...)`: what is assigned to a buffer's name stays a "
        "buffer.",
        "`photos.new_empty(len(photos), 1, 1, 1).uniform_(0.9, 1.1)` for the light: a new tensor "
        "with the photos' device and dtype.",
        "`nn.Parameter(torch.tensor(average), requires_grad=False)`, and the same for `met`: kept "
        "as buffers are. The audit warns of `requires_grad_(True)`, which would train them.",
    ),
)
