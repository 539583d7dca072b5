"""``condped.report``: from a source to one page."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Unpack

import numpy as np

import condped
from condped.analyse.advice.advise import advise
from condped.analyse.advice.result import Advice
from condped.analyse.advice.steps import Step
from condped.analyse.branches.regime_conditions import (
    GatesAndConditions,
    conditional,
    regime_conditions,
)
from condped.analyse.branches.structure import Structure, structure_of
from condped.analyse.branches.tree import Grower, analyses_of
from condped.analyse.evidence.sampling import LEARNS, RANDOM_IS_SOONER
from condped.analyse.importance.account import Account
from condped.analyse.importance.analysis import Analysis, count_sets
from condped.analyse.importance.result import ImportanceResult, importance_result
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, Question, open_trials
from condped.analyse.report.cost import cost_data
from condped.analyse.report.effects import PageEffects
from condped.analyse.report.endings import endings_data
from condped.analyse.report.numbers import (
    Analyses,
    parameters_data,
    shares,
    slider_quantiles,
    ties_data,
    tree_data,
)
from condped.analyse.report.pairs import pairs_data
from condped.analyse.report.progress import summary_data
from condped.analyse.report.result import Report
from condped.analyse.report.verdicts import finished_trials
from condped.analyse.saving.plain import plain
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.settings import Method, Settings
from condped.options import takes
from condped.read.databases.urls import without_password
from condped.space.domain import Categorical, choice_labels
from condped.trials.notes import Caution
from condped.trials.outcome import Target
from condped.trials.used_trials import Handling
from condped.writing.inputs import check_output

_MOST_IN_CODE = 100  # parameters of a space that is shown as code for several tools
_NO_TREE = {
    "outcome": "Branches and advice are about good objectives; this report explains an outcome.",
    "unconditional": "The measure 'unconditional' ignores conditions: no branches and no advice.",
}

_NOT_TESTED: dict[str, Any] = {"advice": None, "pairs": None, "cost": None, "endings": []}
_MEASURES = {
    "standard": "with the variance between regimes added to that within them",
    "unweighted": "as the sum of divergences, without the shares of the regimes",
    "unconditional": "of PED-ANOVA, as if there were no conditions",
}


@takes(AnalysisOptions, *ANALYSIS)
def report(
    source: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    target_quantile: float = 0.1,
    target: Target | None = None,
    title: str | None = None,
    verdicts: bool = True,
    **options: Unpack[AnalysisOptions],
) -> Report:
    """Write everything that condped finds about a study on one page that anybody can open.

    The page needs no network and no other file. It opens with the answer in plain words; a slider
    moves the target quantile of everything on it.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    path
        Where to write the page; it is not written if None.
    target_quantile
        The γ' that the page opens with.
    target
        An outcome to explain instead of good objectives, as for :func:`condped.importance`.
    title
        The headline; by default the name of the source, if it has one.
    verdicts
        False leaves out all that takes long: tests and what depends on them, such as good values,
        advice and the calibrated method. :meth:`Report.with_verdicts_of` adds those of an earlier
        report, for a study that is still running.
    **options
        As for :func:`condped.importance`.

    Examples
    --------
    >>> import condped
    >>> made = condped.report(condped.problems.get("nested").sample(500, seed=0))
    >>> made.data["parameters"][2]["name"]
    'x'
    >>> made.save("report.html")  # doctest: +SKIP
    """
    parsed = Options.of(report, options)
    if path is not None:
        check_output(path, source, options.get("backend"), options.get("space"), page=True)
    question = parsed.question((target_quantile,), target)
    start = 0
    if target is None:
        steps = slider_quantiles(target_quantile, question.settings.region_quantile)
        question, start = replace(question, target_quantiles=steps), steps.index(target_quantile)
    trials = open_trials(source, **parsed.reading)
    # First: it may leave a note for the account.
    structure = None if _no_tree(question) else structure_of(trials)
    posed = question if verdicts else _quick_question(trials, question)
    methods = question.methods if verdicts else ("paper",)
    analyses = analyses_of(trials, posed, methods)
    result = importance_result(analyses[posed.settings.method].at(start))
    reading = parsed.reading
    effects = None
    if target is None and trials.in_memory is not None and result.status == "ok":
        effects = PageEffects(analyses["paper"], start)
    data = {
        "schema": Report.schema,
        "title": source_name(source, reading.get("study")) if title is None else title,
        "tested": None,
        **_question_data(posed, analyses, start, tested=verdicts),
        "parameters": parameters_data(analyses, effects, _conditions(structure), tested=verdicts),
        **_tree(structure, trials, posed, analyses, methods if verdicts else ()),
        "summary": None if trials.in_memory is None else summary_data(trials.in_memory),
        "sample": _sample(effects, analyses["paper"]),
        **_NOT_TESTED,
        "account": _account(result.account),
        "settings": _settings(question, result.account, target_quantile),
        "versions": _versions(),
    }
    if verdicts:
        own = {n: v for n, v in options.items() if n not in reading and n != "intervals"}
        durations = (data["summary"] or {}).get("durations")
        data |= _test_results(
            trials, question, result, durations, target_quantile=target_quantile, **own
        )
        table = trials.in_memory  # for a selection, trials of the whole study count
        finished = finished_trials(data) if table is None else table.finished
        data["tested"] = {"trials": finished}
    shown = result if verdicts else _without_evidence(analyses["paper"].at(start))
    made = Report(plain(data), shown)
    if path is not None:
        made.save(path)
    return made


def _quick_question(trials: Trials, question: Question) -> Question:
    """Return the question in a form that is quick: by the paper's method, without intervals."""
    quick = replace(question, intervals=None).by("paper")
    sets = count_sets(trials, quick).trials
    # Pooled domains need a test; the one within strata in time is quick, whatever the sampler.
    if sets is not None and sets.pooled and quick.settings.sampling in ("auto", "tpe"):
        return replace(quick, settings=replace(quick.settings, sampling="ordered"))
    return quick


