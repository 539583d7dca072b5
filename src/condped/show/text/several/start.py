"""Where to start next time, as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from condped.analyse.across.start.prior import GoodDensity, Prior
from condped.analyse.across.start.start_space import StartSpace
from condped.analyse.across.start.starts import Starts
from condped.analyse.advice.steps import Step
from condped.safe_text import listed, percent, printable, shortened
from condped.show.text.advice import left_as_they_are, step_line
from condped.show.text.layout import table_lines, wrapped, wrapped_each
from condped.space.domain import Categorical, Float, Int, choice_labels

_INDENT = " " * 9
MOST_NAMES = 12
_MOST_DENSITIES = 30
_MOST_LIKELY = 0.8  # of the mass: the part of a density that is described


def start_space_headline(start: StartSpace) -> str:
    """Return what the steps are about."""
    return f"Where to search next time, according to {start.studies} past studies"


def start_space_text(start: StartSpace) -> str:
    """Return what is narrowed, the risk, and what stays."""
    lines = [start_space_headline(start), ""]
    for step in start.changes:
        lines += _step(step)
    lines += ["", *wrapped(start.promise)] if start.changes else ["Nothing is narrowed."]
    if start.dropped:
        lines += wrapped(f"No longer active: {listed(start.dropped, MOST_NAMES)}.")
    left = left_as_they_are(start.steps)
    lines += ["", "Left as they are:"] if left else []
    lines += wrapped_each(left, "  ", "    ")
    if start.changes:
        lines += ["", "For Optuna:", "", *start.optuna_code().splitlines()]
    return "\n".join([*lines, *_notes(start.notes)])


def _step(step: Step) -> list[str]:
    if isinstance(step.domain, Categorical) and isinstance(step.proposal, Categorical):
        kept = f"{len(step.proposal.choices)} of {len(step.domain.choices)} choices"
    else:
        log = isinstance(step.domain, Float | Int) and step.domain.log
        kept = f"{percent(step.covered)} of the domain{' (log scale)' if log else ''}"
    name = shortened(step.parameter)
    best = f"of the studies' best trials, {step.kept} of {step.of} with {name} stay"
    return [
        *wrapped(step_line(step), then=_INDENT),
        *wrapped(f"keeps {kept}; {best}. {step.reason}", _INDENT, _INDENT),
    ]


def starts_headline(starts: Starts) -> str:
    """Return what the configurations are for."""
    where = ", inside the smaller space" if starts.inside else ""
    return f"{len(starts)} configurations to try first{where}, from {starts.studies} past studies"


def branch_words(branch: str, *, inside: bool) -> str:
    """Return the purpose of a configuration whose branch has no best trial."""
    return (
        f"for the branch {shortened(branch)}, which was never among the best trials of a study"
        f"{' there' if inside else ''}"
    )


def starts_text(starts: Starts) -> str:
    """Return the configurations and their origins."""
    lines = [starts_headline(starts), ""]
    for number, start in enumerate(starts.starts, start=1):
        values = ", ".join(
            f"{shortened(name)}={value_words(v)}" for name, v in start.values.items()
        )
        origin = (
            f"(trial {start.trial} of {shortened(start.study)}, better than "
            f"{percent(1 - start.place)} of it; elsewhere better than about "
            f"{percent(1 - start.expected)})"
        )
        if start.branch is not None:
            origin = f"{branch_words(start.branch, inside=starts.inside)} {origin}"
        lines += wrapped(f"{number:>3}  {values}", then="     ")
        lines += wrapped(origin, "     ", "     ")
    return "\n".join([*lines, *_notes(starts.notes)])


def value_words(value: object) -> str:
    """Return a parameter's value, numbers to four digits."""
    return f"{value:.4g}" if isinstance(value, float) else printable(str(value))


def prior_headline(prior: Prior) -> str:
    """Return what the densities are about."""
    return f"Where good values lie, according to {prior.studies} past studies"


def density_rows(prior: Prior) -> list[list[str]]:
    """Return a header and a row per parameter and domain."""
    rows = [["parameter", "domain", f"{percent(_MOST_LIKELY)} of good values", "studies"]]
    for density in prior.densities[:_MOST_DENSITIES]:
        rows.append(
            [
                shortened(density.parameter),
                density.domain.label,
                _most_likely(density),
                str(density.studies),
            ]
        )
    return rows


def densities_left_out(prior: Prior) -> list[str]:
    """Return how many densities have no row."""
    more = len(prior.densities) - _MOST_DENSITIES
    return [f"… and {more} more"] if more > 0 else []


def prior_text(prior: Prior) -> str:
    """Return where most good values of each parameter lie."""
    lines = [prior_headline(prior), "", *table_lines(density_rows(prior), right={3})]
    return "\n".join([*lines, *densities_left_out(prior), *_notes(prior.notes)])


def _most_likely(density: GoodDensity) -> str:
    """Return the most likely choices, or the shortest range, with most of the mass."""
    masses, domain = density.masses, density.domain
    if isinstance(domain, Categorical):
        labels = choice_labels(domain.choices)
        order = sorted(range(len(masses)), key=lambda place: -masses[place])
        kept, sofar = [], 0.0
        while sofar < _MOST_LIKELY and order:
            place = order.pop(0)
            kept.append(f"{labels[place]} ({percent(masses[place])})")
            sofar += masses[place]
        return listed(kept, 3)
    low, high = density.shortest(_MOST_LIKELY)
    return f"{low:.4g} to {high:.4g}"


def _notes(notes: Sequence[str]) -> list[str]:
    return ["", *wrapped_each(notes, then="  ")] if notes else []
