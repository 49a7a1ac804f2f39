"""A learner as a roster has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Enrolled:
    """One line of a roster; what is not known is `""`.

    Attributes:
        extensions: by an exercise's number, until when this learner may hand it in. A time without
            a zone is in the term's zone.
        participant: the number in Moodle's worksheet, which is another in each assignment.
    """

    name: str
    learner_id: str = ""
    section: str = ""
    group: str = ""
    email: str = ""
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    participant: str = ""
