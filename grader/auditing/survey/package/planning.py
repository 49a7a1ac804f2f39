"""Decides how a class is built and called, by trying it: the recipe first, a guess last."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from grader.auditing.survey.package.arguments import arguments_of, missing_arguments
from grader.auditing.survey.package.discovery import Found
from grader.auditing.survey.package.examples import docstring_of
from grader.auditing.survey.package.inputs import inputs_for
from grader.auditing.survey.package.witnesses import first_call
from grader.auditing.survey.package.written_calls import maker
from grader.auditing.survey.recipes import ClassRecipe
from grader.auditing.survey.run_in_child import NO_NETWORK, Note, isolate
from grader.auditing.survey.survey import AuditPlan, Refusal, Source

NEEDS = "needs arguments that neither annotations nor defaults tell"
OPTIONAL = ("docstring", "inputs")  # steps without which a class can still be audited
ABSTRACT = "is abstract"
RAISED = "raised when it was built with guessed arguments"
RAISED_ALONE = "raised when it was built without arguments"
RAISED_RECIPE = "raised when it was built as its recipe says"
NETWORK = "needs the network to be built"
# Of this package's own refusal, and of huggingface_hub's offline mode.
OFFLINE_SIGNS = (NO_NETWORK, "couldn't connect to 'https://huggingface.co'", "HF_HUB_OFFLINE")
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


def _built(
    cls: type[nn.Module], recipe: ClassRecipe, source: Source = "recipe"
) -> tuple[AuditPlan, nn.Module] | Refusal:
    if recipe.arguments is not None:
        plan = AuditPlan(recipe.arguments, arguments_from=source)
        kind = RAISED_RECIPE if source == "recipe" else RAISED
    else:
        arguments, untold = arguments_of(cls)
        if untold:
            return Refusal(NEEDS, ", ".join(untold))
        plan = AuditPlan(arguments, arguments_from="guess" if arguments else "")
        kind = RAISED if arguments else RAISED_ALONE
    try:
        module = maker(cls, plan.arguments)()
    except Exception as error:
        more = missing_arguments(error) if isinstance(error, TypeError) else None
        if more and plan.arguments_from != "recipe" and more not in plan.arguments:
            arguments = ", ".join(filter(None, (plan.arguments, more)))
            return _built(cls, replace(recipe, arguments=arguments), "guess")
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
