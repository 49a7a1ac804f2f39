"""Where a tensor lives that `forward` makes."""

from grader.questions import Choice, Question

QUESTIONS = (
    Question(
        "06.1",
        "All four tensors of the module are registered. What does "
        "`encoder.cuda()(images.cuda())` do?",
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
                "It works: the noise is made inside a module that is on the GPU, so it is on the "
                "GPU",
                "This is the natural guess. But a module on the GPU is only a module whose "
                "tensors are there. Its methods are Python, and `torch.randn` does not know who "
                "called it.",
            ),
            Choice(
                "It works, and the codes are on the CPU",
                "PyTorch would have to fetch `mean` and `std` to the CPU, unasked.",
            ),
            Choice(
                "It raises in `torch.randn(...)`, which cannot make noise for a GPU",
                "It makes its noise without complaint. In the wrong place.",
            ),
            Choice(
                "It raises in `mean + std * noise`",
                "`torch.randn` was told a shape, and nothing else, so it makes a CPU tensor. The "
                "line below mixes it with `std`, which is on the GPU.",
            ),
            Choice(
                "It raises in `.cuda()`",
                "When `.cuda()` runs, there is no noise yet.",
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
                "Look at what a function is given. `std.shape` is numbers, which have no device, "
                "so the tensor is made on the CPU. `torch.arange(len(std))` is the same case.",
            ),
            Choice(
                "`torch.zeros_like(std)`",
                "`*_like` takes the tensor itself, and copies its shape, its dtype and its device.",
            ),
            Choice(
                "`std.new_zeros(3)`",
                "This is a method of the tensor. `new_zeros`, `new_ones`, `new_full`, "
                "`new_empty` and `new_tensor` copy its dtype and its device, and take a shape or "
                "data of your own.",
            ),
        ),
    ),
    Question(
        "06.3",
        'The encoder was built with `device="cuda"`, keeps that as `self.device`, and makes its '
        "noise there. Later somebody writes `encoder.cpu()`, and calls it with images on the "
        "CPU. What happens?",
        right="C",
        choices=(
            Choice(
                "It works: `.cpu()` moves everything, and `self.device` is part of the module",
                "A `torch.device` is an ordinary value. Nobody changes it but you.",
            ),
            Choice(
                "It works, and draws its noise on the GPU",
                "It does draw on the GPU. But then the two must meet.",
            ),
            Choice(
                "It raises, since the noise is on the GPU and the rest on the CPU",
                "`self.device` is a note that you wrote down. `.cpu()` moves tensors. It does "
                "not read your notes, and does not correct them.",
            ),
        ),
    ),
)
