"""What is trained, and what is only kept."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "04.1",
        "`train(model)` runs SGD over `model.parameters()`. Which of the two tensors, `gain` and "
        "`table`, changes?",
        right="B",
        code="""\
class Positions(nn.Module):
    def __init__(self, length, features):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(features))  # learned
        self.table = nn.Parameter(waves(length, features))  # fixed

    def forward(self, words):
        return words * self.gain + self.table""",
        choices=(
            Choice(
                "Only `gain`, which is meant to be learned",
                "The code does not say so: the two lines are alike.",
            ),
            Choice(
                "Both",
                "An optimizer changes what it receives, and `parameters()` returned both.",
            ),
            Choice(
                "Neither: the model is on the GPU and the optimizer is not",
                "An optimizer has no device. It updates parameters where they are.",
            ),
            Choice(
                "It raises, because a table of sines cannot be trained",
                "Any floating-point tensor can be trained. That is why nothing warns you.",
            ),
        ),
    ),
    Question(
        "04.2",
        'Which tensors of `block` are on the GPU after `block.to("cuda")`?',
        right="C",
        code="""\
class Block(nn.Module):
    def __init__(self, length, features):
        super().__init__()
        self.positions = Positions(length, features)  # Parameter gain, buffer table
        future = torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
        self.register_buffer("mask", future)
        self.last_words = torch.zeros(length, features)""",
        choices=(
            Choice(
                "Only `positions.gain`, the only parameter",
                "A buffer is left out of `parameters()`, not out of the move.",
            ),
            Choice(
                "`positions.gain` and `positions.table`, but not the `bool` tensor `mask`",
                "A buffer may have any dtype.",
            ),
            Choice(
                "`positions.gain`, `positions.table` and `mask`, but not `last_words`",
                "All that is registered moves, in children too. `last_words` is a plain tensor.",
            ),
            Choice(
                "Only `mask`: a child must be moved by itself",
                "`.to()` visits children and their children.",
            ),
        ),
    ),
    Question(
        "04.3",
        "What does `nn.Parameter(torch.tensor([0, 0, 1, 2, 1]))` do?",
        right="D",
        choices=(
            Choice(
                "It makes an integer Parameter, and training rounds",
                "A gradient is a slope, and rounding has none to follow.",
            ),
            Choice(
                "It makes a Parameter of `float32`",
                "PyTorch does not change a dtype here unasked.",
            ),
            Choice(
                "It works, and `loss.backward()` raises later",
                "Then the error would be far from its cause.",
            ),
            Choice(
                "It raises at once, on any device",
                "Integers have no gradient, and a Parameter asks for gradients from the start. "
                "With `requires_grad=False` it is allowed.",
            ),
        ),
    ),
    Question(
        "04.4",
        "These two lines register `gain` twice. How many parameters does the module have?",
        right="A",
        code="""\
self.gain = nn.Parameter(torch.ones(4))
self.register_parameter("gain", self.gain)""",
        choices=(
            Choice(
                "One",
                "The call puts the same object under the same name again, which adds nothing.",
            ),
            Choice(
                "Two: the optimizer changes `gain` twice in each step",
                "A name is in the register once.",
            ),
            Choice(
                "None: the second line undoes the first",
                "The same object goes in again.",
            ),
            Choice(
                "It raises, because the name is taken",
                "It does if `gain` was a plain attribute before: one name cannot mean two things.",
            ),
        ),
    ),
)
