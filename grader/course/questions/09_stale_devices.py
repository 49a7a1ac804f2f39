"""What remembers a device that is no longer true."""

from grader.course.questions import Choice, Question

TRANSCRIBER = """\
class Transcriber(nn.Module):
    def __init__(self, bins, hidden, letters):
        super().__init__()
        ...
        self.device = self.letters.weight.device

    def noise(self, sound):
        return 0.01 * torch.randn(sound.shape, device=self.device)

    def silence(self, states):
        before = torch.zeros_like(states[:, :1])
        return before.to("cuda") if states.is_cuda else before

    def forward(self, sound):
        sound = self.norm(sound) * self.window(sound) + self.places(sound)
        if self.training:
            sound = sound + self.noise(sound)
        states, last = self.encoder(sound, self.state)
        self.state = last.detach()
        states = torch.cat([self.silence(states), states[:, :-1]], dim=1)
        return self.letters(states) + self.prior"""

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
        "A new `Transcriber` and its input are moved to CUDA. What does its first call do?",
        right="A",
        code=TRANSCRIBER,
        choices=(
            Choice(
                "It raises where the noise is added",
                "`self.device` still says `cpu`: a move changes tensors, and no other attribute. "
                "After `eval()` there is no noise, and nothing raises.",
            ),
            Choice(
                "It raises in the encoder, whose state is on the CPU",
                "There is no state before the first call.",
            ),
            Choice(
                "It raises in `torch.cat`",
                "It never gets that far. And on the first GPU, that line works.",
            ),
            Choice(
                "It works: no call has left anything behind yet",
                "The constructor has.",
            ),
        ),
    ),
    Question(
        "09.3",
        "New transcribers, after `eval()`, and their inputs are moved to `cpu`, `cuda:0` and "
        "`cuda:1`. Where does the first call work?",
        right="C",
        code=TRANSCRIBER,
        choices=(
            Choice(
                "On all three",
                "On `cuda:1`, the silence is still on `cuda:0`.",
            ),
            Choice(
                "On `cuda:0` and on `cuda:1`",
                "The CPU has a branch of its own.",
            ),
            Choice(
                "On `cpu` and on `cuda:0`",
                '`"cuda"` is the current device, number 0 unless somebody changed it. The model '
                "may be on any other.",
            ),
            Choice(
                "On none: it raises everywhere",
                "It works on two of the three, those that the author has.",
            ),
        ),
    ),
)
