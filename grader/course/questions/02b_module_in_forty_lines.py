"""What `nn.Module` does when an attribute is assigned, and when the module moves."""

from grader.course.questions import Choice, Question

DENOISER = """\
class Denoiser(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.strength = nn.Parameter(torch.ones(1))
        self.register_buffer("hiss", torch.zeros(bins))
        self.smooth = nn.Linear(bins, bins)
        self.window = torch.hann_window(bins)
        self.layers = [nn.Linear(bins, bins)]
        self.device = self.strength.device

denoiser = Denoiser(bins=8)"""

QUESTIONS = (
    Question(
        "02b.1",
        "Python keeps the ordinary attributes of an object in the dict `vars(denoiser)`. Which of "
        "`window` and `smooth` are in it?",
        right="C",
        code=DENOISER,
        choices=(
            Choice(
                "Both",
                "True of most classes. But `nn.Module` has its own `__setattr__`.",
            ),
            Choice(
                "Only `smooth`",
                "It is the other way round.",
            ),
            Choice(
                "Only `window`",
                "`__setattr__` saw that `smooth` is a module, and put it into a register. A plain "
                "tensor gets no special treatment.",
            ),
            Choice(
                "Neither",
                "For a plain tensor there is no register.",
            ),
        ),
    ),
    Question(
        "02b.2",
        "How many `nn.Linear` layers does `denoiser.modules()` return after "
        "`denoiser.layers.append(nn.Linear(8, 8))`?",
        right="D",
        code=DENOISER,
        choices=(
            Choice(
                "It raises: the list is part of a module",
                "The list does not know that a module holds it.",
            ),
            Choice(
                "Three: `smooth` and two in the list",
                "`modules()` walks through the registers, and the list is in none.",
            ),
            Choice(
                "Two: `smooth` and the one that was appended",
                "`append` is a method of the list. The module is not asked.",
            ),
            Choice(
                "One: `smooth`",
                "When `layers` was assigned, `__setattr__` saw a list, and did not look inside.",
            ),
        ),
    ),
    Question(
        "02b.3",
        "`weight` and `mean` are names for `norm.weight` and `norm.running_mean`. Where are they "
        "after `norm.cuda()`?",
        right="B",
        code="""\
norm = nn.BatchNorm1d(3)
weight, mean = norm.weight, norm.running_mean""",
        choices=(
            Choice(
                "Both on CUDA, because they are the module's",
                "The module's own are. But `mean` still names the old buffer.",
            ),
            Choice(
                "`weight` on CUDA, `mean` on the CPU",
                "A Parameter stays the same object, since an optimizer may hold it. A move "
                "replaces a buffer by a new tensor.",
            ),
            Choice(
                "`weight` on the CPU, `mean` on CUDA",
                "It is the other way round.",
            ),
            Choice(
                "Both on the CPU, since they were named before the move",
                "The Parameter is the same object before and after, so `weight` moved.",
            ),
        ),
    ),
)
