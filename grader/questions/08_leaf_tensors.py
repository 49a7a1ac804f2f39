"""Where a gradient goes."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "08.1",
        "`pixels` is a leaf on the CPU, and `on_gpu = pixels.cuda()`. A loss is computed from "
        "`on_gpu`. Where is the gradient after `loss.backward()`?",
        right="C",
        choices=(
            Choice(
                "In `on_gpu.grad`, on CUDA",
                "`on_gpu` is no leaf. Gradients pass through such tensors and are not kept in "
                "them.",
            ),
            Choice(
                "In `pixels.grad`, on CUDA",
                "A gradient always is where its tensor is, and `pixels` is on the CPU.",
            ),
            Choice(
                "In `pixels.grad`, on the CPU",
                "`.cuda()` is one step on the way from the leaf to the loss. On the way back the "
                "gradient passes through it, to the CPU, and lands on the leaf.",
            ),
            Choice(
                "It raises: a gradient cannot cross devices",
                "The step back over `.cuda()` is a `.cpu()`. Autograd knows that.",
            ),
        ),
    ),
    Question(
        "08.2",
        "`on_gpu = pixels.cuda()`, where `pixels` is a leaf that requires a gradient. What does "
        "`torch.optim.SGD([on_gpu], lr=0.1)` do?",
        right="C",
        choices=(
            Choice(
                "It works, and each step changes `on_gpu`",
                "`on_gpu` would have to keep a gradient, and only leaves do.",
            ),
            Choice(
                "It works, and no step changes anything",
                "This is what happens where no optimizer is given the tensor at all. It is "
                "worse, since nothing tells you.",
            ),
            Choice(
                "It raises",
                "An optimizer reads `.grad`, which only leaves have. It looks at once whether it "
                "was given leaves.",
            ),
        ),
    ),
    Question(
        "08.3",
        "Which of these four are leaves?",
        right="D",
        code="""\
1. torch.ones(3, requires_grad=True).cuda()
2. torch.ones(3, device="cuda", requires_grad=True)
3. torch.ones(3).cuda().requires_grad_()
4. on_gpu.detach().requires_grad_()""",
        choices=(
            Choice(
                "All four: each says `requires_grad`",
                "All four require a gradient; that is another question. In 1 the copy is made of "
                "a tensor that is watched already, so it has a past.",
            ),
            Choice(
                "1 and 2",
                "In 1, what was told to require a gradient is the tensor on the CPU. Its copy "
                "comes later, and has a past.",
            ),
            Choice(
                "3 and 4",
                "These two are. But so is 2: it is made on the GPU, and nothing came before it.",
            ),
            Choice(
                "2, 3 and 4",
                "In 2 and 3 the tensor is made on, or brought to, the GPU while nobody watches, "
                "and only then told to require a gradient. In 4 the copy is cut off from its "
                "past with `detach()`.",
            ),
        ),
    ),
    Question(
        "08.4",
        "`WrappedLast` says `nn.Parameter(torch.ones(3).to(device))`, and `MovedLast` says "
        "`nn.Parameter(torch.ones(3)).to(device)`. How many parameters do the two have, built "
        'with "cuda"?',
        right="C",
        choices=(
            Choice(
                "0 and 1",
                'It is the other way round: whatever says "learn this" must come last.',
            ),
            Choice(
                "1 and 1",
                'This is true on the CPU: there `.to("cpu")` has nothing to do and gives the '
                "Parameter itself. So the bug cannot be seen on the machine where most code is "
                "written.",
            ),
            Choice(
                "1 and 0",
                '`nn.Parameter(t).to("cuda")` is a copy of a Parameter, and the copy is a plain '
                "tensor with a `grad_fn`. A module registers Parameters and nothing else.",
            ),
            Choice(
                '`MovedLast("cuda")` raises',
                "That would be kinder. To a module, a plain tensor is an ordinary attribute.",
            ),
        ),
    ),
)
