"""A tensor is copied, a module is moved."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "02.1",
        '`pulse` is a tensor on the CPU. Then comes the line `pulse.to("cuda")`. What does '
        "`pulse.device` say afterwards?",
        right="B",
        choices=(
            Choice(
                "`cuda:0`",
                "This would be so if `to` moved the tensor itself. For a module it does.",
            ),
            Choice(
                "`cpu`",
                "A tensor never changes its device. `Tensor.to` makes a new tensor over there, "
                "copies the numbers, and returns it. This line did not keep it, so it was thrown "
                "away at once.",
            ),
            Choice(
                "It raises, because the result of `to` must be kept",
                "Python lets you ignore what a function returns. `x + 1` on a line of its own "
                "does nothing either, and does not raise.",
            ),
        ),
    ),
    Question(
        "02.2",
        '`linear` is a layer on the CPU. Then comes the line `linear.to("cuda")`, and nothing '
        "keeps the result. Where is `linear.weight` then?",
        right="A",
        choices=(
            Choice(
                "On `cuda:0`",
                "A module is a container of parameters. `Module.to` goes through them, puts each "
                "one on the GPU, and leaves the container where it was. The object is the same "
                "as before; what it holds has moved.",
            ),
            Choice(
                "On the CPU, as with a tensor",
                "This is true of tensors. It would be a nuisance for modules: an optimizer, "
                "other modules and your own variables know the model, and all must go on meaning "
                "the same object.",
            ),
            Choice(
                "Nowhere: a layer is not a tensor, so `to` raises",
                "A layer holds tensors, and `to` passes the order on.",
            ),
        ),
    ),
    Question(
        "02.3",
        "`linear` is a layer on the GPU, and `x` is a tensor on the CPU. What do `linear(x)` and "
        "`linear(x.cuda())` do?",
        right="C",
        choices=(
            Choice(
                "Both work, and both results are on the GPU",
                "The first would be a copy that nobody asked for. Copies between devices are "
                "slow, so PyTorch makes none by itself.",
            ),
            Choice(
                "The first works and gives a CPU tensor, the second works and gives a CUDA tensor",
                "For the first, the weights would have to come back to the CPU. Nobody asked for "
                "that.",
            ),
            Choice(
                "The first raises, the second works and gives a CUDA tensor",
                "A layer computes where its weights are. It does not fetch its input, and it "
                "does not send its result back.",
            ),
            Choice(
                "Both raise, since the module was not assigned: `linear = linear.to(...)`",
                "A module need not be assigned: it is moved in place.",
            ),
        ),
    ),
    Question(
        "02.4",
        "`pulse` is on the GPU already. What is in `pulse` after these lines?",
        right="B",
        code="""\
pulse = torch.tensor([61.0, 64.0, 90.0]).cuda()
smooth = pulse.to("cuda")
smooth += 100""",
        choices=(
            Choice(
                "`[61, 64, 90]`, since `smooth` is a copy",
                "This is so if the tensor came from another device. That makes it a bug that "
                "depends on where you start.",
            ),
            Choice(
                "`[161, 164, 190]`, since `smooth` is the same tensor",
                "There is nothing to copy, so `to` gives back the tensor itself, and both names "
                "mean one tensor. `+=` changes it in place.",
            ),
            Choice(
                "It raises: the tensor is on the GPU already",
                "Asking for what is already so is no mistake. That is why you may write `x = "
                "x.to(device)` everywhere, and pay nothing.",
            ),
        ),
    ),
    Question(
        "02.5",
        "`batch` is a list of two CPU tensors. Where are they after this loop?",
        right="C",
        code="""\
batch = [torch.randn(4, 3), torch.ones(4)]
for part in batch:
    part = part.to("cuda")""",
        choices=(
            Choice(
                "On the GPU: every result was kept",
                "Kept, yes, but under a name that the next round overwrites. The list holds what "
                "it held.",
            ),
            Choice(
                "The first on the CPU, and the second on the GPU",
                "After the loop, `part` itself is the second tensor, on the GPU. The list knows "
                "nothing of it.",
            ),
            Choice(
                "On the CPU",
                "`part` is a name of the loop's own. `part = ...` lets that name point to a new "
                "tensor, and the list still holds the old one.",
            ),
        ),
    ),
)
