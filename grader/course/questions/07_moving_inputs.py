"""Who moves the batch."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "07.1",
        "Twelve objects, each with measurements and a label, come in three batches. If the "
        "dataset's `__getitem__` moves them, how many copies to the GPU does one pass take?",
        right="C",
        choices=(
            Choice(
                "2: all measurements, all labels",
                "Possible if you move both before making the dataset. If your data fits onto the "
                "GPU, that is fastest.",
            ),
            Choice(
                "6: measurements and labels of three batches",
                "True of the collate function and the training loop.",
            ),
            Choice(
                "24: measurements and label of twelve objects",
                "A dataset returns one object at a time. Copying four numbers costs nearly as much "
                "as copying four thousand, so this is slow.",
            ),
            Choice(
                "It raises: a dataset cannot use CUDA",
                "True with workers (`num_workers=2`): `Cannot re-initialize CUDA in forked "
                "subprocess`.",
            ),
        ),
    ),
    Question(
        "07.2",
        "`classifier` is on CUDA and moves its input in `forward`. `batch` and `target` are on "
        "the CPU. What does `loss_function(classifier(batch), target)` do?",
        right="A",
        choices=(
            Choice(
                "It raises in the loss function",
                "`forward` never got the target, so the loss function is the first to see two "
                "devices.",
            ),
            Choice(
                "It raises in `classifier`",
                "The classifier moves its own input.",
            ),
            Choice(
                "It returns a loss on the CPU",
                "The scores would have to come back.",
            ),
            Choice(
                "It returns a loss on `cuda:0`",
                "A loss function moves nothing.",
            ),
        ),
    ),
    Question(
        "07.3",
        "What does `Standardize().cuda()(batch)` do, with the batch on the CPU?",
        right="B",
        code="""\
class Standardize(nn.Module):
    def forward(self, x):
        x = x.to(next(self.parameters()).device)
        return (x - x.mean(dim=1, keepdim=True)) / x.std(dim=1, keepdim=True)""",
        choices=(
            Choice(
                "It works, on CUDA",
                "`.cuda()` has nothing to move here, so the module cannot remember a device.",
            ),
            Choice(
                "It raises, but not about two devices",
                "`parameters()` is empty, and `next` of nothing raises `StopIteration`, without "
                "any text.",
            ),
            Choice(
                "It works, on the CPU",
                "It would if the module just stayed with its input.",
            ),
            Choice(
                "It raises because of two devices",
                "It never gets to two tensors.",
            ),
        ),
    ),
    Question(
        "07.4",
        'Which tensors are on CUDA in `to_device(views, "cuda")`?',
        right="D",
        code="""\
def to_device(batch, device):
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
                "The new dict keeps the copies.",
            ),
            Choice(
                "All four",
                "The function would have to look into the tuple.",
            ),
            Choice(
                "It raises: a tuple has no `.to`",
                "`torch.is_tensor` prevents that. It also hides the problem.",
            ),
            Choice(
                "`labels` and `weights`",
                'The value of `"views"` is a tuple, so it is passed on unchanged, with both '
                "tensors in it.",
            ),
        ),
    ),
)
