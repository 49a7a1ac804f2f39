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
        "`photo` and `layer` are on the GPU, and `tint` is on the CPU. What do `photo * tint` and "
        "`layer(tint)` do?",
        right="D",
        choices=(
            Choice(
                "Both copy `tint` to the GPU",
                "PyTorch makes no copy that you did not ask for.",
            ),
            Choice(
                "Both compute on the CPU",
                "PyTorch copies nothing unasked.",
            ),
            Choice(
                "The product is on the GPU, and the layer raises",
                "The order of factors does not decide where to compute.",
            ),
            Choice(
                "Both raise",
                "PyTorch could copy one of the two. But a hidden copy is slow and hard to find, "
                "so it raises instead.",
            ),
        ),
    ),
)
