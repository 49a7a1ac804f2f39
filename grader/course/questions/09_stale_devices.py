"""What remembers a device that is no longer true."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "09.1",
        "What happens to `moved_first` and `called_first` in these lines?",
        right="D",
        code="""\
class Rotary(nn.Module):
    ...
    def forward(self, x):
        if self.angles is None:
            positions = torch.arange(x.shape[1], device=x.device)
            self.angles = positions[:, None] * self.frequencies
        ...

moved_first, called_first = Rotary(4), Rotary(4)

moved_first.cuda()
moved_first(sequence.cuda())

called_first(sequence)
called_first.cuda()
called_first(sequence.cuda())""",
        choices=(
            Choice(
                "Both work: the table is created on `x.device`",
                "The line with `x.device` runs only in the first call.",
            ),
            Choice(
                "Both raise",
                "`moved_first` creates its table on CUDA and never meets the bug. Neither do most "
                "tests.",
            ),
            Choice(
                "`moved_first` raises",
                "Its table and its input are both on CUDA.",
            ),
            Choice(
                "`called_first` raises",
                "Its table was created on the CPU in the first call. It is a plain attribute, so "
                "the move leaves it there.",
            ),
        ),
    ),
    Question(
        "09.2",
        "`scorer` is on CUDA. Where are the scores of an input on CUDA?",
        right="A",
        code="""\
class Scorer(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layer = nn.Linear(features, 1)
        self.device = self.layer.weight.device

    def forward(self, x):
        return self.layer(x).to(self.device)

scorer = Scorer(4).cuda()""",
        choices=(
            Choice(
                "On the CPU",
                "`self.device` still says `cpu`, and a move changes only tensors. Nothing raises: "
                "each call waits for a copy and returns the result on the wrong device.",
            ),
            Choice(
                "On `cuda:0`: `self.device` follows the module",
                "True of `self.layer.weight.device`, asked each time.",
            ),
            Choice(
                "It raises in `self.layer`",
                "Weight and input are both on CUDA.",
            ),
            Choice(
                "It raises in `.to(self.device)`",
                "`.to` works between any two devices.",
            ),
        ),
    ),
    Question(
        "09.3",
        "A `Jitter` and its input are moved to `cpu`, `cuda:0` and `cuda:1`. Where does it work?",
        right="C",
        code="""\
class Jitter(nn.Module):
    def forward(self, x):
        return x + 0.1 * torch.randn(x.shape, device="cuda")""",
        choices=(
            Choice(
                "On `cuda:0` and on `cuda:1`",
                "On `cuda:1`, the noise is still on `cuda:0`.",
            ),
            Choice(
                "On all three, since there is CUDA",
                "The noise is on a GPU, but the input may not be.",
            ),
            Choice(
                "On `cuda:0` only",
                '`"cuda"` is the current device, number 0 unless somebody changed it. The model '
                "may be on any other.",
            ),
            Choice(
                "On none: it always raises",
                "It works on one of the three, the author's.",
            ),
        ),
    ),
)
