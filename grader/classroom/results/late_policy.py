"""What a mark comes to under a term's rules, with the arithmetic in words."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from math import ceil
from typing import NamedTuple

from grader.classroom.results.term import Late, Terms

Points = int | float
DAY = timedelta(days=1)


class AdjustedScore(NamedTuple):
    """The points that count, and how they came about; `""` if no rule changed anything."""

    points: Points
    arithmetic: str = ""


def apply_late_policy(
    score: Points, max_score: int, handed_in: datetime | None, terms: Terms, *, said_late: bool
) -> AdjustedScore:
    """The points that count.

    Args:
        score: the points earned.
        max_score: those that there were.
        handed_in: when, with a zone; None if nobody knows.
        terms: what holds for the learner.
        said_late: whether the platform says that it is late.
    """
    begin = f"{score} of {max_score}"
    if handed_in is None or terms.due is None:
        if said_late and terms.due is not None:
            return AdjustedScore(score, f"{begin}, late by an unknown time: nothing taken off")
        return AdjustedScore(score)
    late, rule = handed_in - terms.due, terms.late
    extended = _extension(terms)
    if late <= timedelta():
        return AdjustedScore(score, f"{begin}, {extended}: {score}" if extended else "")
    parts = [begin, *filter(None, [extended]), f"{span(late)} late"]
    points, reason = _after(score, late, rule)
    return AdjustedScore(points, f"{', '.join([*parts, reason])}: {points}")


def _extension(terms: Terms) -> str:
    if not terms.extended or terms.due is None:
        return ""
    why = f" ({terms.because})" if terms.because else ""
    return f"extended to {in_zone(terms.due)}{why}"


def _after(score: Points, late: timedelta, rule: Late) -> tuple[Points, str]:
    """The points that are left, and the rule that left them."""
    grace = timedelta(hours=rule.grace_hours)
    if rule.refused_after_days is not None and late > rule.refused_after_days * DAY:
        return 0, f"accepted for {_number(rule.refused_after_days)} days only"
    if late <= grace:
        return score, f"within the grace of {span(grace)}"
    days = ceil((late - grace) / DAY)
    whole = Decimal(str(rule.percent_a_day)) * days
    percent = min(whole, Decimal(str(rule.most_percent)))
    reasons = [
        *[f"grace {span(grace)}"] * bool(grace),
        f"-{_number(rule.percent_a_day)} % a day" + f" for {days} days" * (days > 1),
        *[f"at most -{_number(rule.most_percent)} %"] * (percent < whole),
    ]
    return rounded(Decimal(str(score)) * (100 - percent) / 100), ", ".join(reasons)


def rounded(points: Points | Decimal) -> Points:
    """To the hundredth, halves up; a whole number as one."""
    return whole(float(round(Decimal(points), 9).quantize(Decimal("0.01"), ROUND_HALF_UP)))


def whole(points: Points) -> Points:
    """A whole number of points as one."""
    return int(points) if points == int(points) else points


def span(time: timedelta) -> str:
    """A span in hours and minutes, such as `26 h` or `1 h 5 min`; a minute begun counts."""
    hours, minutes = divmod(ceil(time / timedelta(minutes=1)), 60)
    return " ".join([*[f"{hours} h"] * bool(hours), *[f"{minutes} min"] * bool(minutes)]) or "0 h"


def in_zone(time: datetime) -> str:
    """A time with its zone, such as `2026-03-01 23:59 CET`."""
    return f"{time:%Y-%m-%d %H:%M %Z}"


def _number(number: float) -> str:
    return f"{number:g}"
