"""Accepted answers to exercise 12b, and the mistakes learners make."""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits


class Script(nn.Module):
    """What all variants share."""

    def __init__(self, gpu, steps, rate):
        super().__init__()
        self.gpu, self.steps, self.rate = gpu, steps, rate

    def pick(self):
        has_gpu = self.gpu < torch.cuda.device_count()
        return torch.device(f"cuda:{self.gpu}" if has_gpu else "cpu")

    def move(self, mails, is_spam, device):
        return mails.to(device), is_spam.to(device)

    def to_array(self, tensor):
        return tensor.detach().clone().cpu().numpy()

    def stack(self, log):
        return np.stack(log)

    def forward(self, mails, is_spam):
        device = self.pick()
        mails, is_spam = self.move(mails, is_spam, device)
        weights = torch.zeros(mails.shape[1], device=device)
        losses, history = [], []
        for _ in range(self.steps):
            scores = torch.mv(mails, weights)
            loss = binary_cross_entropy_with_logits(scores, is_spam.float())
            gradient = torch.mv(mails.T, scores.sigmoid() - is_spam.float()) / len(mails)
            weights -= self.rate * gradient
            losses.append(self.to_array(loss))
            history.append(self.to_array(weights))
        return weights, self.stack(losses), self.stack(history)


class PickedInTheConstructor(Script):
    """The device is an attribute: nothing moves a script, so it stays right."""

    def __init__(self, gpu, steps, rate):
        super().__init__(gpu, steps, rate)
        self.device = torch.device("cuda", gpu) if gpu < torch.cuda.device_count() else "cpu"

    def pick(self):
        return self.device


class ByCudaMethod(Script):
    """`.cuda(n)` takes any dtype as well, and needs a branch."""

    def move(self, mails, is_spam, device):
        if torch.device(device).type == "cpu":
            return mails, is_spam
        return mails.cuda(self.gpu), is_spam.cuda(self.gpu)


class StackedOnTheDevice(Script):
    """The log is gathered where it is made, and copied once."""

    def to_array(self, tensor):
        return tensor.detach().clone()

    def stack(self, log):
        return torch.stack(log).cpu().numpy()


class CopiedByNumPy(Script):
    """NumPy makes the copy."""

    def to_array(self, tensor):
        return np.array(tensor.detach().cpu())


class PythonNumbers(Script):
    """Python numbers are always a copy, in 64 bits."""

    def to_array(self, tensor):
        return tensor.tolist()

    def stack(self, log):
        return np.array(log)


class AskedTheAccelerator(Script):
    """The newer name of the same question."""

    def pick(self):
        if self.gpu < torch.accelerator.device_count():
            return torch.device(torch.accelerator.current_accelerator().type, self.gpu)
        return torch.device("cpu")


class OnlyTheMails(Script):
    """The labels stay behind: they are booleans, but they have a device too."""

    def move(self, mails, is_spam, device):
        return mails.to(device), is_spam


class ResultDropped(Script):
    """`Tensor.to` returns a new tensor."""

    def move(self, mails, is_spam, device):
        mails.to(device)
        is_spam.to(device)
        return mails, is_spam


class StraightToNumPy(Script):
    """NumPy cannot read a GPU's memory."""

    def to_array(self, tensor):
        return tensor.detach().clone().numpy()


class SharedMemory(Script):
    """On the CPU, `.cpu()` gives the tensor itself: every row of the log becomes the last."""

    def to_array(self, tensor):
        return tensor.detach().cpu().numpy()


class AlwaysTheFirst(Script):
    """The usual line: it forgets which GPU was asked for."""

    def pick(self):
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class NeverAsks(Script):
    """A number that the machine does not have."""

    def pick(self):
        return torch.device(f"cuda:{self.gpu}")


class OneTooFar(Script):
    """GPUs are numbered from 0."""

    def pick(self):
        has_gpu = self.gpu <= torch.cuda.device_count()
        return torch.device(f"cuda:{self.gpu}" if has_gpu else "cpu")


