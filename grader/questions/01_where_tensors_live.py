"""Where a tensor is made, and what mixes."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "01.1",
        "There is a GPU. Where does `torch.zeros(3)` make its tensor?",
        right="B",
        choices=(
            Choice(
                "On the GPU, since there is one",
                "Then the same program would do different things on different machines.",
            ),
            Choice(
                "On the CPU",
                "PyTorch never picks the GPU by itself. If you say nothing, it is the CPU: for "
                "new tensors, new layers, and tensors that are loaded from NumPy.",
            ),
            Choice(
                "It depends on how much memory is free on the GPU",
                "Then the same program would fail at other places from one day to the next. "
                "PyTorch does not look.",
            ),
            Choice(
                "It raises: with two places to choose from, one must be named",
                "There is a default, the CPU.",
            ),
        ),
    ),
    Question(
        "01.2",
        "`length` is a number on the GPU, `torch.tensor(4).cuda()`. Where is "
        "`torch.arange(length)`?",
        right="A",
        choices=(
            Choice(
                "On the CPU",
                "`arange` reads the number out of the tensor, and forgets where it came from. No "
                "`device=` was said, so the result is on the CPU.",
            ),
            Choice(
                "On the GPU, as `length` is",
                "This is true of operations, such as `length * 2`. But `arange` does not operate "
                "on a tensor. It makes a new one, of a size.",
            ),
            Choice(
                "It raises: `arange` wants an ordinary number",
                "A tensor with one number in it may be used as a number.",
            ),
        ),
    ),
    Question(
        "01.3",
        "`photo` is on the GPU, `tint` is on the CPU, and both have the shape (2, 2). What does "
        "`photo * tint` do?",
        right="D",
        choices=(
            Choice(
                "It copies `tint` to the GPU, and the result is there",
                "That is a copy that you did not ask for. It takes much longer than the "
                "multiplication, and you would never know why the program is slow.",
            ),
            Choice(
                "It copies `photo` to the CPU, and the result is there",
                "That is a copy that you did not ask for, and the slow one of the two: the GPU "
                "would have nothing to do.",
            ),
            Choice(
                "The result is where the first of the two is",
                "The order of two factors does not say where to compute. PyTorch makes no copy "
                "by itself, in either direction.",
            ),
            Choice(
                "It raises",
                "PyTorch could copy one of the two, and does not: a hidden copy is slow, and "
                "hard to find. An error is kinder.",
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
                "A print promises nothing about memory. It fetches a copy of the numbers, and "
                "works everywhere.",
            ),
            Choice(
                "`scores.tolist()`",
                "It makes Python numbers, which are a copy anyway. It waits until the GPU is "
                "done, so it makes a loop slow, but it works.",
            ),
            Choice(
                "`scores.numpy()`",
                "`.numpy()` promises an array that shares the memory of the tensor, so that "
                "nothing is copied. NumPy cannot look into a GPU, so the promise cannot be kept.",
            ),
            Choice(
                "All of them",
                "Two of the three make a copy, and a copy works from everywhere.",
            ),
        ),
    ),
    Question(
        "01.5",
        '`device = torch.device("cuda")`, and `batch.device` says `cuda:0`. What is '
        "`batch.device == device`?",
        right="A",
        choices=(
            Choice(
                "`False`",
                "`cuda` means the current one, whichever that is, and `cuda:0` means the first. "
                'To compare, ask for the kind, `batch.device.type == "cuda"`, or compare the '
                "devices of two tensors.",
            ),
            Choice(
                "`True`: it is the same GPU",
                "This is what everybody expects, and in an `if` it costs an afternoon. The two "
                "are compared as they are written.",
            ),
            Choice(
                "It raises",
                "Two devices can always be compared.",
            ),
        ),
    ),
)