def _without_evidence(analysis: Analysis) -> ImportanceResult:
    """Return the numbers alone: nothing is tested when they are printed or saved.

    If domains were pooled, the numbers come from tests, which are kept.
    """
    sets = analysis.counts.trials
    assert sets is not None
    result = importance_result(analysis.detached(tests=False, evidence=bool(analysis.pooled)))
    return replace(result, _known=conditional(sets.given, sets.top), _sentences=())


def _test_results(
    trials: Trials,
    question: Question,
    result: ImportanceResult,
    durations: Mapping[str, float] | None,
    **options: Any,
) -> dict[str, Any]:
    """Return what only tests show, beyond the verdicts on the parameters."""
    return {
        **_advice_data(trials, question, **options),
        "pairs": pairs_data(trials.in_memory, result),
        "cost": cost_data(trials.in_memory, question),
        "endings": endings_data(trials, question, result.account.trials, durations),
    }


def _sample(effects: PageEffects | None, analysis: Analysis) -> dict[str, Any] | None:
    """Return some of the trials; None if they are not in memory."""
    if effects is None:
        return None
    return effects.sample(analysis, analysis.counts.grid.parameters)


def source_name(source: Any, study: str | Sequence[str] | None) -> str:
    """Return the name of a source, without its location and without a password."""
    name = study or getattr(source, "study_name", None)
    if not isinstance(name, str) and isinstance(source, (str, os.PathLike)):
        path = Path(without_password(os.fspath(source)))
        # A number says nothing: SMAC names the folder of a run by its seed.
        name = f"{path.parent.name}/{path.name}" if path.name.isdecimal() else path.name
    # Optuna's name for a study without one says nothing.
    return name if isinstance(name, str) and not name.startswith("no-name-") else ""


def _question_data(
    question: Question, analyses: Analyses, start: int, *, tested: bool
) -> dict[str, Any]:
    """Return the question, and what holds for the study as a whole at each step."""
    paper, counts = analyses["paper"], analyses["paper"].counts
    sampling = counts.sampling if tested else counts.decision.reason
    return {
        "outcome": paper.account.outcome,
        "objectives": [[goal.name, goal.direction] for goal in paper.account.objectives],
        "used": paper.account.trials.used,
        "region_quantile": question.settings.region_quantile,
        "region": paper.account.region_size,
        "steps": question.quantiles,
        "start": start,
        "sizes": paper.numbers.target_sizes,
        "ties": ties_data(paper),
        "methods": tuple(analyses),
        "method": question.settings.method,
        "definition": _definition(question.settings, paper.account),
        "level": paper.level,
        "reasons": {m: list(found.numbers.reasons) for m, found in analyses.items()},
        "unattributed": {m: shares(found.numbers.unattributed) for m, found in analyses.items()},
        "sampling": sampling,
        # What would give an answer sooner if there is not enough evidence.
        "remedy": RANDOM_IS_SOONER if LEARNS in (sampling or "") else None,
    }


def _conditions(structure: Structure | None) -> GatesAndConditions:
    if structure is None:
        return GatesAndConditions()
    return GatesAndConditions((), regime_conditions(structure.space, structure.unexplained))


def _no_tree(question: Question) -> str | None:
    """Return why a question has no branches; None if it has some."""
    if question.target is not None:
        return _NO_TREE["outcome"]
    return _NO_TREE.get(question.settings.measure)