class TheLastInstead(Script):
    """Takes another GPU where the one asked for is not there."""

    def pick(self):
        return torch.device("cuda", min(self.gpu, torch.cuda.device_count() - 1))


class OnTheCpu(Script):
    """Right numbers, and no GPU is ever used."""

    def pick(self):
        return torch.device("cpu")


class BroughtBack(Script):
    """The weights come back to the CPU."""

    def forward(self, mails, is_spam):
        weights, losses, history = super().forward(mails, is_spam)
        return weights.cpu(), losses, history


class ListsOfNumbers(Script):
    """The plots want arrays."""

    def to_array(self, tensor):
        return tensor.tolist()

    def stack(self, log):
        return log


class ByAutograd(Script):
    """PyTorch computes the gradient."""

    def forward(self, mails, is_spam):
        device = self.pick()
        mails, is_spam = self.move(mails, is_spam, device)
        weights = torch.zeros(mails.shape[1], device=device, requires_grad=True)
        losses, history = [], []
        for _ in range(self.steps):
            loss = binary_cross_entropy_with_logits(mails @ weights, is_spam.float())
            (gradient,) = torch.autograd.grad(loss, weights)
            with torch.no_grad():
                weights -= self.rate * gradient
            losses.append(self.to_array(loss))
            history.append(self.to_array(weights))
        return weights.detach(), self.stack(losses), self.stack(history)


class MovedAtTheEnd(Script):
    """Trained on the CPU; only the result is brought to the GPU."""

    def forward(self, mails, is_spam):
        trained = Script(10**6, self.steps, self.rate)
        weights, losses, history = trained(mails, is_spam)
        return weights.to(self.pick()), losses, history


class StepsOnTheCpu(Script):
    """Scores on the GPU, and all else on the CPU."""

    def forward(self, mails, is_spam):
        device = self.pick()
        weights, labels = torch.zeros(mails.shape[1]), is_spam.float()
        losses, history = [], []
        for _ in range(self.steps):
            scores = torch.mv(mails.to(device), weights.to(device)).cpu()
            loss = binary_cross_entropy_with_logits(scores, labels)
            gradient = torch.mv(mails.T, scores.sigmoid() - labels) / len(mails)
            weights -= self.rate * gradient
            losses.append(self.to_array(loss))
            history.append(self.to_array(weights))
        return weights.to(device), self.stack(losses), self.stack(history)


class LossesAsATensor(Script):
    """The history is an array, and the losses are no longer."""

    def forward(self, mails, is_spam):
        weights, losses, history = super().forward(mails, is_spam)
        return weights, torch.from_numpy(losses), history


class WaitsForTheGpu(Script):
    """On a laptop there is none to wait for."""

    def to_array(self, tensor):
        torch.cuda.synchronize()
        return super().to_array(tensor)


ACCEPTED = (
    "PickedInTheConstructor",
    "ByCudaMethod",
    "StackedOnTheDevice",
    "CopiedByNumPy",
    "PythonNumbers",
    "AskedTheAccelerator",
    "ByAutograd",
)
ALSO_RIGHT = {
    "mails.cuda(self.gpu)": "ByCudaMethod",
    "weights.tolist()": "PythonNumbers",
}
MISTAKES = {
    "OnlyTheMails": "input-transfer",
    "ResultDropped": "to-result-dropped",
    "StraightToNumPy": "host-round-trip",
    "SharedMemory": "check forward",
    "AlwaysTheFirst": "check forward",
    "NeverAsks": "check forward",
    "OneTooFar": "check forward",
    "TheLastInstead": "check forward",
    "OnTheCpu": "check forward",
    "BroughtBack": "check forward",
    "ListsOfNumbers": "check forward",
    "MovedAtTheEnd": "check forward",
    "StepsOnTheCpu": "check forward",
    "LossesAsATensor": "check forward",
    "WaitsForTheGpu": "check forward",
}
