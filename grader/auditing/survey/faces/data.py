"""A survey as JSON, for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from grader.auditing.survey.survey import OUTCOMES, Survey, SurveyEntry
from grader.render import to_object


def survey_json(survey: Survey) -> str:
    """One object: the totals, and each class with its report."""
    return json.dumps(survey_object(survey), indent=2, ensure_ascii=False)


def survey_object(survey: Survey) -> dict[str, Any]:
    return {
        "title": survey.title,
        "device": survey.device,
        "classes": len(survey.entries),
        "called": survey.called_count,
        **{outcome: len(survey.of(outcome)) for outcome in OUTCOMES},
        "refusals": {kind: len(entries) for kind, entries in survey.refusals},
        "unimported": [asdict(module) for module in survey.unimported],
        "notices": [asdict(notice) for notice in survey.notices],
        "entries": [
            entry_object(entry) for entry in sorted(survey.entries, key=lambda entry: entry.name)
        ],
    }


def entry_object(entry: SurveyEntry) -> dict[str, Any]:
    """One class: where it is, how it was built and called, and its report or why there is none."""
    return {
        "name": entry.name,
        "file": entry.file,
        "line": entry.line,
        "outcome": entry.outcome,
        "called": entry.is_called,
        "plan": asdict(entry.plan),
        "context": entry.context,
        "seconds": entry.seconds,
        "refusal": asdict(entry.refusal) if entry.refusal else None,
        "report": to_object(entry.report) if entry.report else None,
    }
