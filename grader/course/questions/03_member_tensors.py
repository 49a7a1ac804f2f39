"""What `.cuda()` moves, and what an ordinary attribute costs."""

from grader.course.questions import Choice, Question

CLASSIFIER = """\
class SpectrumClassifier(nn.Module):
    def __init__(self, bins, classes):
        super().__init__()
        self.window = torch.hann_window(bins)
        self.norm = nn.BatchNorm1d(bins)
        self.linear = nn.Linear(bins, classes)

    def forward(self, spectrum):
        return self.linear(self.norm(spectrum) * self.window)

model = SpectrumClassifier(bins=8, classes=3)"""

QUESTIONS = (
    Question(
        "03.1",
        "After `model.cuda()`, which of the model's eight tensors are on the GPU?",
        right="C",
        code=CLASSIFIER,
        choices=(
            Choice(
                "All eight",
                "The module would have to know `window`, and it does not.",
            ),
            Choice(
                "The four parameters",
                "This forgets the buffers. If they stayed, every model with a batch norm would "
                "break on its first move.",
            ),
            Choice(
                "The four parameters and the three buffers",
                "`Module.cuda()` moves all parameters and all buffers of any dtype, those of "
                "submodules too. `window` is neither, so it stays.",
            ),
            Choice(
                "None, because `model = model.cuda()` is missing",
                "True of tensors: `x.cuda()` returns a copy. A module changes in place.",
            ),
        ),
    ),
    Question(
        "03.2",
        "`model.cuda()` was called. What does `model(spectra.cuda())` do?",
        right="D",
        code=CLASSIFIER,
        choices=(
            Choice(
                "It works, and the scores are on `cuda:0`",
                "PyTorch makes no hidden copies.",
            ),
            Choice(
                "It works, and the scores are on the CPU",
                "PyTorch would have to fetch everything else back.",
            ),
            Choice(
                "It raises in `self.norm(spectrum)`",
                "`norm` moved, and its input is on the GPU too.",
            ),
            Choice(
                "It raises in `... * self.window`",
                "The result of `norm` is on the GPU and the window is on the CPU.",
            ),
            Choice(
                "It raises in `self.linear(...)`",
                "`linear` moved, but the call never gets that far.",
            ),
        ),
    ),
    Question(
        "03.3",
        "The plain tensor `gain` of an `Amplifier` has no dimensions. An amplifier is calibrated "
        "on a recording and then moved with `.cuda()`. What is wrong with it?",
        right="A",
        code="""\
class Amplifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.tensor(0.5)

    def calibrate(self, sound):
        self.gain = 1 / sound.abs().max()

    def forward(self, sound):
        return sound * self.gain""",
        choices=(
            Choice(
                "It runs, but `gain` is still on the CPU, and neither `parameters()` nor "
                "`state_dict()` contains it",
                "The bug without the error. It surfaces when a checkpoint is loaded and the gain "
                "is back at 0.5, whatever `calibrate` measured.",
            ),
            Choice(
                "It raises, as with any plain tensor",
                "A tensor without dimensions is the exception: it counts as a Python number.",
            ),
            Choice(
                "Nothing: it runs, so all is well",
                "It runs, and no checkpoint holds what was measured.",
            ),
        ),
    ),
)
