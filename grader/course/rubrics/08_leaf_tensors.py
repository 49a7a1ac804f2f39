"""Parameters that are moved after they were wrapped, which on CUDA makes plain tensors of them."""

from grader.schema import Expected, Input, Recipe, Rubric

LEARNED = "it is learned by gradient descent"

RUBRIC = Rubric(
    stem="08_leaf_tensors",
    title="Centres that no optimizer has ever seen",
    class_name="Prototypes",
    finding="moved-before-registration",
    recipe=Recipe(
        arguments={"features": 4, "classes": 3},
        inputs=(Input((5, "features")),),
        thorough=True,
        takes_device=True,
        other_arguments={"features": 6, "classes": 5},
    ),
    tensors=(
        Expected("centres", (3, 4), "parameter", LEARNED),
        Expected("temperature", (), "parameter", LEARNED),
    ),
    points={"parameters": 2, "state_dict": 1, "placement": 1, "forward": 1, "training": 1},
    hints=(
        "What has to happen last, so that the attribute holds a Parameter: the move or the "
        "wrapping?",
        "`nn.Module` registers what is an `nn.Parameter` at the moment you assign it. Put the "
        "tensor on its device first, then wrap it.",
        "`torch.eye` and `torch.ones` take `device=`. With `device=None` they use PyTorch's "
        "default device, so the two lines that look for CUDA can go.",
        "`self.centres = nn.Parameter(torch.eye(classes, features, device=device))`, and the "
        "same for the temperature: `nn.Parameter(torch.ones((), device=device))`.",
    ),
    reason="Each tensor is made on the device and wrapped last. So it is a leaf: it is registered, "
    "its gradient lands on it, and the optimizer changes it.",
    also_right=(
        "`nn.Parameter(torch.eye(classes, features).to(device))`: the same calls in the other "
        "order.",
        "`self.to(device)` at the end of the constructor: a module moves in place, so nothing "
        "has to be wrapped again.",
    ),
)
