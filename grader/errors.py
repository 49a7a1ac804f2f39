"""The root of the exceptions that a caller of `grader` may want to catch.

| exception | also a | raised by | when |
| --- | --- | --- | --- |
| `UnknownExerciseError` | LookupError | `check`, `hint`, … | no exercise has that number |
| `UnknownCodeError` | LookupError | `grader explain` | no finding has that code |
| `ConfigurationError` | ValueError | `grader audit` | an option cannot be understood |
| `BaselineError` | ValueError | `grader audit` | a baseline cannot be read |
| `NoCudaDeviceError` | RuntimeError | `audit` | real CUDA was asked for; there is none |
| `LoadingError` | | `grader check` | the file cannot be read or holds no such class |
| `IsolationError` | | `grader batch` | the machine lacks the isolation level asked for |
| `RosterError` | ValueError | `grader export --roster` | a roster cannot be read |
| `AssignmentError` | ValueError | `grader assignment new` | there is no such assignment |
| `TermError` | ValueError | `grader export --term` | a term's rules cannot be understood |
| `UnknownFormError` | LookupError | `grader export` | results are written in no such form |
| `NoPlaceError` | ValueError | `grader export` | nothing came from the platform to give back to |
| `MarkError` | ValueError | `grader mark` | there is no such result, or not so many points |
| `PackageError` | | `grader audit --package` | there is no such package or folder |
| `RecipeError` | | `grader audit --package` | a recipe in pyproject.toml cannot be read |
| `JudgingError` | ValueError | `puzzles`, `exam` | an answer could not be judged |
| `UnknownItemError` | LookupError | `predict`, `puzzles` | no question or level has that number |
| `BadEditError` | ValueError | `grader puzzles` | what was typed is no edit of a line |
| `LedgerError` | ValueError | `grader batch` | the results of an earlier run cannot be read |
| `UnreadableError` | | `grader batch` | what was handed in cannot be read |
"""

from __future__ import annotations


class GraderError(Exception):
    """Something that a caller asked for cannot be done; the message says why and what to do.

    Attributes:
        status: with which a command exits.
    """

    status = 2
