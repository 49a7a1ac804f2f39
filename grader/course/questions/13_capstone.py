"""A model with everything wrong."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "13.1",
        "`SoundVAE` has five device bugs. It is moved to CUDA and called with a batch. How many "
        "of them does the error name?",
        right="A",
        choices=(
            Choice(
                "At most one",
                "The first operation that mixes two devices raises, and nothing after it runs.",
            ),
            Choice(
                "All five",
                "An error comes from one operation.",
            ),
            Choice(
                "None, because the call works",
                "For that, the whole model would have to be on the CPU.",
            ),
            Choice(
                "None: it raises in `.cuda()`",
                "A move does not know what it forgets.",
            ),
        ),
    ),
    Question(
        "13.2",
        "What is the fix for `noise = torch.randn(std.shape)` in a model for any device?",
        right="B",
        choices=(
            Choice(
                "`torch.randn(std.shape).cuda()`",
                "It works on the first GPU alone.",
            ),
            Choice(
                "`torch.randn_like(std)`",
                "It has the shape, dtype and device of `std`.",
            ),
            Choice(
                "`torch.randn(std.shape, device=self.device)`, set in `__init__`",
                "Right until the model is moved.",
            ),
            Choice(
                "A buffer with noise in it",
                "It would move, but be the same in each call.",
            ),
        ),
    ),
    Question(
        "13.3",
        "The model is trained on CUDA, saved, and loaded on the CPU. How do the two compare in "
        "the mean that they compute for one batch?",
        right="D",
        choices=(
            Choice(
                "Equal to the last bit",
                "It may happen. Do not rely on it.",
            ),
            Choice(
                "Different, because of the noise",
                "The noise is added after the mean.",
            ),
            Choice(
                "It raises, because the checkpoint was made on CUDA",
                'With `map_location="cpu"` it opens anywhere.',
            ),
            Choice(
                "Equal except for rounding",
                "Two devices add in different orders. Compare with `torch.allclose` and a "
                "tolerance.",
            ),
        ),
    ),
)
