"""Layers in lists and dicts."""

from grader.course.questions import Choice, Question

CLASSIFIER = """\
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.norm = nn.LayerNorm(8)
        self.hidden = [nn.Linear(8, 8) for _ in range(3)]
        layers = [nn.ReLU(), nn.Linear(8, 3)]
        self.head = nn.Sequential(*layers)

    def forward(self, x):
        x = self.norm(self.first(x))
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.head(x)

model, flowers = Classifier(), torch.randn(5, 4)"""

QUESTIONS = (
    Question(
        "05.1",
        "Which layers of `model` are in `parameters()`?",
        right="D",
        code=CLASSIFIER,
        choices=(
            Choice(
                "Only `first` and `norm`: `head` was built from a list",
                "The star in `nn.Sequential(*layers)` hands the layers over one by one, and "
                "`nn.Sequential` registers them.",
            ),
            Choice(
                "None, because no layer was registered by a call",
                "Assigning a module registers it.",
            ),
            Choice(
                "All of them",
                "PyTorch looks at the attribute itself, not into a list.",
            ),
            Choice(
                "`first`, `norm` and `head`",
                "All three are modules, and `hidden` is a list.",
            ),
        ),
    ),
    Question(
        "05.2",
        "`encoder = Encoder(list)` keeps its two dropouts in a list. What does `encoder(ones)` "
        "return after `encoder.cuda()` and `encoder.eval()`?",
        right="C",
        code="""\
class Encoder(nn.Module):
    def __init__(self, container):
        super().__init__()
        self.dropouts = container([nn.Dropout(0.5), nn.Dropout(0.5)])

    def forward(self, x):
        for dropout in self.dropouts:
            x = dropout(x)
        return x

ones = torch.ones(1000).cuda()""",
        choices=(
            Choice(
                "It raises, since the dropouts are on the CPU",
                "A dropout has no tensors, so it is on no device.",
            ),
            Choice(
                "Ones: nothing is dropped after `eval()`",
                "The author believed so.",
            ),
            Choice(
                "Zeros here and there: dropout is still on",
                "`eval()` goes from child to child, as `.cuda()` does. It never reaches the list.",
            ),
            Choice(
                "It raises, since `eval()` finds no layers",
                "A module may have no children.",
            ),
        ),
    ),
    Question(
        "05.3",
        "Which container, in place of the dict, registers both Parameters?",
        right="A",
        code="""\
self.scales = {
    "low": nn.Parameter(torch.ones(4)),
    "high": nn.Parameter(torch.ones(4)),
}""",
        choices=(
            Choice(
                "`nn.ParameterDict`",
                "There are two families: `ModuleList` and `ModuleDict` hold modules, "
                "`ParameterList` and `ParameterDict` hold Parameters.",
            ),
            Choice(
                "`nn.ModuleDict`",
                "It raises: a Parameter is a tensor, not a module.",
            ),
            Choice(
                "Both `nn.ModuleDict` and `nn.ParameterDict`",
                "Only one of the two takes tensors.",
            ),
            Choice(
                "None: the dict is fine, they are Parameters already",
                "A Parameter is registered when it is assigned to an attribute. Here a dict is "
                "assigned.",
            ),
        ),
    ),
)
