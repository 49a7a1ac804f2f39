"""What is trained, and what is only kept."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "04.1",
        "The model is trained for some steps, with `torch.optim.SGD(model.parameters(), "
        "lr=2.0)`. Which of its two tensors has changed afterwards?",
        right="B",
        code="""\
class Positions(nn.Module):
    def __init__(self, length, features):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(features))  # learned
        self.table = nn.Parameter(waves(length, features))  # fixed sines

    def forward(self, words):
        return words * self.gain + self.table""",
        choices=(
            Choice(
                "`gain`, since only it is meant to be learned",
                "This is what we meant. But the code says nothing of it: the two lines are alike.",
            ),
            Choice(
                "`gain` and `table`",
                "An optimizer changes what it is given, and `parameters()` gave it both. It "
                "cannot know what you meant.",
            ),
            Choice(
                "Neither, because the model is on the GPU and the optimizer is not",
                "An optimizer has no device. It works on the parameters where they are.",
            ),
            Choice(
                "It raises, because a table of sines cannot be trained",
                "Any tensor of floating-point numbers can be trained. That is why nothing warns "
                "you.",
            ),
        ),
    ),
    Question(
        "04.2",
        "`mask` is a `bool` buffer of `block`, and `last_words` a plain tensor. Its child "
        '`positions` has a parameter `gain` and a buffer `table`. After `block.to("cuda")`, '
        "which tensors are on the GPU?",
        right="C",
        choices=(
            Choice(
                "Only `positions.gain`: it is the only parameter",
                "This confuses moving with training. A buffer is left out of `parameters()`, not "
                "of the move.",
            ),
            Choice(
                "`positions.gain` and `positions.table`, which are registered, but not `mask`, "
                "since it is `bool`",
                "A buffer may have any dtype, and a change of device does not ask for one.",
            ),
            Choice(
                "`positions.gain`, `positions.table` and `mask`, but not `last_words`",
                "For a move, a Parameter and a buffer are alike, and a module passes the move on "
                "to its children. `last_words` is a plain tensor, and stays.",
            ),
            Choice(
                "Only `mask`: the others belong to a child, which must be moved by itself",
                "`.to()` visits children, and their children. You move the outermost module, and "
                "no other.",
            ),
        ),
    ),
    Question(
        "04.3",
        "What does `nn.Parameter(torch.tensor([0, 0, 1, 2, 1]))` do?",
        right="C",
        choices=(
            Choice(
                "It makes a Parameter of whole numbers, and training rounds to the next one",
                "That would be a guess at what you meant. A gradient is a slope, and rounding "
                "has none to follow.",
            ),
            Choice(
                "It makes a Parameter, and turns the numbers into `float32`",
                "That would be a guess at what you meant. PyTorch never changes a dtype here "
                "without being asked.",
            ),
            Choice(
                "It raises, at once, on any device",
                "A gradient is a slope, and whole numbers have none. A Parameter asks for "
                "gradients from the start, so it raises where it is made.",
            ),
            Choice(
                "It works, and raises later, in `loss.backward()`",
                "That would be worse: the error would be far from its cause.",
            ),
        ),
    ),
    Question(
        "04.4",
        "The parameter is registered twice. How many parameters does the module have?",
        right="A",
        code="""\
self.gain = nn.Parameter(torch.ones(4))
self.register_parameter("gain", self.gain)""",
        choices=(
            Choice(
                "One",
                "The assignment registered it already. The call puts the same object under the "
                "same name once more, which adds nothing.",
            ),
            Choice(
                "Two: the optimizer would change `gain` twice in each step",
                "A name stands once in the register.",
            ),
            Choice(
                "None: the second line takes the first one back",
                "Nothing is taken back, since the same object goes in again.",
            ),
            Choice(
                "It raises, because the name is taken",
                "This is what happens if `gain` was a plain attribute before: then the module "
                "refuses to have two different things under one name.",
            ),
        ),
    ),
)
