"""Layers in lists and dicts."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "05.1",
        "`Classifier` keeps `first` and `norm` as attributes, its `hidden` layers in a list, and "
        "`head` as an `nn.Sequential(*layers)`. Which of them are in `parameters()`?",
        right="D",
        choices=(
            Choice(
                "Only `first` and `norm`: `head` was built from a list",
                "The star in `nn.Sequential(*layers)` takes the layers out of the list and hands "
                "them over one by one. The list was temporary, and `nn.Sequential` registers "
                "what it is given.",
            ),
            Choice(
                "None, because no layer was registered by a call",
                "Assigning is registering.",
            ),
            Choice(
                "All of them",
                "PyTorch would have to look into every list you keep. It looks at the attribute "
                "itself, and no deeper.",
            ),
            Choice(
                "`first`, `norm` and `head`",
                "`first` and `norm` are modules, and so is the `nn.Sequential` in `head`. The "
                "list `hidden` is a list.",
            ),
        ),
    ),
    Question(
        "05.2",
        "The hidden layers of `model` are in a list; its `first` and `norm`, which come before "
        "them, are attributes. What does `model.cuda()(flowers.cuda())` do?",
        right="D",
        choices=(
            Choice(
                "It works: the layers follow their model",
                "This is what we wanted. `.cuda()` looks at registers, and the layers in the "
                "list are in none.",
            ),
            Choice(
                "It works, but the hidden layers compute on the CPU",
                "PyTorch would have to fetch the batch to the CPU and back, unasked. It never "
                "does.",
            ),
            Choice(
                "It raises in `model.cuda()`",
                "The move does not know the layers, so it cannot complain about them.",
            ),
            Choice(
                "It raises in the first hidden layer",
                "`first` and `norm` moved and do their work. Their result, on the GPU, meets a "
                "layer on the CPU.",
            ),
        ),
    ),
    Question(
        "05.3",
        "`encoder` keeps two `nn.Dropout(0.5)` in a list, and applies them one after the other. "
        "After `encoder.cuda()` and `encoder.eval()`, what does `encoder(ones)` give?",
        right="C",
        choices=(
            Choice(
                "It raises, since the dropouts are on the CPU",
                "A dropout has no tensors, so it is on no device. Nothing can clash.",
            ),
            Choice(
                "Ones: nothing is dropped after `eval()`",
                "This is what the author believed. `eval()` never came to the dropouts.",
            ),
            Choice(
                "Zeros here and there: dropout is still on",
                "`eval()` goes the same road as `.cuda()`, from child to child. It never reaches "
                "the list, so each dropout is still in training mode.",
            ),
            Choice(
                "It raises, since `eval()` finds no layers",
                "A module without children is nothing unusual, and `eval()` is content with it.",
            ),
        ),
    ),
    Question(
        "05.4",
        "Which of these registers both Parameters of the dict?",
        right="C",
        code="""\
self.scales = {
    "low": nn.Parameter(torch.ones(4)),
    "high": nn.Parameter(torch.ones(4)),
}""",
        choices=(
            Choice(
                "The dict as it stands: they are Parameters already",
                "A Parameter registers itself when it is assigned to an attribute. Here a dict "
                "is assigned.",
            ),
            Choice(
                "`nn.ModuleDict` around the dict",
                "A Parameter is a tensor, not a module, and `nn.ModuleDict` raises.",
            ),
            Choice(
                "`nn.ParameterDict` around the dict",
                "There are two families: `ModuleList` and `ModuleDict` hold modules, "
                "`ParameterList` and `ParameterDict` hold Parameters.",
            ),
            Choice(
                "`nn.ModuleDict` and `nn.ParameterDict` both do",
                "Only one of the two takes tensors; `nn.ModuleDict` takes modules, and raises.",
            ),
        ),
    ),
)
