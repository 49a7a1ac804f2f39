"""What a replica of `nn.DataParallel` holds."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "09c.1",
        "What is `watched.calls` after one call of `parallel`, with its two replicas?",
        right="B",
        code="""\
class Watched(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        ...

    def forward(self, x):
        self.calls += 1
        ...

watched = Watched().cuda()
parallel = nn.DataParallel(watched, device_ids=[0, 1])""",
        choices=(
            Choice(
                "2",
                "Each of the two replicas counted, but on a copy.",
            ),
            Choice(
                "0",
                "Each replica counts on its own `self`, which is thrown away. Your model is never "
                "called itself.",
            ),
            Choice(
                "1",
                "Your model was copied, not called.",
            ),
            Choice(
                "It raises",
                "Python sees nothing wrong. That is the trouble.",
            ),
        ),
    ),
    Question(
        "09c.2",
        "`parallel = nn.DataParallel(nn.Linear(3, 2), device_ids=[0, 1])` wraps a layer on the "
        'CPU. What do `parallel.to("cuda:0")` and then `parallel(batch)` do, if `batch` is on '
        "`cuda:0`?",
        right="A",
        choices=(
            Choice(
                "They work",
                "`parallel` holds the layer as a child, and moves it. Wrap before or after the "
                "move: what counts is that the Parameters are on the first device at the call.",
            ),
            Choice(
                "They work on one GPU: the other replica stays on the CPU",
                "Each call makes its replicas from the layer, where that is now.",
            ),
            Choice(
                "The move raises: a wrapped layer cannot move",
                "`nn.DataParallel` is a module, and moves its child as any module does.",
            ),
            Choice(
                "The call raises: the move must come before the wrap",
                "It would if nothing had moved the layer.",
            ),
        ),
    ),
    Question(
        "09c.3",
        "What does `next(self.parameters())` return in the replicas of `asking`?",
        right="C",
        code="""\
class Asks(nn.Linear):
    def forward(self, x):
        return super().forward(x.to(next(self.parameters()).device))

asking = nn.DataParallel(Asks(3, 2).cuda(), device_ids=[0, 1])""",
        choices=(
            Choice(
                "The replica's own weight, on its GPU",
                "That is `self.weight`, a plain tensor there.",
            ),
            Choice(
                "Your model's weight, on `cuda:0`",
                "A replica holds copies, and knows nothing of your model.",
            ),
            Choice(
                "It raises: there is none",
                "The weights of a replica are plain tensors, so `parameters()` is empty. "
                "`self.weight.device` works.",
            ),
        ),
    ),
)
