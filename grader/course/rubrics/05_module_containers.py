"""Layers in a Python list and a Python dict, which `nn.Module` does not look into."""

from grader.schema import Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="05_module_containers",
    title="Layers in a list, heads in a dict",
    class_name="MultiTaskNet",
    finding="python-container",
    faults=("self.layers", "self.heads"),
    recipe=Recipe(
        arguments={"features": 4, "hidden": 2, "depth": 3, "tasks": {"mood": 3, "age": 1}},
        inputs=(Input((5, "features")),),
        other_arguments={"features": 6, "hidden": 3, "depth": 5, "tasks": {"size": 2}},
    ),
    tensors=(
        *layer("layers.0", 2, 4),
        *layer("layers.1", 2, 2),
        *layer("layers.2", 2, 2),
        *layer("heads.age", 1, 2),
        *layer("heads.mood", 3, 2),
    ),
    names_matter=False,
    points={"parameters": 2, "state_dict": 1, "placement": 1, "forward": 1, "training": 1},
    hints=(
        "`nn.Module` notices a child when you assign it as an attribute. So the container itself "
        "has to be a module.",
        "PyTorch has such containers. You index them and loop over them just as you do with a "
        "list or a dict.",
        "They are called `nn.ModuleList` and `nn.ModuleDict`, and each takes as its argument "
        "what you have now.",
        "`self.layers = nn.ModuleList(layers)` and `self.heads = nn.ModuleDict(heads)`; "
        "`forward` stays as it is.",
    ),
    reason="PyTorch's containers are used like a list and a dict, and are modules: what is in them "
    "is moved, trained, saved and switched between `train()` and `eval()`.",
    also_right=(
        "`nn.Sequential` with the activations in it: the same layers under other numbers.",
        "`self.add_module(name, layer)` in a loop: registered one by one, under names of your own.",
    ),
)
