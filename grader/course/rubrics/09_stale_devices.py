"""An attention layer whose mask is kept from an earlier call, on an earlier device."""

from grader.schema import Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="09_stale_devices",
    title="An attention layer that remembers its mask",
    class_name="CausalAttention",
    finding="stale-device",
    recipe=Recipe(
        arguments={"features": 4},
        inputs=(Input((2, 5, "features")),),
        thorough=True,
        later=(Input((1, 9, "features")),),
        grows=1,
        other_arguments={"features": 6},
    ),
    tensors=(*layer("qkv", 12, 4),),
    points={"parameters": 1, "state_dict": 1, "forward": 3, "training": 1},
    hints=(
        "When it was made, the mask was on the right device, `x.device`. Under which condition "
        "does `forward` make another?",
        "The condition asks for the length only. A cache must ask for everything that its "
        "content depends on.",
        "Compare the devices too, or let the module move the mask: a buffer with "
        "`persistent=False` moves along and is not saved.",
        "`if self.future is None or len(self.future) < length or self.future.device != "
        'x.device:`. Or, in `__init__`, `self.register_buffer("future", None, '
        "persistent=False)`; what `forward` assigns to it later is a buffer.",
    ),
    reason="The device is part of what the mask depends on, and the cache asks for it. So the mask "
    "is made again once after a move; every other call finds it ready.",
    also_right=(
        "Make a new mask in each call, on `x.device`: no cache, no bug. Most masks are small.",
        "A dict whose key holds all that the mask depends on: its length and its device.",
    ),
)
