"""Code that runs on whatever accelerator a machine has."""

from grader.course.questions import Choice, Question

JITTER = """\
class Jitter(nn.Module):
    def forward(self, x):
        noise = torch.randn(x.shape)
        return x + 0.1 * (noise.cuda() if torch.cuda.is_available() else noise)"""

QUESTIONS = (
    Question(
        "12.1",
        "A machine has no GPU, though its PyTorch was built for CUDA. What do "
        "`torch.cuda.is_available()`, `torch.cuda.device_count()` and `torch.ones(2).cuda()` do?",
        right="C",
        choices=(
            Choice(
                "`True`, `0`, and the tensor stays on the CPU",
                "Both functions look for a GPU at run time, and find none.",
            ),
            Choice(
                "`False`, `0`, and the tensor stays on the CPU",
                "The numbers are right. But PyTorch does not choose another device.",
            ),
            Choice(
                "`False`, `0`, and it raises",
                "Two questions that are safe to ask anywhere, and a move that needs a GPU.",
            ),
            Choice(
                "All three raise: there is no GPU to ask",
                "Then no program could ask.",
            ),
        ),
    ),
    Question(
        "12.2",
        "A machine has no GPU, though its PyTorch was built for CUDA. What does "
        "`torch.accelerator.current_accelerator()` return?",
        right="A",
        choices=(
            Choice(
                "`cuda`",
                "It names what PyTorch was built for. Ask `torch.accelerator.is_available()` "
                "before you move anything there.",
            ),
            Choice(
                "`cpu`",
                "The CPU is no accelerator, so this is never the answer.",
            ),
            Choice(
                "`None`",
                "That is the answer with `check_available=True`, and of a build for the CPU only.",
            ),
            Choice(
                "It raises",
                "Like the functions of `torch.cuda`, it is safe to ask anywhere.",
            ),
        ),
    ),
    Question(
        "12.3",
        "`Jitter` and its input are moved to the device `meta`, where tensors have a shape and no "
        "numbers. What does the call do?",
        right="B",
        code=JITTER,
        choices=(
            Choice(
                "It returns a tensor on `meta`",
                "It would, if the noise were made where `x` is. Its device comes from the machine.",
            ),
            Choice(
                "It raises: two tensors on two devices",
                "The noise is on CUDA or on the CPU, and `x` is on neither. An accelerator that "
                "the author did not know gets the same error.",
            ),
            Choice(
                "It raises: a tensor without numbers cannot be added",
                "Operations on `meta` compute shapes. It is reading a number that raises.",
            ),
            Choice(
                "It returns a tensor on CUDA",
                "PyTorch never copies a tensor unasked.",
            ),
        ),
    ),
)
