"""Parameters in a Python list and in dicts, which `nn.Module` does not look into."""

from grader.schema import Expected, Input, Recipe, Rubric

FEATURES, RANK = 6, 2
TASKS = ("mood", "age")

RUBRIC = Rubric(
    stem="05b_parameter_containers",
    title="Parameters in a list, Parameters in a dict",
    class_name="TaskAdapter",
    optional=True,
    finding="python-container",
    faults=("self.factors", "self.gains", "self.shifts"),
    recipe=Recipe(
        arguments={"features": FEATURES, "rank": RANK, "tasks": list(TASKS)},
        inputs=(Input((5, "features")),),
        other_arguments={"features": 7, "rank": 3, "tasks": ["name", "count"]},
    ),
    tensors=(
        Expected("factors.0", (FEATURES, RANK), "parameter"),
        Expected("factors.1", (RANK, FEATURES), "parameter"),
        *(Expected(f"gains.{task}", (FEATURES,), "parameter") for task in TASKS),
        *(Expected(f"shifts.{task}", (FEATURES,), "parameter") for task in TASKS),
    ),
    names_matter=False,
    points={"parameters": 2, "state_dict": 1, "placement": 1, "forward": 1, "training": 1},
    hints=(
        "Six tensors should be trained. They need containers that register their contents, as "
        "`nn.ModuleList` does for layers.",
        "`nn.ModuleList` and `nn.ModuleDict` refuse these, because a Parameter is not a module. "
        "PyTorch has two more containers.",
        "For Parameters there are `nn.ParameterList` and `nn.ParameterDict`, which take the list "
        "and the dict that you have.",
        "`self.factors = nn.ParameterList([...])`, with what is in the list now. Likewise "
        "`self.gains = nn.ParameterDict({...})` and `self.shifts = nn.ParameterDict({...})`. "
        "`forward` stays as it is.",
    ),
    reason="`nn.ParameterList` and `nn.ParameterDict` are used like a list and a dict, and "
    "register each Parameter that they hold, so it is moved, trained and saved.",
    also_right=(
        "`self.register_parameter(name, parameter)` in a loop: registered one by one, under "
        "names of your own.",
        "A small module for each task, in an `nn.ModuleDict`: longer, and good when a task needs "
        "more than two tensors.",
    ),
)
