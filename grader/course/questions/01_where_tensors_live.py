"""Where a tensor is made, and what mixes."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "01.1",
        "There is a GPU. Where does `torch.zeros(3)` make its tensor?",
        right="B",
        choices=(
            Choice(
                "On the GPU, since there is one",
                "Then one program would behave differently from machine to machine.",
            ),
            Choice(
                "On the CPU",
                "PyTorch never picks the GPU by itself. New tensors, new layers and tensors from "
                "NumPy are on the CPU unless you say otherwise.",
            ),
            Choice(
                "It depends on how much GPU memory is free",
                "PyTorch does not look.",
            ),
            Choice(
                "It raises, because no device was named",
                "There is a default, the CPU.",
            ),
        ),
    ),
    Question(
        "01.2",
        "`length = torch.tensor(4).cuda()` is on the GPU. Where is `torch.arange(length)`?",
        right="A",
        choices=(
            Choice(
                "On the CPU",
                "`arange` reads the number out of the tensor and forgets where it came from. "
                "Without `device=`, the result is on the CPU.",
            ),
            Choice(
                "On the GPU, like `length`",
                "True of operations such as `length * 2`. But `arange` makes a new tensor and "
                "only needs a size.",
            ),
            Choice(
                "It raises: `arange` needs a Python number",
                "A tensor that holds one number may be used as a number.",
            ),
        ),
    ),
    Question(
        "01.3",
        "`photo` is on the GPU and `tint` is on the CPU, both of shape (2, 2). What does "
        "`photo * tint` do?",
        right="D",
        choices=(
            Choice(
                "It copies `tint` to the GPU; the result is there",
                "PyTorch makes no copy that you did not ask for.",
            ),
            Choice(
                "It copies `photo` to the CPU; the result is there",
                "PyTorch copies nothing unasked.",
            ),
            Choice(
                "The result is where the first of the two is",
                "The order of factors does not decide where to compute.",
            ),
            Choice(
                "It raises",
                "PyTorch could copy one of the two. But a hidden copy is slow and hard to find, "
                "so it raises instead.",
            ),
        ),
    ),
    Question(
        "01.4",
        "`scores` is on the GPU. Which of these raises?",
        right="C",
        choices=(
            Choice(
                "`print(scores)`",
                "It fetches a copy of the numbers, which works everywhere.",
            ),
            Choice(
                "`scores.tolist()`",
                "It copies the numbers into Python. It waits for the GPU, but it works.",
            ),
            Choice(
                "`scores.numpy()`",
                "The array would have to share the tensor's memory, and NumPy cannot read a GPU's.",
            ),
            Choice(
                "All of them",
                "Two of the three make a copy, which works.",
            ),
        ),
    ),
    Question(
        "01.5",
        '`device = torch.device("cuda")`, and `batch.device` prints `cuda:0`. What is '
        "`batch.device == device`?",
        right="A",
        choices=(
            Choice(
                "`False`",
                "`cuda` is the current GPU, whichever that is; `cuda:0` is the first. Compare "
                'kinds, `batch.device.type == "cuda"`, or the devices of two tensors.',
            ),
            Choice(
                "`True`: it is the same GPU",
                "Most people expect this. PyTorch compares the two as they are written.",
            ),
            Choice(
                "It raises",
                "Any two devices can be compared.",
            ),
        ),
    ),
)
