"""What an audit sees."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "11.1",
        "`MeanTeacher` keeps the moving average of its student's weights in a plain list. "
        "`audit(make, inputs)` builds it, moves it, calls it, trains it and reloads it. What "
        "does the audit say?",
        right="A",
        choices=(
            Choice(
                "The two tensors of the average are in a list, so they stay behind",
                "The list hides the average from the move and from the checkpoint.",
            ),
            Choice(
                "Nothing: it runs",
                "This is what a run on the CPU says.",
            ),
            Choice(
                "The student is not trained",
                "The student is an ordinary child, and it is trained.",
            ),
            Choice(
                "It raises",
                "What the model raises is caught and explained. An audit itself raises only if "
                "you ask it for a GPU that is not there.",
            ),
        ),
    ),
    Question(
        "11.2",
        "A model exists, and has been moved to CUDA by hand, plain tensors too. Is it better to "
        "audit the model, or its class?",
        right="B",
        choices=(
            Choice(
                "The model: it is the one that I use",
                "This is right if the class cannot be built without much ado. But a finished "
                "module does not show how it was made.",
            ),
            Choice(
                "The class: a finished module does not show what its constructor does",
                "An audit of a class sees the constructor at work, builds it twice with two "
                "seeds, and on CUDA too if it takes a `device`.",
            ),
            Choice(
                "It makes no difference",
                "Most findings come either way. What the constructor does, such as a device "
                "written into it, shows only at work.",
            ),
            Choice(
                "The model, because with a class it raises",
                "A class that needs arguments is given by a `lambda`, and does not raise.",
            ),
        ),
    ),
    Question(
        "11.3",
        "`MeanTeacher` keeps the moving average of its student's weights in a plain list. Which "
        "of these makes the audit pass, and is a good teacher?",
        right="C",
        choices=(
            Choice(
                "`self.average = nn.ParameterList(...)`",
                "It moves and is saved as well. But its Parameters would be given to the "
                "optimizer and trained.",
            ),
            Choice(
                "`mean.to(now.device)`, where the average is updated",
                "It makes the copy anew in every call, never keeps it, and saves nothing.",
            ),
            Choice(
                "`self.average = copy.deepcopy(self.student).requires_grad_(False)`",
                "A frozen copy of the network moves, is saved, is not trained, and can be called.",
            ),
            Choice(
                "All of them",
                "Only one of the three moves, is saved and is not trained.",
            ),
        ),
    ),
)
