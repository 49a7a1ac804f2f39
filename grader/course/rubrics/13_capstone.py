"""A VAE with a list, a mask, a cache, noise and a batch, each on the wrong device."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="13_capstone",
    title="A VAE with everything wrong",
    class_name="PatchVAE",
    finding="python-container",
    faults=("self.encoder", "self.inside", "self.places", "batch[0]", "torch.randn"),
    recipe=Recipe(
        arguments={"pixels": 6, "hidden": 5, "latent": 3, "depth": 2},
        inputs=(Input((4, "pixels")), Input((4, "pixels"), "booleans")),
        thorough=True,
        inputs_stay=True,
        nested=True,
        other_arguments={"pixels": 7, "hidden": 4, "latent": 2, "depth": 12},
    ),
    tensors=(
        Expected("brightness.weight", (6, 1), "parameter"),
        *layer("encoder.0", 5, 6),
        *layer("encoder.1", 5, 5),
        *layer("mean", 3, 5),
        *layer("spread", 3, 5),
        *layer("decoder", 6, 3),
    ),
    points={
        "parameters": 2,
        "state_dict": 2,
        "placement": 2,
        "forward": 4,
        "training": 1,
        "checkpoint": 1,
    },
    hints=(
        "The report names each fault, and the line that it comes from. Fix one, check, and read "
        "the report again.",
        "Two of the five are about what the constructor registers, one about what a call keeps, "
        "one about what a call makes, and one about what it receives.",
        "`nn.ModuleList` for the layers; `register_buffer(..., persistent=False)` for the mask and "
        "for the place numbers, which the constructor can make; `torch.randn_like(std)` for the "
        "noise.",
        "What is left is `to_device`. A tuple has no device: `if torch.is_tensor(batch): return "
        "batch.to(self.mean.weight.device)`, and else `return tuple(self.to_device(part) for part "
        "in batch)`.",
    ),
    reason="Each tensor is now a Parameter, a buffer, or made where the others are, so there is "
    "nothing left for a move to forget.",
    random_outputs=("output[0]",),
    also_right=(
        "A cache of the place numbers that asks for its device before it is used, in place of a "
        "buffer.",
        "`torch.randn(std.shape, device=std.device)`: the long form of `randn_like`.",
    ),
)
