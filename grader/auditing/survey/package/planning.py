"""Decides how a class is built and called, by trying it: the recipe first, a guess last."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from torch import nn

from grader.auditing.survey.package.arguments import arguments_of, needed_parameters
from grader.auditing.survey.package.candidates import candidates_for, parameters_of
from grader.auditing.survey.package.climbing import FailedTrial, Values, climbed, written
from grader.auditing.survey.package.discovery import Found
from grader.auditing.survey.package.examples import docstring_of
from grader.auditing.survey.package.inputs import error_of_guesses, inputs_for, searched_inputs
from grader.auditing.survey.package.witnesses import first_call
from grader.auditing.survey.package.written_calls import arguments_from, maker
from grader.auditing.survey.recipes import ClassRecipe
from grader.auditing.survey.run_in_child import NO_NETWORK, Note, at_most, isolate
from grader.auditing.survey.survey import AuditPlan, Refusal
from grader.probe import DEVICE

NEEDS = "needs arguments that neither annotations nor defaults tell"
OPTIONAL = ("docstring", "inputs")  # steps without which a class can still be audited
ABSTRACT = "is abstract"
RAISED = "raised when it was built with guessed arguments"
RAISED_ALONE = "raised when it was built without arguments"
RAISED_RECIPE = "raised when it was built as its recipe says"
SEARCHED = (NEEDS, RAISED, RAISED_ALONE)  # refusals where other arguments may do better
NETWORK = "needs the network to be built"
# Of this package's own refusal, and of huggingface_hub's offline mode.
OFFLINE_SIGNS = (NO_NETWORK, "couldn't connect to 'https://huggingface.co'", "HF_HUB_OFFLINE")
SECONDS_FOR_ALL, SECONDS_FOR_ONE = 6.0, 3.0
LACKS = "needs a package that is not installed"


def plan_for(
    found: Found, recipe: ClassRecipe, folder: str, without: frozenset[str], note: Note
) -> AuditPlan | Refusal:
    """How to build and call a class; it is tried in this process, which should be a child.

    1. A recipe's arguments and inputs.
    2. The call in the docstring's example.
    3. Arguments that annotations, defaults and usual names tell, and the inputs that `inputs_for`
       finds. Without inputs that the CPU takes, only the structure is audited.

    Args:
        found: the class.
        recipe: what the project says of it.
        folder: the working directory for the class's code.
        without: steps that ended or hung an earlier process, and are left out.
        note: gets each step as it begins.
    """
    isolate(folder)
    cls = found.load()
    has_recipe = recipe.arguments is not None or recipe.inputs is not None
    if not has_recipe and "docstring" not in without and (example := docstring_of(cls)):
        note("docstring")
        if first_call(cls, example):
            return AuditPlan(arguments_from="docstring", inputs_from="docstring")
    note("construction")
    built = _built(cls, recipe)
    if isinstance(built, Refusal):
        return built
    plan, module = built
    if recipe.inputs is not None:
        return replace(plan, inputs=recipe.inputs, inputs_from="recipe")
    if "inputs" in without:
        return plan
    note("inputs")
    module.eval()  # its result is not used: an override may return nothing
    inputs, source = inputs_for(module)
    return replace(plan, inputs=inputs, inputs_from=source)


def searched_plan(
    found: Found, recipe: ClassRecipe, folder: str, refusal: Refusal | None, note: Note
) -> AuditPlan | None:
    """How to build and call a class that nobody calls; None if a search finds no call either.

    Arguments that a search finds are doubtful as long as no call confirms them. `refusal` says why
    the class could not be built; without it only its inputs are unknown.
    """
    isolate(folder)
    cls = found.load()
    if cls.forward is nn.Module.forward and cls.__call__ is nn.Module.__call__:
        return None
    note("inputs")
    if refusal is None and (plan := _called(cls, arguments_of(cls)[0], recipe)):
        return plan
    note("construction")
    arguments = searched_arguments(cls)
    note("inputs")
    return None if arguments is None else _called(cls, arguments, recipe)


def searched_arguments(cls: type[nn.Module]) -> str | None:
    """What to write between the constructor's parentheses; None if no values build it.

    The call that follows decides between values that all build it.
    """
    candidates = {name: candidates_for(cls, name) for name in parameters_of(cls) if name != DEVICE}
    needed = [p.name for p in needed_parameters(cls) if p.name != DEVICE]
    if not candidates or not all(candidates.get(name) for name in needed):
        return None
    first = {name: candidates[name][0] for name in needed}
    values, failure = climbed(first, candidates, partial(_failure_of, cls), SECONDS_FOR_ALL)
    return None if failure and not failure.stage else written(values)


def _failure_of(cls: type[nn.Module], values: Values) -> FailedTrial | None:
    """Why the class cannot be built with these values, or not be called after that."""
    try:
        args, kwargs = arguments_from(written(values), cls)
    except Exception as error:
        return FailedTrial(error.with_traceback(None))
    try:
        with at_most(SECONDS_FOR_ONE):
            built = cls(*args, **kwargs)
            built.eval()
    except Exception as error:
        return FailedTrial(error)
    refused = error_of_guesses(built)
    return FailedTrial(refused, 1) if refused else None


def _called(cls: type[nn.Module], arguments: str, recipe: ClassRecipe) -> AuditPlan | None:
    plan = AuditPlan(arguments, arguments_from="guess" if arguments else "")
    if recipe.inputs is not None:
        return replace(plan, inputs=recipe.inputs, inputs_from="recipe")
    try:
        module = maker(cls, arguments)()
    except Exception:  # another time it worked, such as with other random values
        return None
    module.eval()
    inputs = searched_inputs(module)
    return None if inputs is None else replace(plan, inputs=inputs, inputs_from="guess")


def _built(cls: type[nn.Module], recipe: ClassRecipe) -> tuple[AuditPlan, nn.Module] | Refusal:
    if recipe.arguments is not None:
        plan, kind = AuditPlan(recipe.arguments, arguments_from="recipe"), RAISED_RECIPE
    else:
        arguments, untold = arguments_of(cls)
        if untold:
            return Refusal(NEEDS, ", ".join(untold))
        plan = AuditPlan(arguments, arguments_from="guess" if arguments else "")
        kind = RAISED if arguments else RAISED_ALONE
    try:
        module = maker(cls, plan.arguments)()
    except Exception as error:
        return _refusal(kind, error)
    if not isinstance(module, nn.Module):
        return Refusal("is no module once it is built", type(module).__name__)
    return plan, module


def _refusal(kind: str, error: Exception) -> Refusal:
    first = str(error).strip().partition("\n")[0]
    detail = f"{type(error).__name__}: {first}".removesuffix(": ")
    if any(sign in _chain(error) for sign in OFFLINE_SIGNS):
        return Refusal(NETWORK, detail)
    if isinstance(error, ImportError):
        return Refusal(LACKS, detail)
    if isinstance(error, TypeError) and "abstract" in first:
        return Refusal(ABSTRACT, detail)
    return Refusal(kind, detail)


def _chain(error: BaseException | None) -> str:
    """The messages of an exception and of those that it came from."""
    messages = []
    while error is not None:
        messages.append(str(error))
        error = error.__cause__ or error.__context__
    return "\n".join(messages)
