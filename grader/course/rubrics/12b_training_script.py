"""A training script that takes whatever GPU is first, and hands its tensors to NumPy."""

from grader.schema import Input, Recipe, Rubric

RUBRIC = Rubric(
    stem="12b_training_script",
    title="A training script for every machine",
    class_name="TrainSpamFilter",
    optional=True,
    finding="input-transfer",
    recipe=Recipe(
        arguments={"gpu": 0, "steps": 3, "rate": 0.5},
        inputs=(Input((7, 4)), Input((7,), "booleans")),
        inputs_stay=True,
        later=(Input((5, 6)), Input((5,), "booleans")),
        other_arguments={"gpu": 99, "steps": 5, "rate": 0.25},
        elsewhere=("gpu",),
    ),
    tensors=(),
    differentiable=False,
    points={"forward": 4},
    hints=(
        "Four tensors meet in the loop: `mails`, `is_spam`, `weights` and what is made of them. "
        "Which of them did the script put on `device`, and which came from the file?",
        "`torch.cuda.device_count()` says how many GPUs there are, numbered from 0. It is 0 on a "
        "machine without one. Make one `torch.device` from it, and move both inputs there.",
        "NumPy reads CPU memory only. `.cpu()` copies a CUDA tensor; a CPU tensor comes back as "
        "itself, and `.numpy()` shares its memory. So the history still needs its `clone()`.",
        "`has_gpu = self.gpu < torch.cuda.device_count()`, "
        '`device = torch.device(f"cuda:{self.gpu}" if has_gpu else "cpu")`, '
        "`mails, is_spam = mails.to(device), is_spam.to(device)`; in the loop "
        "`loss.detach().cpu().numpy()` and `weights.detach().clone().cpu().numpy()`.",
    ),
    reason="The device is chosen once, from what the machine has, and every tensor is moved to it "
    "or made there. What leaves for NumPy goes through `.cpu()`.",
    also_right=(
        "`mails.cuda(self.gpu)` under an `if`: the same as `.to(device)`, but the code needs a "
        "branch for the CPU.",
        "`weights.tolist()` in place of `.cpu().numpy()`: Python numbers are always a copy.",
    ),
)
