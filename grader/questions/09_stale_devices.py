"""What remembers a device that is no longer true."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "09.1",
        "`Rotary` makes its table in the first call, on `x.device`, and keeps it as "
        "`self.angles`. One `Rotary` is moved to CUDA and then called. Another is called on the "
        "CPU, moved, and called again, on CUDA. What happens?",
        right="D",
        choices=(
            Choice(
                "Both work: the table is made on `x.device`",
                "This is what the line with `x.device` makes one believe. It is asked once.",
            ),
            Choice(
                "Both raise",
                "The one that was moved first makes its table on CUDA, and never sees the bug. "
                "That is most people, and most tests.",
            ),
            Choice(
                "The one that was moved first raises",
                "When it makes its table, it is on CUDA already, and so is the input.",
            ),
            Choice(
                "The one that was called first raises",
                "`device=x.device` is right, and it is asked once. In the second module the "
                "table was made on the CPU, and the move does not know it: it is a plain "
                "attribute.",
            ),
        ),
    ),
    Question(
        "09.2",
        'The constructor says `self.register_buffer("angles", None, persistent=False)`. The '
        "first call assigns a tensor to `self.angles`. What is `self.angles` then?",
        right="B",
        choices=(
            Choice(
                "A plain attribute again: the assignment replaces the buffer",
                "This would be so without the line in the constructor.",
            ),
            Choice(
                "A buffer, which moves",
                "The name is in the register of buffers, and whatever tensor you assign to it "
                "goes there. It moves along after that.",
            ),
            Choice(
                "It raises: a buffer that is None cannot be assigned to",
                'None stands for "no tensor yet". Moving and saving skip it.',
            ),
        ),
    ),
    Question(
        "09.3",
        "The module and its input are moved by `.cuda()`. Where are the scores?",
        right="D",
        code="""\
class Scorer(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layer = nn.Linear(features, 1)
        self.device = self.layer.weight.device

    def forward(self, x):
        return self.layer(x).to(self.device)""",
        choices=(
            Choice(
                "It raises in `self.layer`",
                "Weight and input are both on CUDA.",
            ),
            Choice(
                "It raises in `.to(self.device)`",
                "`.to` works between any two devices. That is why this one is silent: the result "
                "is right, but on the wrong device, and each call waits for a copy.",
            ),
            Choice(
                "On `cuda:0`: `self.device` follows the module",
                "This is true of `self.layer.weight.device`, which is asked anew each time.",
            ),
            Choice(
                "On the CPU",
                "And nothing raises. `self.device` is an ordinary attribute that holds the word "
                "`cpu`. A move changes tensors, not words.",
            ),
        ),
    ),
    Question(
        "09.4",
        '`Jitter` adds noise to its input, and makes it with `device="cuda"`. On which of `cpu`, '
        "`cuda:0` and `cuda:1` does it work?",
        right="B",
        choices=(
            Choice(
                "On `cuda:0` and on `cuda:1`",
                '`"cuda"` would have to know where the model is. It knows the current device, '
                "and nothing else.",
            ),
            Choice(
                "On `cuda:0` only",
                '`"cuda"` without a number is the current device, which is number 0 unless '
                "somebody changed it. The model may be on any other.",
            ),
            Choice(
                "On all three, since there is CUDA",
                "That the machine has a GPU says nothing of where this tensor is. In the script "
                "that builds the model such a line is right; in a module it is not.",
            ),
            Choice(
                "On none",
                "It works on one of the three. That one is the author's.",
            ),
        ),
    ),
    Question(
        "09.5",
        "`forward` says `self.calls += 1`. What does `calls` say after one call of "
        "`nn.DataParallel` with two replicas?",
        right="C",
        choices=(
            Choice(
                "2",
                "That is the number of replicas, and each counted to one, on a copy. None of "
                "them is the model that you hold.",
            ),
            Choice(
                "1",
                "That is the number of calls of the whole. But the model that you hold was "
                "copied, and not called itself.",
            ),
            Choice(
                "0",
                "It is done in each replica, on a `self` that is about to be thrown away. The "
                "model that you hold has never been called itself.",
            ),
            Choice(
                "It raises",
                "Nothing is wrong for Python. That is the trouble.",
            ),
        ),
    ),
)
