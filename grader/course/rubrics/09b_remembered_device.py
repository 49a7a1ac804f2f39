"""A tagger that goes to one device, wherever its model and its sentences are."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="09b_remembered_device",
    title="A tagger that remembers where it was built",
    class_name="WordTagger",
    optional=True,
    finding="stale-device",
    recipe=Recipe(
        arguments={"words": 10, "longest": 13, "features": 4, "tags": 3},
        inputs=(Input((2, 5), "integers", high="words"),),
        thorough=True,
        later=(Input((1, "longest"), "integers", high="words"),),
        other_arguments={"words": 12, "longest": 14, "features": 6, "tags": 5},
    ),
    tensors=(
        Expected("words.weight", (10, 4), "parameter"),
        Expected("places.weight", (13, 4), "parameter"),
        *layer("tags", 3, 4),
    ),
    points={"parameters": 1, "forward": 4, "training": 1},
    hints=(
        "Three lines of `forward` take a device from the constructor or from the machine. Which, "
        "and what do they say on the CPU of a machine with a GPU?",
        "`torch.cuda.is_available()` asks what the machine has. Where the model is, only its "
        "tensors know.",
        "In `forward`, there is always a tensor in hand that is where the model is: the input, "
        "or what a layer returned.",
        "Delete `self.device`. Then `device=sentences.device` for the `arange`, no `.to` for the "
        "sentences, and `embedded.new_zeros(...)`, or `torch.zeros(..., "
        "device=embedded.device)`, for the padding.",
    ),
    reason="The device is read from a tensor at the moment when it is needed, which is right on "
    "the CPU, on any GPU, after every move and in every replica.",
    also_right=(
        "A property that returns `self.words.weight.device`: it asks each time.",
        "All places in a buffer that is made once, in the constructor, and moves with the rest.",
    ),
)
