"""What `.cuda()` moves, and what an ordinary attribute costs."""

from grader.questions import Choice, Question

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
                "This is what one hopes for. But the module has no list that `window` is on.",
            ),
            Choice(
                "The four parameters",
                "This forgets the buffers. If those stayed, every model with a batch norm would "
                "break on its first move.",
            ),
            Choice(
                "The four parameters and the three buffers",
                "`Module.cuda()` moves all parameters and all buffers, those of its submodules "
                "too, and whatever their dtype. `window` is neither, so it stays.",
            ),
            Choice(
                "None, because I did not write `model = model.cuda()`",
                "This is true of tensors: `x.cuda()` returns a copy, which you must keep. "
                "A module is changed in place.",
            ),
        ),
    ),
    Question(
        "03.2",
        "`model.cuda()` was called. What does `model(spectra.cuda())` do now?",
        right="D",
        code=CLASSIFIER,
        choices=(
            Choice(
                "It works, and the scores are on `cuda:0`",
                "PyTorch would have to copy the window over. It does not: a copy between devices "
                "is slow, and one that you did not ask for would be hard to find.",
            ),
            Choice(
                "It works, and the scores are on the CPU",
                "PyTorch would have to fetch everything else back. It never moves a tensor that "
                "you did not ask it to move.",
            ),
            Choice(
                "It raises in `self.norm(spectrum)`",
                "`norm` is a child module, so it moved along, buffers included. "
                "Its input is on the GPU too, and that goes well.",
            ),
            Choice(
                "It raises in `... * self.window`",
                "`norm` and its input are both on the GPU. Their result is then multiplied by a "
                "window that is on the CPU, and there PyTorch raises.",
            ),
            Choice(
                "It raises in `self.linear(...)`",
                "`linear` moved, and would be content. It is never reached: the multiplication "
                "before it fails.",
            ),
        ),
    ),
    Question(
        "03.3",
        "Which of these lists hold the model's `window`?",
        right="D",
        code=CLASSIFIER,
        choices=(
            Choice(
                "`parameters()`",
                "Only an `nn.Parameter` gets there. This is a plain tensor, so no optimizer sees "
                "it, which would be right for a fixed window.",
            ),
            Choice(
                "`buffers()`",
                "This is where it should be. But a buffer must be registered; an assignment does "
                "not do that to a plain tensor.",
            ),
            Choice(
                "`state_dict()`, which is what a checkpoint saves",
                "It holds the parameters and the buffers, and nothing else. A checkpoint of this "
                "model has no window in it.",
            ),
            Choice(
                "None of them",
                "The missing move is only the symptom. The module does not know the tensor at "
                "all. Had it been measured from data, loading a checkpoint would lose it, and "
                "nothing would raise.",
            ),
        ),
    ),
    Question(
        "03.4",
        "`gain` is a plain tensor without dimensions, `torch.tensor(0.5)`. "
        "After `.cuda()`, what is the matter with the module?",
        right="C",
        code="""\
class Amplifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = torch.tensor(0.5)

    def forward(self, sound):
        return sound * self.gain""",
        choices=(
            Choice(
                "Nothing: it runs, so all is well",
                "It runs, because PyTorch takes a CPU tensor of one number for a Python number. "
                "But the gain did not move, and it is in no checkpoint.",
            ),
            Choice(
                "It raises, as any plain tensor would",
                "A tensor without dimensions is the exception: it may meet a CUDA tensor, as if "
                "it were a Python number.",
            ),
            Choice(
                "It runs, but `gain` is still on the CPU, and no checkpoint saves it",
                "This is the bug without the error. It surfaces later, when a checkpoint is "
                "loaded and the gain is back at its first value.",
            ),
        ),
    ),
)
