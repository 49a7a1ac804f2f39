"""A loss with class weights, hidden in a dict."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="10b_class_weights",
    title="Class weights that nobody owns",
    class_name="RareCells",
    optional=True,
    finding="criterion-state",
    recipe=Recipe(
        arguments={"pixels": 4, "counts": [50, 10, 40]},
        inputs=(Input((6, "pixels")), Input((6,), "integers", high=3)),
        thorough=True,
        other_arguments={"pixels": 5, "counts": [20, 90, 30]},
        loads_other=True,
    ),
    tensors=(
        *layer("hidden", 5, 4),
        *layer("scores", 3, 5),
        Expected("losses.kind.weight", (3,), "constant", "it is counted, not trained"),
    ),
    names_matter=False,
    points={"parameters": 1, "state_dict": 2, "forward": 2, "training": 1},
    hints=(
        "`nn.CrossEntropyLoss` is a module, and its weights are a buffer of it. If the model "
        "knew the loss as a child, they would move along and be saved.",
        "A module finds its children among its own attributes. Look at what the loss is stored in.",
        "A Python dict hides modules. There is a container that does not, and it takes a dict.",
        'In `__init__`: `self.losses = nn.ModuleDict({"kind": '
        "nn.CrossEntropyLoss(weight=seldom)})`. `forward` stays as it is.",
    ),
    reason="A loss with tensors is a module with state. In an `nn.ModuleDict` it is a child of the "
    "model: it goes where the model goes, and its class weights are in the checkpoint.",
    also_right=(
        "The weights as a buffer of the model, and the loss as a function: `cross_entropy(x, y, "
        "weight=self.weights)`.",
        "Several losses in an `nn.ModuleList`: each is a child, and moves.",
    ),
)
