"""Who moves the batch."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "07.1",
        "`model` is a linear layer on the GPU, and `batch` comes from a loader, on the CPU. What "
        "does `model(batch)` do?",
        right="D",
        choices=(
            Choice(
                "It works: the model is on the GPU, so it fetches its input",
                "PyTorch never copies a tensor to another device by itself. A hidden copy would "
                "make your program slow, and you would not see where.",
            ),
            Choice(
                "It works, but on the CPU, since the input is there",
                "The weights would have to come back, for each batch.",
            ),
            Choice(
                "It raises in the loader",
                "The loader has done its work. It knows nothing of your model.",
            ),
            Choice(
                "It raises in the linear layer",
                "The layer's weight is on `cuda:0` and the batch is on the CPU, and no operation "
                "takes such a pair.",
            ),
        ),
    ),
    Question(
        "07.2",
        "Twelve objects, each with its measurements and its label, are given in three batches. "
        "If the dataset moves them, how many copies to the GPU are made in one pass?",
        right="C",
        choices=(
            Choice(
                "2: all measurements, all labels",
                "This is possible in another way: move all measurements and labels once, before "
                "the dataset is made. If your data fits onto the GPU, that is the fastest of all.",
            ),
            Choice(
                "6: measurements and labels, for each of three batches",
                "This is what the collate function and the training loop do.",
            ),
            Choice(
                "24: measurements and label, for each of twelve objects",
                "A dataset gives one object at a time. A copy costs nearly the same for four "
                "numbers as for four thousand, so many small ones are slow.",
            ),
            Choice(
                "It raises: a dataset cannot use CUDA",
                "This is true as soon as the loader has workers (`num_workers=2`): they are "
                "processes of their own, and a forked one that touches CUDA says `Cannot "
                "re-initialize CUDA in forked subprocess`.",
            ),
        ),
    ),
    Question(
        "07.3",
        "`classifier` is on CUDA and moves its input in `forward`. `batch` and `target` are on "
        "the CPU. What does `loss_function(classifier(batch), target)` do?",
        right="D",
        choices=(
            Choice(
                "It gives a loss on `cuda:0`",
                "The loss function would have to move the target, and it moves nothing.",
            ),
            Choice(
                "It gives a loss on the CPU",
                "The scores would have to come back, and nobody asked for that.",
            ),
            Choice(
                "It raises in `classifier`",
                "The classifier fixes its own input.",
            ),
            Choice(
                "It raises in the loss function",
                "`forward` moved what it was given, and it was not given the target. So the "
                "scores are on the GPU, the target is on the CPU, and the first to see both is "
                "the loss function.",
            ),
        ),
    ),
    Question(
        "07.4",
        "`Standardise` has nothing to train, and its `forward` begins with "
        "`x.to(next(self.parameters()).device)`. What does `Standardise().cuda()(batch)` do?",
        right="D",
        choices=(
            Choice(
                "It works, on CUDA",
                "`.cuda()` on this module has nothing to move, so it cannot remember a device "
                "either.",
            ),
            Choice(
                "It works, on the CPU",
                "This is what one would want: with no state, the module could just stay with its "
                "input.",
            ),
            Choice(
                "It raises the error about two devices",
                "That would need two tensors. It does not come that far.",
            ),
            Choice(
                "It raises something else",
                "`parameters()` gives nothing, and `next` of nothing raises `StopIteration`, "
                "with no text at all.",
            ),
        ),
    ),
    Question(
        "07.5",
        "After `to_device(views)`, which of the four tensors of the batch are on CUDA?",
        right="C",
        code="""\
def to_device(batch, device="cuda"):
    return {
        name: part.to(device) if torch.is_tensor(part) else part
        for name, part in batch.items()
    }

views = {
    "views": (torch.randn(4, 4), torch.randn(4, 4)),
    "labels": torch.randint(3, (4,)),
    "weights": torch.ones(4),
}""",
        choices=(
            Choice(
                "None, because `.to` returns a copy",
                "The copies are kept here, in a new dict.",
            ),
            Choice(
                "All four",
                "The function would have to look into the tuple as well.",
            ),
            Choice(
                "`labels` and `weights`",
                'The function looks at each value of the dict. The value of `"views"` is a '
                "tuple, which is no tensor, so it is handed on as it is, with the two tensors in "
                "it.",
            ),
            Choice(
                "It raises, because a tuple has no `.to`",
                "`torch.is_tensor` protects from that. It also hides the problem.",
            ),
        ),
    ),
)
