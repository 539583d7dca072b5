"""Advice as a document: a row per step, what all steps together keep, and code."""

from __future__ import annotations

from condped.analyse.advice.result import Advice
from condped.analyse.advice.steps import Step
from condped.safe_text import percent, shortened
from condped.show.documents.parts import Code, Document, Part, Table
from condped.show.text.account import account_lines, advice_headline
from condped.show.text.advice import (
    FOR_OPTUNA,
    MOST_STEPS,
    left_as_they_are,
    nothing_sentence,
    step_name,
    together_sentence,
)
from condped.show.words import tie_lines, tie_remark


def advice_document(advice: Advice) -> Document:
    """Return the steps, what they keep in total, and what to leave."""
    result = advice.importance
    steps = [step for step in advice.steps if step.kind != "leave"]
    parts: list[Part] = []
    if steps:
        header = ("step", "parameter", "from", "to", "target trials kept", "of the domain")
        rows = list(map(_row, steps[:MOST_STEPS]))
        parts.append(Table(header, rows, frozenset({4, 5}), frozenset({1})))
        parts.append(list(map(_why, steps[:MOST_STEPS])))
    if len(steps) > MOST_STEPS:
        parts.append(f"… and {len(steps) - MOST_STEPS} more steps")
    parts.append(together_sentence(advice) if advice.changes else nothing_sentence(advice))
    left = left_as_they_are(advice.steps)
    parts += ["Leave as they are:", left] if left else []
    if advice.changes:
        parts += [FOR_OPTUNA, Code(advice.optuna_code(), "python")]
    elif left:  # else what follows would be listed with it
        parts.append("Notes:")
    sets = tie_remark(result.tie, advice.target_size)
    parts.append([*advice.notes, *account_lines(result.account, result.settings, sets)])
    return Document(advice_headline(result), parts, tie_lines(result.tie))


def _row(step: Step) -> tuple[str, ...]:
    assert step.proposal is not None
    numbers = (f"{step.kept} of {step.of}", percent(step.covered))
    if step.kind == "widen":
        numbers = ("", "")
    name = shortened(step.parameter)
    return step.kind, name, step.domain.label, step.proposal.label, *numbers


def _why(step: Step) -> str:
    risk = f" {step.risk}" if step.kind == "widen" else ""
    return f"{step.kind} {step_name(step)}: {step.reason}{risk}"