def _tree(
    structure: Structure | None,
    trials: Trials,
    question: Question,
    analyses: Analyses,
    inside: Sequence[Method],
) -> dict[str, Any]:
    """Return the branches, analysed by the methods in ``inside``, or why there are none."""
    if structure is None:
        return {"tree": None, "missing": _no_tree(question)}
    sets = analyses["paper"].counts.trials
    assert sets is not None
    plain_question = replace(question, intervals=None)
    grown = Grower(trials, structure, sets.top, plain_question, inside).tree()
    return {"tree": tree_data(grown, structure, trials.names), "missing": None}


def _advice_data(trials: Trials, question: Question, **options: Any) -> dict[str, Any]:
    """Return the advice, or why there is none."""
    missing = _no_tree(question)
    if missing is not None:
        return {"advice": None, "missing": missing}
    try:
        return {"advice": _advice(advise(trials, **options)), "missing": None}
    except SettingsError as error:  # trials that are not in memory, or no new space can describe
        return {"advice": None, "missing": str(error)}


def _advice(advice: Advice) -> dict[str, Any]:
    data = advice.to_data()
    kept = ("dropped", "kept_target", "target_size", "kept_region", "region_size", "notes")
    return {
        "steps": [_step(row, step) for row, step in zip(advice.rows(), advice.steps, strict=True)],
        "space": data["space"],
        "code": _code(advice) if advice.changes else {},
        "risk": advice.risk,
        "why_nothing": advice.why_nothing,
        **{name: data[name] for name in kept},
    }


def _code(advice: Advice) -> dict[str, str]:
    """Return the new space as code, by tool; if it is long, only for Optuna."""
    if len(advice.space) > _MOST_IN_CODE:
        return {"Optuna": advice.optuna_code()}
    return {
        "Optuna": advice.optuna_code(),
        "ConfigSpace, SMAC": advice.configspace_code(),
        "Ray Tune": advice.ray_code(),
        "Hyperopt": advice.hyperopt_code(),
    }


def _step(row: dict[str, Any], step: Step) -> dict[str, Any]:
    """Return what the page says about a step; if nothing changes, only why."""
    if step.kind == "leave":
        return {name: row[name] for name in ("kind", "parameter", "reason")}
    return row | {"without": _choices_given_up(step)}


def _choices_given_up(step: Step) -> list[str] | None:
    """Return the choices that a step gives up."""
    before, after = step.domain, step.proposal
    if step.kind != "choices" or not isinstance(before, Categorical):
        return None
    kept = after.choices if isinstance(after, Categorical) else ()
    labels = choice_labels(before.choices)
    return [label for label, c in zip(labels, before.choices, strict=True) if c not in kept]


def _account(account: Account) -> dict[str, Any]:
    return {
        "trials": asdict(account.trials),
        "selections": [asdict(selection) for selection in account.selections],
        "handling": asdict(account.handling),
        "notes": account.notes,
        "cautions": [note for note in account.notes if isinstance(note, Caution)],
    }


def _settings(question: Question, account: Account, target_quantile: float) -> dict[str, Any]:
    settings: dict[str, Any] = {"target_quantile": target_quantile}
    if account.outcome is not None:
        settings = {"target": account.outcome}
    if account.selections:
        conditions = [selection.condition for selection in account.selections]
        several = len(conditions) > 1
        settings["where"] = " and ".join(f"({one})" if several else one for one in conditions)
    settings |= asdict(question.settings)
    if question.intervals is not None:
        settings |= {
            "intervals": question.intervals, "level": question.level, "seed": question.seed,
        }  # fmt: skip
    return settings


def _versions() -> dict[str, str]:
    return {
        "condped": condped.__version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }


def _definition(settings: Settings, account: Account) -> str:
    """Say what the importances of the paper's method are, and whether Optuna's are the same."""
    if settings.measure != "within":
        return (
            f"Importances by the measure '{settings.measure}': {_MEASURES[settings.measure]}. "
            "This is neither the measure of the condPED-ANOVA paper nor Optuna's."
        )
    paper = "Importances as the condPED-ANOVA paper defines them"
    local = "" if settings.reference == "region" else " with evaluate_on_local=False"
    other = [
        (account.outcome is not None, "it explains no outcomes"),
        (bool(account.pooled), "domains that vary with other parameters were pooled here"),
        (_treated_otherwise(account), "trials that did not end well are treated differently here"),
    ]
    for differs, why in other:
        if differs:
            return f"{paper}. Optuna's would differ: {why}."
    return f"{paper}, equal to Optuna's{local} for the same trials and domains."


def _treated_otherwise(account: Account) -> bool:
    """Return whether there are trials that count here but not for Optuna, or vice versa."""
    return any(
        getattr(account.handling, name) != getattr(Handling(), name)
        and getattr(account.trials, name)
        for name in asdict(account.handling)
    )
