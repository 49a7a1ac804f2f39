"""Models that are built without memory, get parts after the move, or are split over GPUs."""

from grader.course.questions import Choice, Question

PLACES = """\
class Places(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("table", torch.arange(3.0), persistent=False)"""

QUESTIONS = (
    Question(
        "14.1",
        '`places` was built inside `with torch.device("meta")`. What does `places.to("cuda")` do?',
        right="D",
        code=PLACES,
        choices=(
            Choice(
                "It allocates memory for every tensor, filled with zeros",
                "PyTorch does not invent numbers.",
            ),
            Choice(
                "It runs the constructor again, on CUDA",
                "A move knows tensors, and not how they were made.",
            ),
            Choice(
                "It moves them, and they have no numbers yet",
                "On CUDA a tensor always has memory, and some numbers in it.",
            ),
            Choice(
                "It raises",
                "There is nothing to copy. The message names the method that allocates memory: "
                "`to_empty`.",
            ),
        ),
    ),
    Question(
        "14.2",
        "`places` was built on meta. `to_empty` allocates memory on CUDA, and `load_state_dict` "
        "loads a checkpoint. Which of `gain`, `mean` and `table` hold the right numbers?",
        right="B",
        code=PLACES,
        choices=(
            Choice(
                "All three",
                "The constructor computed `table`, but on meta, where nothing is stored.",
            ),
            Choice(
                "`gain` and `mean`",
                "The checkpoint holds these two. Nobody writes `table`, and `load_state_dict` does "
                "not miss it.",
            ),
            Choice(
                "Only `gain`",
                "A buffer is saved and loaded as well, unless it says `persistent=False`.",
            ),
            Choice(
                "It raises: `table` is missing from the checkpoint",
                "With `persistent=False` it belongs to no checkpoint, so nothing is missing.",
            ),
        ),
    ),
    Question(
        "14.3",
        "`law` and `code` are two adapters. Which of these register both, in `__init__`?\n"
        '(1) `self.adapters = nn.ModuleDict({"law": law, "code": code})`\n'
        '(2) `self.adapters = nn.ModuleDict([("law", law), ("code", code)])`\n'
        "(3) a loop that calls `self.add_module` with the name and the module of each",
        right="A",
        choices=(
            Choice(
                "1, 2 and 3",
                "`nn.ModuleDict` takes a dict or pairs, and `forward` chooses by key. Registering "
                "in a loop works too, but a container says what belongs together.",
            ),
            Choice(
                "1 only",
                "Pairs do what a dict does, and `add_module` registers under a name.",
            ),
            Choice(
                "1 and 2",
                "`add_module` does what assigning a module does.",
            ),
            Choice(
                "1 and 3; the second raises, because it is a list",
                "A list of pairs has keys, so `nn.ModuleDict` takes it.",
            ),
        ),
    ),
)
