"""Where a gradient goes."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "08.1",
        'How many parameters do `WrappedLast("cuda")` and `MovedLast("cuda")` have?',
        right="B",
        code="""\
class WrappedLast(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.gates = nn.Parameter(torch.ones(3).to(device))

class MovedLast(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.gates = nn.Parameter(torch.ones(3)).to(device)""",
        choices=(
            Choice(
                "1 and 1",
                'True on the CPU, where `.to("cpu")` returns the Parameter itself. So nobody sees '
                "the bug where most code is written.",
            ),
            Choice(
                "1 and 0",
                '`nn.Parameter(t).to("cuda")` is a copy of a Parameter: a plain tensor with a '
                "`grad_fn`. A module does not register those.",
            ),
            Choice(
                "0 and 1",
                "It is the other way round.",
            ),
            Choice(
                '`MovedLast("cuda")` raises',
                "To a module, a plain tensor is an ordinary attribute.",
            ),
        ),
    ),
    Question(
        "08.2",
        "Where is the gradient after `loss.backward()`?",
        right="C",
        code="""\
pixels = torch.ones(3, requires_grad=True)
on_gpu = pixels.cuda()
loss = (on_gpu * 2).sum()""",
        choices=(
            Choice(
                "In `on_gpu.grad`, on CUDA",
                "`on_gpu` is not a leaf. Gradients pass through it, and autograd keeps none there "
                "unless you call `on_gpu.retain_grad()`.",
            ),
            Choice(
                "In `pixels.grad`, on CUDA",
                "A gradient is on the device of its tensor, and `pixels` is on the CPU.",
            ),
            Choice(
                "In `pixels.grad`, on the CPU",
                "`.cuda()` is one step from the leaf to the loss. On the way back, the gradient "
                "passes through it to the CPU.",
            ),
            Choice(
                "It raises: a gradient cannot cross devices",
                "The step back over `.cuda()` is a copy to the CPU.",
            ),
        ),
    ),
    Question(
        "08.3",
        "Which of the four are leaves?",
        right="D",
        code="""\
1. torch.ones(3, requires_grad=True).cuda()
2. torch.ones(3, device="cuda", requires_grad=True)
3. Variable(torch.ones(3).cuda(), requires_grad=True)
4. on_gpu.detach().requires_grad_()""",
        choices=(
            Choice(
                "All four: each says `requires_grad`",
                "Requiring a gradient is something else: 1 is a copy that autograd tracked.",
            ),
            Choice(
                "1 and 2",
                "In 1, the leaf is the tensor on the CPU.",
            ),
            Choice(
                "3 and 4",
                "These two are. But 2 is created on the GPU, and nothing came before it.",
            ),
            Choice(
                "2, 3 and 4",
                "2 and 3 are created on or moved to the GPU before autograd tracks them. In 4, "
                '`detach()` cuts the copy off. Whatever says "learn this" must come last.',
            ),
        ),
    ),
)
