"""Where a tensor lives that `forward` makes."""

from grader.course.questions import Choice, Question

QUESTIONS = (
    Question(
        "06.1",
        "All four tensors of `encoder` are registered. What does `encoder.cuda()(images.cuda())` "
        "do?",
        right="D",
        code="""\
class Encoder(nn.Module):
    def __init__(self, pixels, size):
        super().__init__()
        self.mean = nn.Linear(pixels, size)
        self.spread = nn.Linear(pixels, size)

    def forward(self, images):
        mean = self.mean(images)
        std = nn.functional.softplus(self.spread(images))
        noise = torch.randn(*mean.shape)
        return mean + std * noise""",
        choices=(
            Choice(
                "It works: noise drawn in a module on the GPU is on the GPU",
                "A module on the GPU is one whose tensors are there. `torch.randn` does not know "
                "who called it.",
            ),
            Choice(
                "It works, and the codes are on the CPU",
                "PyTorch would have to fetch `mean` and `std` to the CPU.",
            ),
            Choice(
                "It raises in `torch.randn(...)`",
                "It draws its noise without complaint, in the wrong place.",
            ),
            Choice(
                "It raises in `mean + std * noise`",
                "`torch.randn` got only a shape, so the noise is on the CPU. This line "
                "mixes it with `std`, on the GPU.",
            ),
            Choice(
                "It raises in `.cuda()`",
                "There is no noise yet when `.cuda()` runs.",
            ),
        ),
    ),
    Question(
        "06.2",
        "`std` is on the GPU. Which of these is on the CPU?",
        right="B",
        choices=(
            Choice(
                "`std * 2`",
                "The result of an operation is where its operands are.",
            ),
            Choice(
                "`torch.zeros(std.shape)`",
                "`std.shape` is a tuple of numbers, which have no device. `torch.arange(len(std))` "
                "is the same case.",
            ),
            Choice(
                "`torch.zeros_like(std)`",
                "`*_like` copies the shape, dtype and device of the tensor.",
            ),
            Choice(
                "`torch.zeros(3, device=std.device)`",
                "It names the device and takes another shape, as `std.new_zeros(3)` does.",
            ),
        ),
    ),
    Question(
        "06.3",
        "`located` is on the GPU. What do `located.cpu()` and then `located(images)`, with CPU "
        "images, do?",
        right="C",
        code="""\
class LocatedEncoder(Encoder):
    def __init__(self, pixels, size, device):
        super().__init__(pixels, size)
        self.device = torch.device(device)
        self.to(self.device)

    def forward(self, images):
        mean = self.mean(images)
        std = nn.functional.softplus(self.spread(images))
        noise = torch.randn(*mean.shape, device=self.device)
        return mean + std * noise

located = LocatedEncoder(pixels=16, size=3, device="cuda")""",
        choices=(
            Choice(
                "They work: `.cpu()` updates `self.device`",
                "A `torch.device` is an ordinary value. Only you change it.",
            ),
            Choice(
                "They work, and the noise is drawn on the GPU",
                "It is drawn there, but then it must meet `std`.",
            ),
            Choice(
                "The call raises",
                "`.cpu()` moves tensors, and not `self.device`. The noise is on the GPU, the rest "
                "on the CPU.",
            ),
        ),
    ),
)
