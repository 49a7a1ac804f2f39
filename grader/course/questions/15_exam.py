"""Three modules for practice: what happens when they move, train a step, and are saved?"""

from grader.course.questions import Choice, Question

SMOOTHER = """\
class Smoother(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.kernel = torch.ones(width) / width
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, signal):
        windows = signal.unfold(-1, len(self.kernel), 1)
        smooth = (windows * self.kernel).sum(dim=-1)
        return self.gain * smooth"""

STYLES = """\
class Styles(nn.Module):
    def __init__(self, styles=3, width=4):
        super().__init__()
        self.base = nn.Linear(width, width)
        self.styles = [nn.Parameter(torch.ones(width)) for _ in range(styles)]

    def forward(self, x):
        x = self.base(x)
        return torch.stack([style.to(x.device) * x for style in self.styles])"""

REORDERED = """\
class Reordered(nn.Module):
    def __init__(self):
        super().__init__()
        self.order = torch.tensor([2, 0, 1])
        self.scale = torch.tensor(0.5)
        self.mix = nn.Linear(3, 3)

    def forward(self, x):
        return self.mix(x[:, self.order]) * self.scale"""

QUESTIONS = (
    Question(
        "15.1",
        "`Smoother` moves with `.cuda()` and takes a training step on CUDA inputs. What happens?",
        right="C",
        code=SMOOTHER,
        choices=(
            Choice("It works", "`kernel` is a plain tensor, and `.cuda()` leaves it behind."),
            Choice(
                "It is silently wrong: `kernel` is not trained",
                "`kernel` is meant to be constant, and it never gets as far as training.",
            ),
            Choice(
                "It raises in `smooth = …`",
                "That line multiplies CUDA windows by a CPU kernel.",
            ),
            Choice(
                "It raises in `windows = …`",
                "That line asks `kernel` for its length only, and a length has no device.",
            ),
        ),
    ),
    Question(
        "15.2",
        "`Styles` moves with `.cuda()`, takes a training step, and is saved and loaded again. "
        "What happens?",
        right="B",
        code=STYLES,
        choices=(
            Choice(
                "It works",
                "The calls do. The optimizer and the checkpoint never see the styles.",
            ),
            Choice(
                "It is silently wrong: the styles are neither trained nor saved",
                "A list hides them from `parameters()` and `state_dict()`, and `.to(x.device)` "
                "hides that from CUDA.",
            ),
            Choice(
                "It raises in `x = self.base(x)`",
                "`base` is registered, so it moved.",
            ),
            Choice(
                "It raises in `return …`",
                "It would without `.to(x.device)`.",
            ),
        ),
    ),
    Question(
        "15.3",
        "`Reordered` moves with `.cuda()`, takes a training step, and is saved and loaded again. "
        "What happens?",
        right="A",
        code=REORDERED,
        choices=(
            Choice(
                "It works",
                "An index may stay on the CPU, and so may a tensor without dimensions. Both are "
                "constants.",
            ),
            Choice(
                "It is silently wrong: `order` is not saved",
                "The constructor makes it again, so no checkpoint needs it.",
            ),
            Choice(
                "It raises, because `order` is on the CPU",
                "A CUDA tensor takes a CPU index; only the reverse raises.",
            ),
            Choice(
                "It raises, because `scale` is on the CPU",
                "A CPU tensor without dimensions counts as a number.",
            ),
        ),
    ),
)
