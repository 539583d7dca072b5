"""``condped.across``: what matters in several studies, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

from condped.analyse.across.difference import require_one_direction
from condped.analyse.across.pooled import comparison_limits, pooled
from condped.analyse.across.result import Across, ComparedStudy, StudyImportance
from condped.analyse.across.studies import named_sources
from condped.analyse.across.study import StudyNumbers, study_numbers
from condped.analyse.evidence.evidence import plain_p
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, open_trials
from condped.errors import DataError
from condped.options import takes
from condped.safe_text import listed, shortened

_MOST_NAMES = 5


@takes(AnalysisOptions, *ANALYSIS)
def across(
    studies: Any, *, target_quantile: float = 0.1, **options: Unpack[AnalysisOptions]
) -> Across:
    """Compare what mattered in several studies.

    Each study has its own target set, the best of its own trials.

    Parameters
    ----------
    studies
        A mapping from names to sources, or a sequence of sources; each is anything that
        :func:`condped.read` takes.
    target_quantile
        γ': the best trials of this share of each study are its target set.
    **options
        As for :func:`condped.importance`; they are the same for all studies.

    Examples
    --------
    >>> import condped
    >>> problem = condped.problems.get("activation-disjoint")
    >>> across = condped.across([problem.sample(300, seed=seed) for seed in range(3)])
    >>> [(one.name, one.matters_in) for one in across]
    [('x', 3), ('c', 3), ('y', 0)]
    """
    asked = Options.of(across, options)
    question = asked.question((target_quantile,))
    question = replace(question, intervals=question.intervals or "jackknife")
    named = [(name, open_trials(one, **asked.reading)) for name, one in named_sources(studies)]
    require_one_direction([name for name, _ in named], [trials for _, trials in named])
    found = [study_numbers(name, trials, question) for name, trials in named]
    _require_common_parameters(found)
    cells = tuple(cell for study in found for cell in _cells(study))
    parameters, cells = pooled(found, cells, question.level)
    names = tuple(dict.fromkeys(cell.parameter for cell in cells))
    return Across(
        parameters=parameters,
        studies=tuple(_study(study, names) for study in found),
        cells=cells,
        target_quantile=target_quantile,
        level=question.level,
        settings=question.settings,
        notes=(*_notes(found, names), *comparison_limits(found)),
        _results=tuple(study.result for study in found),
    )


def _cells(study: StudyNumbers) -> Iterator[StudyImportance]:
    """Iterate over the parameters of one study."""
    result = study.result
    for parameter in result:
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
        )


def _study(study: StudyNumbers, names: Sequence[str]) -> ComparedStudy:
    trials = study.result.account.trials
    return ComparedStudy(
        name=study.name,
        trials=trials.total,
        used=trials.used,
        target_size=study.result.target_size,
        sampling=study.result.evidence.sampling,
        reason=study.result.reason,
        missing=tuple(name for name in names if name not in study.result),
    )


def _require_common_parameters(studies: Sequence[StudyNumbers]) -> None:
    """Raise if a study shares no parameter with any other."""
    for study in studies:
        others = {name for one in studies if one is not study for name in one.result.names}
        if len(studies) > 1 and study.result.names and not others & set(study.result.names):
            raise DataError(
                f"The study {shortened(study.name)!r} has no parameter in common with the others: "
                f"it has {listed(study.result.names, _MOST_NAMES)}, they have "
                f"{listed(sorted(others), _MOST_NAMES)}. Leave it out, or rename its parameters."
            )


def _notes(studies: Sequence[StudyNumbers], names: Sequence[str]) -> Iterator[str]:
    """Iterate over what the user should know about the comparison."""
    for study in studies:
        if study.result.reason is not None:
            yield (
                f"Nothing can be told of the study {shortened(study.name)}: {study.result.reason} "
                "It does not count in the pooled numbers."
            )
    for name in names:
        have = [study.name for study in studies if name in study.result]
        if len(have) < len(studies):
            yield f"{shortened(name)} is a parameter of {len(have)} of {len(studies)} studies."
