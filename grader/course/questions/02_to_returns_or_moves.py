"""A tensor is copied, a module is moved."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "02.1",
        '`pulse` is a tensor on the CPU. Then comes the line `pulse.to("cuda")`. What is '
        "`pulse.device` afterwards?",
        right="D",
        choices=(
            Choice(
                "`cuda:0`",
                "It would be if `to` changed the tensor itself.",
            ),
            Choice(
                "`cuda:0`, once the GPU has finished the copy",
                "The copy is another tensor, however long it takes.",
            ),
            Choice(
                "It raises, because the result is not kept",
                "Python lets you ignore what a function returns, as in a line `x + 1`.",
            ),
            Choice(
                "`cpu`",
                "A tensor never changes its device. `Tensor.to` copies the numbers into a new "
                "tensor and returns that. This line threw it away.",
            ),
        ),
    ),
    Question(
        "02.2",
        "`linear = nn.Linear(3, 2)` is on the CPU. Then comes the line "
        '`linear.to("cuda")`, and nothing keeps the result. Where is `linear.weight`?',
        right="A",
        choices=(
            Choice(
                "On `cuda:0`",
                "A module is a container of parameters. `Module.to` moves each of them and "
                "leaves the container the same object.",
            ),
            Choice(
                "On the CPU, as with a tensor",
                "An optimizer and other modules hold on to this model, so it must stay the same "
                "object and change in place.",
            ),
            Choice(
                "It raises: a layer is not a tensor",
                "A layer holds tensors, and `to` is passed on to them.",
            ),
            Choice(
                "On `cuda:0`, and `print(linear)` says so",
                "It prints as before. Only its weight's type changes, to `torch.cuda.FloatTensor`.",
            ),
        ),
    ),
    Question(
        "02.3",
        "What is in `pulse` after these three lines?",
        right="B",
        code="""\
pulse = torch.tensor([61.0, 64.0, 90.0]).cuda()
smooth = pulse.to("cuda")
smooth += 100""",
        choices=(
            Choice(
                "`[61, 64, 90]`, since `smooth` is a copy",
                "True if `pulse` had been on the CPU: a bug that depends on where you start.",
            ),
            Choice(
                "`[161, 164, 190]`, since `smooth` is the same tensor",
                "There is nothing to copy, so `to` returns the tensor itself. `+=` then changes "
                "it in place, under both names.",
            ),
            Choice(
                "It raises: the tensor is on the GPU already",
                "That is allowed. So `x = x.to(device)` costs nothing when `x` is there already.",
            ),
        ),
    ),
    Question(
        "02.4",
        "Where are the two tensors of `batch` after this loop?",
        right="C",
        code="""\
batch = [torch.randn(4, 3), torch.ones(4)]
for part in batch:
    part = part.to("cuda")""",
        choices=(
            Choice(
                "On the GPU: every result was kept",
                "It was kept under a name that the next round overwrites.",
            ),
            Choice(
                "The first on the CPU, the second on the GPU",
                "`part` itself ends up as the second copy. The list knows nothing of it.",
            ),
            Choice(
                "On the CPU",
                "`part = ...` lets the loop's own name point to a new tensor. The list still "
                "holds the old ones.",
            ),
        ),
    ),
)
