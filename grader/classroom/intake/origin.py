"""Whose a file is: each way to hand in has a file of its own that tells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """Who handed a file in, and when, as far as its path and its platform tell.

    Attributes:
        learner_id: what the platform calls the learner, `""` if it does not.
        file: the file's path within what the learner handed in.
        late: whether the platform itself says that it is late.
        handed_in: seconds since 1970 if the platform says so, else 0.
        is_sure: whether the name is a learner's for sure; a file's alone may be anything.
        is_dated: whether the file's own time may say when it was handed in.
        place: under which name the platform takes feedback on it back; `""` if it does not.
    """

    learner: str
    learner_id: str
    file: tuple[str, ...]
    late: bool = False
    handed_in: float = 0.0
    is_sure: bool = True
    is_dated: bool = True
    place: str = ""
