"""A small `nn.Module`: what it registers, what it lists, and what it moves."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="02b_module_in_forty_lines",
    title="nn.Module in forty lines",
    class_name="Module",
    finding="to-override",
    recipe=Recipe(
        arguments={"mean": [0.4, -1.3, 2.1], "std": [1.2, 2.3, 0.7], "hidden": 4, "decay": 0.1},
        inputs=(Input((6, 3)),),
        model="PriceModel",
        filled=("hidden.scale.mean", "hidden.scale.std"),
        other_arguments={
            "mean": [1.6, 0.1, -0.7],
            "std": [0.3, 3.1, 1.7],
            "hidden": 5,
            "decay": 0.3,
        },
    ),
    tensors=(
        Expected("hidden.scale.mean", None, "buffer", "the model registers it as one"),
        Expected("hidden.scale.std", (3,), "buffer", "the model registers it as one"),
        Expected("last", None, "buffer", "the model registers it as one"),
        *layer("hidden.layer", 4, 3),
        *layer("price", 1, 4),
    ),
    points={"parameters": 1, "buffers": 1, "placement": 2, "forward": 2},
    hints=(
        "Assign a Parameter, a tensor and a `Module()` to attributes of a new `Module()`. Print "
        "its `_modules` and its `vars(...)`. Which of the three are where you expect them?",
        "`__setattr__` needs two more cases: the value is a `Module`, or the name is that of a "
        "buffer. And notebook 02 says what becomes of a moved tensor that nobody keeps.",
        "A parent asks its children, and these ask theirs: `parameters()` calls "
        "`child.parameters()`, and `_apply` calls `child._apply(fn)`.",
        "In `__setattr__`, `elif isinstance(value, Module): self._modules[name] = value`. In "
        "`_apply`, `parameter.data = fn(parameter.data)` keeps the Parameter and replaces its "
        "numbers; `self._buffers[name] = fn(buffer)` replaces the buffer.",
    ),
    reason="Every attribute is looked at once, when it is assigned. After that, only the registers "
    "count: a move, an optimizer and a checkpoint each walk through them, from child to child.",
    also_right=(
        "One walk over all modules, in a method `modules()` that the two others use: PyTorch has "
        "it too.",
        "`vars(self)[name] = value` for an ordinary attribute: the same as `object.__setattr__`.",
    ),
)
