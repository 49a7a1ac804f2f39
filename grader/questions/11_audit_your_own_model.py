"""What an audit sees."""

from grader.questions import Choice, Question

TEACHER = """\
class MeanTeacher(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.student = nn.Linear(features, classes)
        self.average = [weight.detach().clone() for weight in self.student.parameters()]
    ..."""

QUESTIONS = (
    Question(
        "11.1",
        "`audit` builds a `MeanTeacher`, moves it, calls it, trains it and reloads it. What does "
        "it find?",
        right="A",
        code=TEACHER,
        choices=(
            Choice(
                "The two tensors of `average` stay behind",
                "They are in a list, which hides them from the move and from the checkpoint.",
            ),
            Choice(
                "Nothing: it runs",
                "That is what a run on the CPU says.",
            ),
            Choice(
                "The student is not trained",
                "The student is an ordinary child, and it is trained.",
            ),
            Choice(
                "It finds nothing and raises",
                "The audit catches and explains what the model raises.",
            ),
        ),
    ),
    Question(
        "11.2",
        "You have a model that was moved to CUDA by hand, plain tensors too. Is it better to audit "
        "the model, or its class?",
        right="B",
        choices=(
            Choice(
                "The model: it is the one you use",
                "Right if the class is hard to construct. But it does not show how it was made.",
            ),
            Choice(
                "The class: a finished model does not show what its constructor does",
                "The audit watches the constructor, builds twice with two seeds, and builds on "
                "CUDA too if there is a `device` argument.",
            ),
            Choice(
                "It makes no difference",
                "Most findings come either way. But a device written into the constructor shows "
                "only while it runs.",
            ),
            Choice(
                "The model: auditing a class raises",
                "A `lambda` gives the class its arguments.",
            ),
        ),
    ),
    Question(
        "11.3",
        "How should `MeanTeacher` keep its average, so that the audit passes and the teacher is a "
        "good one?",
        right="D",
        code=TEACHER,
        choices=(
            Choice(
                "`self.average = nn.ParameterList(...)`",
                "It moves and is saved. But an optimizer would train it.",
            ),
            Choice(
                "The list, with `mean.to(now.device)` at each update",
                "It copies in each call, keeps nothing, and saves nothing.",
            ),
            Choice(
                "Any of these works",
                "Only one of them moves, is saved and is not trained.",
            ),
            Choice(
                "`self.teacher = copy.deepcopy(self.student).requires_grad_(False)`",
                "A frozen copy of the network moves, is saved, is not trained, and can be called.",
            ),
        ),
    ),
)
