"""A first look at a device, and a first bug."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "00.1",
        "`pixels = torch.zeros(3)` is a tensor on the CPU. What does `print(pixels.cuda())` show "
        "that `print(pixels)` does not?",
        right="B",
        choices=(
            Choice(
                "Nothing: they are the same three zeros",
                "The numbers are the same, but a print also says where they are, as soon as it "
                "is not the CPU.",
            ),
            Choice(
                "`device='cuda:0'`",
                "The first tensor is in the CPU's memory, which PyTorch does not mention. The "
                "second is on the first GPU, and the print says so.",
            ),
            Choice(
                "It raises on a computer without a GPU",
                "It would. But `ensure_cuda()` was called first, and it puts a simulated device "
                "in the place of a missing one.",
            ),
        ),
    ),
    Question(
        "00.2",
        "The module and an image are moved to the GPU, and the one is called with the other. "
        "What happens?",
        right="C",
        code="""\
class Grayscale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.tensor([0.299, 0.587, 0.114])

    def forward(self, image):
        return (image * self.weights).sum(dim=-1)

image = torch.ones(4, 4, 3).cuda()
gray = Grayscale().cuda()(image)""",
        choices=(
            Choice(
                "A grey image, on the GPU",
                "This is what we wanted. But `weights` is an ordinary attribute, and `.cuda()` "
                "does not move those.",
            ),
            Choice(
                "A grey image, on the CPU",
                "PyTorch would have to fetch the image back by itself, and it never moves a "
                "tensor on its own.",
            ),
            Choice(
                "An error",
                "`.cuda()` moves what the module has registered, and `weights` is only an "
                "ordinary attribute. So the image is on the GPU, the weights are still on the "
                "CPU, and PyTorch refuses to multiply the two.",
            ),
        ),
    ),
    Question(
        "00.3",
        '`weights` is now registered, with `self.register_buffer("weights", ...)`, and the '
        "module is moved by `.cuda()`. What has to change in `forward`, which reads "
        "`self.weights`?",
        right="A",
        choices=(
            Choice(
                "Nothing",
                "A buffer is read like any attribute. What changed is that the module knows it, "
                "so `.cuda()` takes it along.",
            ),
            Choice(
                "It must say `self.weights.cuda()`",
                "The move has done that already. Written there, it would raise on a computer "
                "without a GPU.",
            ),
            Choice(
                'It must say `self.buffers["weights"]`',
                "Nobody has to look a buffer up: `self.weights` finds it. `buffers` is a method, "
                "so this raises.",
            ),
        ),
    ),
)
