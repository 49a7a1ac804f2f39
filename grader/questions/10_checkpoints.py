"""What is saved, and where it comes back."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "10.1",
        "A thermometer has a Parameter, a buffer, a buffer with `persistent=False`, a plain "
        "tensor and a Python number. All are changed, and its `state_dict()` is saved. Which "
        "does a new thermometer have back after loading?",
        right="C",
        choices=(
            Choice(
                "All five",
                "This is true of pickling the whole object, which ties the file to your source "
                "code.",
            ),
            Choice(
                "The Parameter and both buffers",
                '`persistent=False` says "do not save". That is right for what the constructor '
                "can make again, and wrong here, since this one was changed afterwards.",
            ),
            Choice(
                "The Parameter and the first buffer",
                "`state_dict()` holds Parameters and persistent buffers.",
            ),
            Choice(
                "Only the Parameter",
                "This is what `parameters()` gives. A checkpoint has more.",
            ),
        ),
    ),
    Question(
        "10.2",
        "`trained` has seen a batch with a spread of 10, so its scale is 0.1. Its checkpoint is "
        "loaded into `loaded`, which is then called with a batch that has a spread of 1. What is "
        "the scale of `loaded` after that call?",
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
                "This is so up to the first call. A test that compares the weights after loading "
                "finds nothing.",
            ),
            Choice(
                "1.0, from the new batch",
                "The scale was loaded, 0.1. But `ready` is a Python bool, which the constructor "
                "sets to False. So the first call believes that nothing has been measured, and "
                "overwrites what was loaded.",
            ),
            Choice(
                "It raises, because a key is missing",
                "`ready` was never in the file, so no key is missing.",
            ),
        ),
    ),
    Question(
        "10.3",
        "A state was saved on CUDA. `model` is on the CPU, and "
        "`model.load_state_dict(torch.load(file))` is called on a machine with a GPU. Where is "
        "the model afterwards?",
        right="A",
        choices=(
            Choice(
                "On the CPU",
                "`torch.load` puts the state on CUDA. `load_state_dict` then copies the values "
                "into the tensors that the model has, and `copy_` works between any two devices.",
            ),
            Choice(
                "On CUDA: the state brings its device along",
                "This would be so with `load_state_dict(state, assign=True)`, which takes the "
                "tensors of the state themselves.",
            ),
            Choice(
                "It raises: CPU and CUDA are mixed",
                "Copying is the one operation that is made for two devices. But on a machine "
                'without a GPU, `torch.load` raises; `map_location="cpu"` is the cure.',
            ),
        ),
    ),
    Question(
        "10.4",
        "`norm` is a batch norm. `weight = norm.weight` and `mean = norm.running_mean` are kept "
        "from before `norm.cuda()`. Where are the two afterwards?",
        right="A",
        choices=(
            Choice(
                "`weight` is on CUDA, and `mean` is on the CPU",
                "A Parameter keeps its identity, since an optimizer may hold it: the moved "
                "values are put into it. A buffer is replaced by a new tensor.",
            ),
            Choice(
                "Both are on CUDA, because they are the module's",
                "This is so for the module's own attributes. But `mean` is a second name for a "
                "buffer, and the buffer is now another tensor.",
            ),
            Choice(
                "`weight` is on the CPU, and `mean` is on CUDA",
                "It is the other way round: the Parameter is the same object before and after, "
                "and the buffer is not.",
            ),
            Choice(
                "Both are on the CPU: they were kept before the move",
                "The Parameter is the same object before and after, so `weight` moved.",
            ),
        ),
    ),
    Question(
        "10.5",
        "After `.cuda()`, `embed.weight` is filled with sevens. With which of two ways to tie it "
        "does `head.weight` follow?",
        right="C",
        choices=(
            Choice(
                "With both",
                "This is so on the CPU, which is why nobody notices.",
            ),
            Choice(
                "Only with `head.weight.data = embed.weight.data`",
                "`.data` shares the memory, and not the Parameter. There are two Parameters, and "
                "a move gives each a memory of its own.",
            ),
            Choice(
                "Only with `head.weight = embed.weight`",
                "One Parameter under two names is moved once, and stays one.",
            ),
            Choice(
                "With neither: a move makes copies",
                "A Parameter keeps its identity in a move, and so does whatever is tied to it by "
                "being the same object.",
            ),
        ),
    ),
    Question(
        "10.6",
        "A model gets a new head after the optimizer was built. What do ten steps change?",
        right="C",
        choices=(
            Choice(
                "Nothing",
                "The body is the same as before, and the loss even falls a little. That is what "
                "makes it hard to see.",
            ),
            Choice(
                "The body and the new head",
                "The optimizer would have to look at the model anew. It holds Parameters, not a "
                "model.",
            ),
            Choice(
                "The body, and not the new head",
                "The optimizer still holds the old head, which gets no gradient any more and is "
                "skipped. The new one gets gradients that nobody uses.",
            ),
            Choice(
                "It raises: the optimizer holds a Parameter that is gone",
                "The old Parameter still exists, because the optimizer holds it. One without a "
                "gradient is nothing unusual.",
            ),
        ),
    ),
)
