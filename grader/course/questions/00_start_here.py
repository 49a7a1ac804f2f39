"""A first look at a device, and a first bug."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "00.1",
        "`pixels = torch.zeros(3)` is on the CPU. What does `print(pixels.cuda())` show that "
        "`print(pixels)` does not?",
        right="B",
        choices=(
            Choice(
                "Nothing: they are the same three zeros",
                "The numbers are the same, but a print also names the device, unless it is the "
                "CPU.",
            ),
            Choice(
                "`device='cuda:0'`",
                "The second tensor is on the first GPU, and the print says so. The first is in "
                "the CPU's memory, which PyTorch does not mention.",
            ),
            Choice(
                "It raises on a computer without a GPU",
                "It would, if `ensure_cuda()` had not put a simulated device in place.",
            ),
        ),
    ),
    Question(
        "00.2",
        "A `Grayscale` module and an image are both moved to the GPU. What does the call return?",
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
                "It should. But `weights` is an ordinary attribute, and `.cuda()` skips those.",
            ),
            Choice(
                "A grey image, on the CPU",
                "PyTorch would have to fetch the image back, and it never moves a tensor unasked.",
            ),
            Choice(
                "An error",
                "`.cuda()` moves what the module has registered. `weights` is only an ordinary "
                "attribute, so it stays on the CPU, and PyTorch refuses to multiply it with an "
                "image on the GPU.",
            ),
        ),
    ),
    Question(
        "00.3",
        '`weights` is now registered with `self.register_buffer("weights", ...)`. What has to '
        "change in `forward`, which reads `self.weights`?",
        right="A",
        choices=(
            Choice(
                "Nothing",
                "You read a buffer like any attribute. The module now knows it, so `.cuda()` "
                "takes it along.",
            ),
            Choice(
                "It must say `self.weights.cuda()`",
                "The move has done that already. And this raises on a computer without a GPU.",
            ),
            Choice(
                'It must say `self.buffers["weights"]`',
                "`self.weights` finds the buffer. `buffers` is a method, so this raises.",
            ),
        ),
    ),
)
