"""A model with everything wrong."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "12.1",
        "The model has five faults that concern its devices. It is moved to CUDA and called with "
        "a batch. How many of them does the error speak of?",
        right="A",
        choices=(
            Choice(
                "One",
                "The first operation that mixes two devices raises, and nothing after it is run.",
            ),
            Choice(
                "All five",
                "This is what one would like. But an error comes from one operation, and nothing "
                "after it is run.",
            ),
            Choice(
                "None: it works",
                "For that, the whole model would have to have stayed on the CPU.",
            ),
            Choice(
                "None: it raises in `.cuda()`",
                "The move does not know what it forgets, so it cannot complain.",
            ),
        ),
    ),
    Question(
        "12.2",
        "Two of the five faults are fixed: what was in a list, and what was a plain tensor. "
        "What does the next audit find?",
        right="C",
        choices=(
            Choice(
                "Nothing any more",
                "This would be so if faults did not hide each other.",
            ),
            Choice(
                "Fewer faults",
                "This would be so if faults did not hide each other.",
            ),
            Choice(
                "Faults that it did not name before",
                "The run now comes further, and there it meets what the first faults hid. A "
                "longer list after a repair is good news.",
            ),
        ),
    ),
    Question(
        "12.3",
        "`std` is the spread of a model that works on any device. What is the cure of `noise = "
        "torch.randn(std.shape)`?",
        right="C",
        choices=(
            Choice(
                "`torch.randn(std.shape).cuda()`",
                "It works on the first GPU alone, and raises on the CPU.",
            ),
            Choice(
                "`torch.randn(std.shape, device=self.device)`, with `self.device` set in "
                "`__init__`",
                "It is right until the model is moved.",
            ),
            Choice(
                "`torch.randn_like(std)`",
                "The same shape, dtype and device as `std`, wherever that is.",
            ),
            Choice(
                "A buffer with noise in it",
                "It would move along. But noise that is the same in each call is no noise.",
            ),
        ),
    ),
    Question(
        "12.4",
        "The model is trained on CUDA, saved, and loaded on the CPU. The mean that it gives for "
        "a batch is compared on both. What do you expect?",
        right="B",
        choices=(
            Choice(
                "Equal to the last bit",
                "This may happen, and should not be relied upon: two devices add in different "
                "orders.",
            ),
            Choice(
                "Equal but for rounding",
                "Two devices add in different orders, so compare with `torch.allclose` and some "
                "tolerance.",
            ),
            Choice(
                "Different, because of the noise",
                "The noise is added after the mean. What is drawn does differ, in every call.",
            ),
            Choice(
                "It raises, because the checkpoint was made on CUDA",
                'With `map_location="cpu"` it opens anywhere.',
            ),
        ),
    ),
)
