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
        "A `GlobalStatsNormalization` and the features of a sound are both moved to the GPU. What "
        "does the call return?",
        right="C",
        code="""\
class GlobalStatsNormalization(nn.Module):
    def __init__(self, statistics):
        super().__init__()
        self.statistics = torch.tensor(statistics)

    def forward(self, features):
        mean, std = self.statistics
        return (features - mean) / std

normalizer = GlobalStatsNormalization([[0.5, -1.0], [1.0, 2.0]]).cuda()
normalizer(torch.randn(6, 2).cuda())""",
        choices=(
            Choice(
                "The normalized features, on the GPU",
                "It should. But `statistics` is an ordinary attribute, and `.cuda()` skips those.",
            ),
            Choice(
                "The normalized features, on the CPU",
                "PyTorch would have to fetch the features back, and it never moves a tensor "
                "unasked.",
            ),
            Choice(
                "An error",
                "`.cuda()` moves what the module has registered. `statistics` is only an ordinary "
                "attribute, so it stays on the CPU, and PyTorch refuses to subtract it from "
                "features on the GPU.",
            ),
        ),
    ),
    Question(
        "00.3",
        '`statistics` is now registered with `self.register_buffer("statistics", ...)`. What has '
        "to change in `forward`, which reads `self.statistics`?",
        right="A",
        choices=(
            Choice(
                "Nothing",
                "You read a buffer like any attribute. The module now knows it, so `.cuda()` "
                "takes it along.",
            ),
            Choice(
                "It must say `self.statistics.cuda()`",
                "The move has done that already. And this raises on a computer without a GPU.",
            ),
            Choice(
                'It must say `self.buffers["statistics"]`',
                "`self.statistics` finds the buffer. `buffers` is a method, so this raises.",
            ),
        ),
    ),
)
