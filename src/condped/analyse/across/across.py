"""``condped.across``: what matters in several studies, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, Unpack

from condped.analyse.across.branches import compared_branches
from condped.analyse.across.effects import StudyEffect
from condped.analyse.across.pooled import compared_study, comparison_limits, pooled
from condped.analyse.across.result import Across, StudyImportance
from condped.analyse.across.studies import numbers_of_studies
from condped.analyse.across.study import MOST_NAMES, StudyNumbers
from condped.analyse.evidence.evidence import plain_p
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options
from condped.errors import DataError
from condped.options import takes
from condped.read.several.studies import SeveralStudies, StudiesOptions, open_studies
from condped.safe_text import listed, shortened

_MOST_DOMAINS = 4


class AcrossOptions(AnalysisOptions, SeveralStudies, total=False):
    """What :func:`across` takes beside the studies and a target quantile."""


@takes(AcrossOptions, StudiesOptions, *ANALYSIS)
def across(
    studies: Any, *, target_quantile: float = 0.1, **options: Unpack[AcrossOptions]
) -> Across:
    """Compare what mattered in several studies.

    Each study has its own target set, the best of its own trials.

    Parameters
    ----------
    studies
        A mapping from names to sources, or a sequence of sources, each anything that
        :func:`condped.read` takes; an Optuna storage or MLflow store, with all of its studies or
        experiments or those whose names match ``study``, such as ``study="xgb-*"`` or
        ``study=["run-a", "run-b"]``; or a directory or pattern such as ``"runs/xgb-*.csv"``, where
        each file or run directory is a study. With ``study_column``, one table of any kind, in
        memory, in files, in a database or on a cluster: inferred domains are then those of all
        studies.
    target_quantile
        γ': the best trials of this share of each study are its target set.
    **options
        As for :func:`condped.importance`, the same for all studies.

    Examples
    --------
    >>> import condped
    >>> problem = condped.problems.get("activation-disjoint")
    >>> across = condped.across([problem.sample(300, seed=seed) for seed in range(3)])
    >>> [(one.name, one.matters_in) for one in across]
    [('x', 3), ('c', 3), ('y', 0)]
    """
    parsed = Options.of(across, options)
    question = parsed.question((target_quantile,))
    question = replace(question, intervals=question.intervals or "jackknife")
    several = open_studies(studies, parsed.reading, options.get("study_column"))
    together = options.get("study_column") is not None
    named = parsed.reading.get("objective") is not None
    studies_found = numbers_of_studies(several, question, objective_named=named)
    found = studies_found.numbers
    _require_common_parameters(found)
    cells = tuple(cell for study in found for cell in _cells(study))
    parameters, cells = pooled(found, cells, question.level)
    names = tuple(dict.fromkeys(cell.parameter for cell in cells))
    return Across(
        parameters=parameters,
        studies=tuple(
            compared_study(study, names, studies_found.same_as.get(study.name)) for study in found
        ),
        cells=cells,
        target_quantile=target_quantile,
        level=question.level,
        settings=question.settings,
        notes=(
            *studies_found.notes,
            *_notes(found),
            *_domain_notes(found, names, together=together),
            *comparison_limits(found),
            *_missing_notes(found, names),
        ),
        _results=tuple(study.result for study in found),
        branches=compared_branches(study.branches for study in found),
    )


def _cells(study: StudyNumbers) -> Iterator[StudyImportance]:
    """Iterate over the parameters of one study."""
    result = study.result
    for parameter in result:
        effect = study.effects.get(parameter.name, StudyEffect(()))
        tested = result.evidence[parameter.name]
        own = None if parameter.intervals is None else parameter.intervals.importance
        yield StudyImportance(
            study=study.name,
            parameter=parameter.name,
            importance=parameter.importance,
            low=None if own is None else own.low,
            high=None if own is None else own.high,
            explained=plain_p(study.explained[parameter.name].value),
            error=plain_p(study.explained[parameter.name].error),
            p_value=plain_p(tested.p_value),
            verdict=tested.verdict,
            good=effect.good,
            inside=effect.inside,
            outside=effect.outside,
        )


def _require_common_parameters(studies: Sequence[StudyNumbers]) -> None:
    """Raise if a study shares no parameter with any other."""
    times = Counter(name for study in studies for name in study.result.names)
    for study in studies:
        own = study.result.names
        if own and len(times) > len(own) and all(times[name] == 1 for name in own):
            others = [name for name in times if name not in own]
            raise DataError(
                f"The study {shortened(study.name)!r} has no parameter in common with the others: "
                f"it has {listed(own, MOST_NAMES)}, they have "
                f"{listed(sorted(others), MOST_NAMES)}. Leave it out, or rename its parameters."
            )


def _notes(studies: Sequence[StudyNumbers]) -> Iterator[str]:
    """Iterate over notes on studies without a conclusion, and on trials that are not used."""
    reasons: dict[str, list[str]] = {}
    for study in studies:
        if study.result.reason is not None:
            reasons.setdefault(study.result.reason, []).append(study.name)
    for reason, without in reasons.items():
        these = f"the study {shortened(without[0])}"
        if len(without) > 1:
            these = f"{len(without)} studies ({listed(without, MOST_NAMES)})"
        end = "They do not" if len(without) > 1 else "It does not"
        yield f"No conclusion is possible for {these}: {reason} {end} count in the pooled numbers."
    partly = [study for study in studies if study.result.account.trials.left_out]
    if partly:
        more = len(partly) - MOST_NAMES
        rest = f"; {more} more studies have trials that are not used" if more > 0 else ""
        yield f"{'; '.join(map(_used_words, partly[:MOST_NAMES]))}{rest}."


def _used_words(study: StudyNumbers) -> str:
    """Say how many trials of a study are used, and how the others ended."""
    trials = study.result.account.trials
    handling = {"running": "drop", **asdict(study.result.account.handling)}
    words = {"running": "still running", "nonfinite": "without a finite objective"}
    ended = [
        f"{getattr(trials, ending):,} {words.get(ending, ending)}"
        for ending, treatment in handling.items()
        if treatment == "drop" and getattr(trials, ending)
    ]
    why = f" ({', '.join(ended)})" if ended else ""
    return f"{shortened(study.name)}: {trials.used:,} of {trials.total:,} trials used{why}"


def _domain_notes(
    studies: Sequence[StudyNumbers], names: Sequence[str], *, together: bool
) -> Iterator[str]:
    """Say which domains differ, in which studies, and whether domains were inferred."""
    unlike = []
    for name in names:
        where: dict[str, list[str]] = {}
        for study in studies:
            if study.result.status == "ok" and study.domains.get(name):
                where.setdefault(study.domains[name], []).append(study.name)
        if len(where) > _MOST_DOMAINS:
            unlike.append(f"{shortened(name)} has {len(where)} different ones")
        elif len(where) > 1:
            each = (f"{shortened(label)} in {_studies_text(own)}" for label, own in where.items())
            unlike.append(f"{shortened(name)}: {', '.join(each)}")
    if unlike:
        more = len(unlike) - MOST_NAMES
        rest = f"; and {more} more parameter{'s' if more > 1 else ''}" if more > 0 else ""
        yield (
            f"Domains differ between studies. {'; '.join(unlike[:MOST_NAMES])}{rest}. A wider one "
            "lets a parameter explain more."
        )
    inferred = [study.name for study in studies if study.result.account.space_inferred]
    if inferred:
        whose = "all studies together" if together else "each study"
        some = (
            "The domains"
            if len(inferred) == len(studies)
            else f"Those of {_studies_text(inferred)}"
        )
        yield f"{some} were inferred from the values of {whose}; give a space to set them."


def _studies_text(studies: Sequence[str]) -> str:
    """Name few studies, and count many."""
    return " and ".join(map(shortened, studies)) if len(studies) < 3 else f"{len(studies)} studies"


def _missing_notes(studies: Sequence[StudyNumbers], names: Sequence[str]) -> Iterator[str]:
    """Say which parameters not all studies have."""
    known = [study for study in studies if study.result.names]
    some: dict[int, list[str]] = {}
    for name in names:
        have = sum(name in study.result for study in known)
        if have < len(known):
            some.setdefault(have, []).append(name)
    for have, missing in some.items():
        be = "is a parameter" if len(missing) == 1 else "are parameters"
        yield f"{listed(missing, MOST_NAMES)} {be} of {have} of {len(known)} studies."
