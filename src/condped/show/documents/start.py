"""Where to start next time, as documents: a row per step, configuration or density."""

from __future__ import annotations

from condped.analyse.across.start.prior import Prior
from condped.analyse.across.start.start_space import StartSpace
from condped.analyse.across.start.starts import Starts
from condped.analyse.advice.steps import Step
from condped.safe_text import listed, percent, shortened
from condped.show.documents.parts import Code, Document, Part, Table, table_of
from condped.show.text.advice import left_as_they_are
from condped.show.text.several.start import (
    MOST_NAMES,
    branch_words,
    densities_left_out,
    density_rows,
    prior_headline,
    start_space_headline,
    starts_headline,
    value_words,
)


def start_space_document(start: StartSpace) -> Document:
    """Return the steps and their reasons, the risk, what is left, and code."""
    parts: list[Part] = []
    if start.changes:
        header = ("step", "parameter", "from", "to", "best trials kept", "of the domain")
        parts.append(
            Table(header, list(map(_row, start.changes)), frozenset({4, 5}), frozenset({1}))
        )
        parts.append(list(map(_why, start.changes)))
    parts.append(start.promise if start.changes else "Nothing is narrowed.")
    if start.dropped:
        parts.append(f"No longer active: {listed(start.dropped, MOST_NAMES)}.")
    left = left_as_they_are(start.steps)
    parts += ["Left as they are:", left] if left else []
    if start.changes:
        parts += ["For Optuna:", Code(start.optuna_code(), "python")]
    elif left and start.notes:  # else these would be listed with it
        parts.append("Notes:")
    return Document(start_space_headline(start), [*parts, list(start.notes)])


def _row(step: Step) -> tuple[str, ...]:
    assert step.proposal is not None
    name, kept = shortened(step.parameter), f"{step.kept} of {step.of}"
    domains = step.domain.label, step.proposal.label
    return step.kind, name, *domains, kept, percent(step.covered)


def _why(step: Step) -> str:
    where = "" if step.regime is None else f" (where it is in {step.regime})"
    return f"{shortened(step.parameter)}{where}: {step.reason}"


def starts_document(starts: Starts) -> Document:
    """Return a row per configuration: where it comes from, and a column per parameter."""
    names = [name for name in starts.space if any(name in one.values for one in starts.starts)]
    header = ("trial", "study", "better than", "elsewhere", *map(shortened, names))
    rows = [
        (
            str(one.trial),
            shortened(one.study),
            percent(1 - one.place),
            percent(1 - one.expected),
            *(value_words(one.values[name]) if name in one.values else "" for name in names),
        )
        for one in starts.starts
    ]
    meaning = (
        "better than: the share of its own study's trials that are worse; elsewhere: about the "
        "same share in the other studies."
    )
    branches = [
        f"Configuration {place} is {branch_words(one.branch, inside=starts.inside)}."
        for place, one in enumerate(starts.starts, start=1)
        if one.branch is not None
    ]
    places = frozenset(range(4, len(header)))
    table = Table(header, rows, frozenset({0, 2, 3}), frozenset({1}), places)
    return Document(starts_headline(starts), [table, [meaning, *branches, *starts.notes]])


def prior_document(prior: Prior) -> Document:
    """Return a row per parameter and domain: where most good values lie."""
    table = table_of(density_rows(prior), (3,))
    return Document(prior_headline(prior), [table, [*densities_left_out(prior), *prior.notes]])
