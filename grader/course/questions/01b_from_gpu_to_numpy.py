"""Which GPU, and how numbers get out of it."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "01b.1",
        "`batch = torch.rand(4, 3).cuda()` is on the GPU. What is `batch.device == "
        'torch.device("cuda")`?',
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
    Question(
        "01b.2",
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
)
