"""A recurrent network that asks three times whether there is an NVIDIA GPU."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="12_any_accelerator",
    title="A story for any accelerator",
    class_name="Storyteller",
    finding="hard-coded-device",
    recipe=Recipe(
        arguments={"words": 7, "features": 4, "depth": 2},
        inputs=(Input((3, 3), "integers", high="words", zeros=((0, 2), (1, 1))),),
        thorough=True,
        inputs_stay=True,
        later=(Input((1, 4), "integers", high="words", zeros=((0, 1), (0, 3))),),
        other_arguments={"words": 8, "features": 3, "depth": 1},
        elsewhere=("unknown",),
    ),
    tensors=(
        Expected("embedding.weight", (7, 4), "parameter"),
        Expected("cell.weight_ih", (12, 4), "parameter"),
        Expected("cell.weight_hh", (12, 4), "parameter"),
        Expected("cell.bias_ih", (12,), "parameter"),
        Expected("cell.bias_hh", (12,), "parameter"),
        *layer("head.0", 4, 4),
        *layer("head.1", 4, 4),
        *layer("head.2", 7, 4),
    ),
    points={"parameters": 1, "forward": 4, "training": 1},
    hints=(
        "That the machine has a GPU says nothing about where this model is. Which three lines ask "
        "about the machine, or about one kind of device?",
        "A module has no device, but its weights have: the move changed them in place. Print "
        "`self.embedding.weight.device` after `.cuda()` and after `.cpu()`.",
        "Move the words to that device with `.to(...)`, and make the state and the decay with "
        "`device=`. No branch and no name of a device is left.",
        "`words = words.to(self.embedding.weight.device)`; in `begin`, `torch.zeros(stories, "
        "self.cell.hidden_size, device=self.embedding.weight.device)`; and "
        "`torch.arange(state.shape[1], device=state.device)`.",
    ),
    reason="No device is named and none is asked for: every tensor is made or moved where a weight "
    "is. So the code runs on accelerators that its author never saw.",
    also_right=(
        "`self.embedding.weight.new_zeros(stories, self.cell.hidden_size)`: takes device and dtype "
        "of the weight.",
        "`decay` as a buffer with `persistent=False`: made once, and moved along.",
    ),
)
