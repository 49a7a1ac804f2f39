"""What an audit sees."""

from grader.course.questions import Choice, Question

TEACHER = """\
class MeanTeacher(nn.Module):
    def __init__(self, features, classes):
        super().__init__()
        self.student = nn.Linear(features, classes)
        self.average = [weight.detach().clone() for weight in self.student.parameters()]
    ..."""

LISTED = (
    TEACHER
    + """

class ListedTeacher(MeanTeacher):
    def __init__(self, features, classes):
        super().__init__(features, classes)
        self.average = nn.ParameterList(self.average)"""
)

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
        "`model = nn.Linear(4, 3).cuda()` also got a plain tensor, `model.mask = "
        "torch.ones(3).cuda()`. Where is the mask of `copy.deepcopy(model).cpu()`?",
        right="B",
        choices=(
            Choice(
                "On the CPU, with the weights",
                "`.cpu()` moves what is registered, in a copy as in the original.",
            ),
            Choice(
                "On CUDA",
                "`deepcopy` copies every attribute to the device where it is, and no move touches "
                "a plain tensor.",
            ),
            Choice(
                "Nowhere: `deepcopy` copies what is registered",
                "It copies ordinary attributes as well.",
            ),
            Choice(
                "It raises: the model is on two devices",
                "Only an operation raises that mixes them.",
            ),
        ),
    ),
    Question(
        "11.3",
        "`ListedTeacher` keeps the average in an `nn.ParameterList`. What does `audit` find now?",
        right="D",
        code=LISTED,
        choices=(
            Choice(
                "The same error again",
                "The container registers both tensors, so they move and are saved.",
            ),
            Choice(
                "Nothing, and nothing is wrong any more",
                "Compare what is trained with what you meant to train.",
            ),
            Choice(
                "It raises: a Parameter cannot be changed by hand",
                "It can, under `torch.no_grad()`, as in `follow`.",
            ),
            Choice(
                "Nothing, but an optimizer would now train the teacher",
                "`nn.ParameterList` makes Parameters of both, and `parameters()` hands them to the "
                "optimizer. Whether you meant that, no audit knows.",
            ),
        ),
    ),
)
