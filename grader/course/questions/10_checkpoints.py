"""What is saved, and where it comes back."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "10.1",
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
        "10.2",
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
        "10.3",
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
