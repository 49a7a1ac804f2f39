"""What is saved, and where it comes back."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "10.1",
        "All five attributes of `old` were changed to 37. Which does a new `Thermometer` have "
        "after loading `old.state_dict()`?",
        right="C",
        code="""\
class Thermometer(nn.Module):
    def __init__(self):
        super().__init__()
        self.parameter = nn.Parameter(torch.zeros(1))
        self.register_buffer("buffer", torch.zeros(1))
        self.register_buffer("not_persistent", torch.zeros(1), persistent=False)
        self.plain_tensor = torch.zeros(1)
        self.python_number = 0.0""",
        choices=(
            Choice(
                "All five",
                "True of pickling the whole object, which ties the file to your source code.",
            ),
            Choice(
                "`parameter`, `buffer` and `not_persistent`",
                "`persistent=False` means: do not save. Wrong for a value that changes.",
            ),
            Choice(
                "`parameter` and `buffer`",
                "`state_dict()` holds Parameters and persistent buffers.",
            ),
            Choice(
                "Only `parameter`",
                "That is what `parameters()` returns. A checkpoint has more.",
            ),
        ),
    ),
    Question(
        "10.2",
        "`loaded` loads the state of `trained`, whose scale is 0.1, and is then called with a "
        "batch that ranges from 0 to 1. What is its scale after that call?",
        right="B",
        code="""\
class FirstBatchScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.ready = False

    def forward(self, x):
        if not self.ready:
            with torch.no_grad():
                self.scale.fill_(1 / (x.max() - x.min()))
            self.ready = True
        return x * self.scale""",
        choices=(
            Choice(
                "0.1, as it was saved",
                "True until the call. Comparing the weights after loading shows nothing.",
            ),
            Choice(
                "1.0, from the new batch",
                "`ready` is a Python bool and was not saved. It is False, so the call measures "
                "again and overwrites what was loaded.",
            ),
            Choice(
                "It raises, because a key is missing",
                "`ready` was never in the file, so no key is missing.",
            ),
        ),
    ),
    Question(
        "10.3",
        "`model` is on the CPU, and the state in `file` was saved on CUDA. Where is the model "
        "after `model.load_state_dict(torch.load(file))`, on a machine with a GPU?",
        right="A",
        choices=(
            Choice(
                "On the CPU",
                "`torch.load` puts the state on CUDA. `load_state_dict` copies its values into "
                "the model's own tensors, and copying works between any two devices.",
            ),
            Choice(
                "On CUDA: the state brings its device along",
                "True of `load_state_dict(state, assign=True)`, which takes the state's tensors.",
            ),
            Choice(
                "It raises: CPU and CUDA are mixed",
                "Copying is made for two devices.",
            ),
        ),
    ),
    Question(
        "10.4",
        "After `.cuda()`, `embed.weight` is filled with sevens. With `share_parameter` or with "
        "`share_data`, does `head.weight` follow?",
        right="C",
        code="""\
def share_parameter(embed, head):
    head.weight = embed.weight

def share_data(embed, head):
    head.weight.data = embed.weight.data""",
        choices=(
            Choice(
                "With both",
                "True on the CPU, which is why nobody notices.",
            ),
            Choice(
                "Only with `share_data`",
                "`.data` shares memory, until a move gives each of the two Parameters its own.",
            ),
            Choice(
                "Only with `share_parameter`",
                "One Parameter under two names is moved once, and trained once.",
            ),
            Choice(
                "With neither: a move makes copies",
                "A Parameter stays the same object, under both names.",
            ),
        ),
    ),
    Question(
        "10.5",
        "`model[1]` is replaced after the optimizer was built. What do ten training steps change?",
        right="A",
        code="""\
model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[1] = nn.Linear(4, 3, device="cuda")""",
        choices=(
            Choice(
                "The body, not the new head",
                "The optimizer still holds the old head, which gets no gradient and is skipped.",
            ),
            Choice(
                "The body and the new head",
                "The optimizer would have to look at the model again. It holds Parameters.",
            ),
            Choice(
                "Nothing",
                "The body is trained, and the loss even falls a little. So it is hard to see.",
            ),
            Choice(
                "It raises: the optimizer holds a Parameter that is gone",
                "The optimizer keeps it alive, and a Parameter may lack a gradient.",
            ),
        ),
    ),
)
