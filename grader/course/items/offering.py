"""The choices of what can be edited or run: a change to make, or what happens to a module."""

from __future__ import annotations

from string import ascii_uppercase
from zlib import crc32

from msgspec.structs import replace

from grader.course.items.item import Choice, Item

SEED = 198  # of the order of changes: it spreads the right ones evenly
ASKED = (
    "An instance moves with `.cuda()`, takes one training step on CUDA inputs, and is saved and "
    "loaded again. What happens?"
)
OUTCOMES = {
    "works": "It works.",
    "silently wrong": "It is silently wrong: something is not trained, not saved or not shared.",
}
WORKS = "It moves, trains, and comes back from its checkpoint with all of its state."
NOT_SO = "That is not what happens when it runs."


def with_edits(level: Item, number: str) -> Item:
    """The level with a choice for its fix and for each wrong form.

    Args:
        level: as its file has it.
        number: `Level 3 of 40`.
    """
    whys = {level.fixes[0]: level.why, **{form.edits: form.why for form in level.wrong}}
    forms = offered(level)
    choices = tuple(Choice(_quoted(edits), whys[edits]) for edits in forms)
    right = ascii_uppercase[forms.index(level.fixes[0])]
    return replace(level, title=f"{number}: {level.title}", choices=choices, right=right)


def offered(level: Item) -> list[str]:
    """The changes to choose from, each as edits, in the order of their letters."""
    forms = [level.fixes[0], *(form.edits for form in level.wrong)]
    return sorted(forms, key=lambda edits: crc32(f"{SEED} {level.key} {edits}".encode()))


def _quoted(edits: str) -> str:
    """Edits as a choice shows them, each as code."""
    return ", ".join(f"`{edit.strip()}`" for edit in edits.strip().splitlines())


def with_outcomes(module: Item) -> Item:
    """The module with a choice for each thing that may happen to it."""
    lines, why = module.code.splitlines(), module.why or WORKS
    texts = OUTCOMES | {
        f"raises on line {line}": f"It raises on line {line}: `{lines[line - 1].strip()}`"
        for line in module.offers
    }
    choices = tuple(
        Choice(text, why if outcome == module.outcome else NOT_SO)
        for outcome, text in texts.items()
    )
    right = ascii_uppercase[list(texts).index(module.outcome)]
    return replace(module, text=ASKED, why=why, choices=choices, right=right)
