"""Accepted answers to exercise 02, and the mistakes learners make."""

import torch
from torch import nn


class Classifier(nn.Module):
    """What all variants share."""

    def __init__(self, features, hidden, gestures):
        super().__init__()
        self.hidden = hidden
        self.lstm = nn.LSTM(features, hidden, batch_first=True)
        self.head = nn.Linear(hidden, gestures)

    def forward(self, x):
        outputs, _ = self.lstm(x, self.first_state(x))
        return self.head(outputs[:, -1])

    def zeros(self, x):
        return torch.zeros(1, len(x), self.hidden)


class Rebound(Classifier):
    def first_state(self, x):
        hidden_state, cell_state = self.zeros(x), self.zeros(x)
        hidden_state = hidden_state.to(x.device)
        cell_state = cell_state.to(x.device)
        return hidden_state, cell_state


class MadeThere(Classifier):
    def first_state(self, x):
        shape = (1, len(x), self.hidden)
        return torch.zeros(shape, device=x.device), torch.zeros(shape, device=x.device)


class NewZeros(Classifier):
    def first_state(self, x):
        state = x.new_zeros(1, x.shape[0], self.hidden)
        return state, state.clone()


class InAComprehension(Classifier):
    def first_state(self, x):
        states = (self.zeros(x), self.zeros(x))
        return tuple(state.to(x.device) for state in states)


class WhereTheWeightsAre(Classifier):
    def first_state(self, x):
        device = self.head.weight.device
        return self.zeros(x).to(device), self.zeros(x).to(device)


class NoStateAtAll(Classifier):
    """An LSTM starts from zeros by itself."""

    def forward(self, x):
        outputs, _ = self.lstm(x)
        return self.head(outputs[:, -1])


class LoopVariable(Classifier):
    """The result is kept, under a name that nobody reads."""

    def first_state(self, x):
        hidden_state, cell_state = self.zeros(x), self.zeros(x)
        for state in (hidden_state, cell_state):
            state = state.to(x.device)
        return hidden_state, cell_state


class OnlyTheHiddenState(Classifier):
    """Half the work."""

    def first_state(self, x):
        hidden_state, cell_state = self.zeros(x), self.zeros(x)
        hidden_state = hidden_state.to(x.device)
        cell_state.to(x.device)
        return hidden_state, cell_state


class CudaAsAStatement(Classifier):
    """Another method, the same slip."""

    def first_state(self, x):
        hidden_state, cell_state = self.zeros(x), self.zeros(x)
        if x.is_cuda:
            hidden_state.cuda()
            cell_state.cuda()
        return hidden_state, cell_state


class AlwaysCuda(Classifier):
    """Kept, but it is always the first GPU."""

    def first_state(self, x):
        return self.zeros(x).cuda(), self.zeros(x).cuda()


class CudaIfThereIsOne(Classifier):
    """There is a GPU, but the model may be elsewhere."""

    def first_state(self, x):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return self.zeros(x).to(device), self.zeros(x).to(device)


class NeverMoved(Classifier):
    """The line that did nothing was taken out, which changes nothing."""

    def first_state(self, x):
        return self.zeros(x), self.zeros(x)


class InputMovedInstead(Classifier):
    """The batch goes to the state, and meets layers on CUDA."""

    def forward(self, x):
        x = x.cpu()
        outputs, _ = self.lstm(x, (self.zeros(x), self.zeros(x)))
        return self.head(outputs[:, -1])


class KeptOnTheModel(Classifier):
    """Made by the first call, and used by the others, wherever they are."""

    def __init__(self, features, hidden, gestures):
        super().__init__(features, hidden, gestures)
        self.state = None

    def first_state(self, x):
        if self.state is None:
            self.state = self.zeros(x[:1]).to(x.device)
        state = self.state.expand(1, len(x), self.hidden).contiguous()
        return state, state


class StartsFromOnes(Classifier):
    """In the right place, and another number."""

    def first_state(self, x):
        state = torch.ones(1, len(x), self.hidden, device=x.device)
        return state, state


class StateInABuffer(Classifier):
    """The first state moves with the model, and is as long as the batch in each call."""

    def __init__(self, features, hidden, gestures):
        super().__init__(features, hidden, gestures)
        self.register_buffer("h0", torch.zeros(1, 1, hidden))

    def first_state(self, x):
        state = self.h0.expand(-1, len(x), -1).contiguous()
        return state, state.clone()


class OnesInABuffer(StateInABuffer):
    """Registered, and another number."""

    def __init__(self, features, hidden, gestures):
        super().__init__(features, hidden, gestures)
        self.h0.fill_(1)


class LearnedState(StateInABuffer):
    """A Parameter is trained: after a step, the first state is no longer zero."""

    def __init__(self, features, hidden, gestures):
        super().__init__(features, hidden, gestures)
        del self.h0
        self.h0 = nn.Parameter(torch.zeros(1, 1, hidden))


class DetachedOutputs(Rebound):
    """The numbers are right, and the LSTM is never trained again."""

    def forward(self, x):
        outputs, _ = self.lstm(x, self.first_state(x))
        return self.head(outputs.detach()[:, -1])


class NoGradForTheState(Rebound):
    """A block that was meant for the state holds the LSTM too."""

    def forward(self, x):
        with torch.no_grad():
            outputs, _ = self.lstm(x, self.first_state(x))
        return self.head(outputs[:, -1])


ACCEPTED = (
    "Rebound",
    "MadeThere",
    "NewZeros",
    "InAComprehension",
    "WhereTheWeightsAre",
    "NoStateAtAll",
    "StateInABuffer",
)
ALSO_RIGHT = {
    "torch.zeros(..., device=x.device)": "MadeThere",
    "x.new_zeros(...)": "NewZeros",
    "No state at all": "NoStateAtAll",
}
MISTAKES = {
    "LoopVariable": "to-result-dropped",
    "OnlyTheHiddenState": "to-result-dropped",
    "CudaAsAStatement": "to-result-dropped",
    "AlwaysCuda": "hard-coded-device",
    "CudaIfThereIsOne": "hard-coded-device",
    "NeverMoved": "made-in-forward",
    "InputMovedInstead": "check forward",
    "KeptOnTheModel": "stale-device",
    "StartsFromOnes": "check forward",
    "OnesInABuffer": "check forward",
    "LearnedState": "check forward",
    "DetachedOutputs": "check forward",
    "NoGradForTheState": "check forward",
}
