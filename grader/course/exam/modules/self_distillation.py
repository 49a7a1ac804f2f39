import copy

import torch
from torch import nn


class SelfDistillation(nn.Module):
    def __init__(self, features=6, classes=3, decay=0.9):
        super().__init__()
        self.decay = decay
        self.student = nn.Linear(features, classes)
        self.teacher = [copy.deepcopy(self.student).requires_grad_(False)]

    @torch.no_grad()
    def update(self, teacher):
        for slow, fast in zip(teacher.parameters(), self.student.parameters()):
            slow.lerp_(fast, 1 - self.decay)

    def forward(self, x):
        teacher = self.teacher[0].to(x.device)
        if self.training:
            self.update(teacher)
        return self.student(x), teacher(x)


def example_input():
    return (torch.randn(4, 6),)
