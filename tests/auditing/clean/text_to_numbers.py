"""A module that takes no tensor and gives none: it counts words."""

from torch import nn


class WordCounter(nn.Module):
    def __init__(self):
        super().__init__()
        self.stop_words = frozenset({"a", "the"})

    def forward(self, sentences):
        return [sum(word not in self.stop_words for word in s.split()) for s in sentences]


def example_input() -> tuple[list[str], ...]:
    return (["the cat sat", "a dog", "where is it", "gone"],)


CLEAN = WordCounter
