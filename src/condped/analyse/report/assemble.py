"""``condped.report``: from a source to one page."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Unpack

import numpy as np

import condped
from condped.analyse.advice.advise import advise
from condped.analyse.advice.result import Advice, Step
from condped.analyse.branches.tree import branches
from condped.analyse.importance.account import Account
from condped.analyse.importance.importance import importance
from condped.analyse.importance.intervals import check_intervals
from condped.analyse.importance.options import AnalysisOptions, split_options
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.opening import open_trials
from condped.analyse.report.definition import ENDINGS, definition
from condped.analyse.report.parameters import parameters_data
from condped.analyse.report.steps import VERDICTS, Answers, Question, answers_of
from condped.analyse.report.tree import tree_data
from condped.analyse.saving.files import write_whole
from condped.analyse.saving.plain import plain
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.settings import Settings, check_target
from condped.read.databases.urls import without_password
from condped.read.overwriting import refuse_overwriting
from condped.show.report import framed, page
from condped.show.text.importance import data_lines, goals
from condped.space.domain import Categorical, choice_labels
from condped.trials.outcome import Target
from condped.trials.topsets import Handling

SCHEMA = "condped.report/1"
_NO_TREE = {
    "outcome": "Branches and advice are about good objectives; this report explains an outcome.",
    "unconditional": "The measure 'unconditional' ignores conditions: no branches and no advice.",
}


_COLUMNS = (
    "parameter",
    "method",
    "target_quantile",
    "target_trials",
    "importance",
    "importance_low",
    "importance_high",
    "eta_squared",
    "p_value",
    "adjusted_p_value",
    "verdict",
    "determined",
)


@dataclass(frozen=True, eq=False)
class Report:
    """A study as one page.

    Attributes
    ----------
    data
        All that the page shows, as plain data for JSON.
    importance
        The importances that the page opens with; as plain text for readers that run no scripts.
    """

    data: dict[str, Any]
    importance: ImportanceResult = field(repr=False)

    @property
    def html(self) -> str:
        """The page: one file that needs no other."""
        return page(self.data, str(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page into a file; one that is there is replaced as a whole."""
        write_whole(self.html, path)

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        return _COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per method, step of the slider and parameter."""
        quantiles = self.data["steps"] or [None]
        return [
            {
                "parameter": one["name"],
                "method": method,
                "target_quantile": quantile,
                "target_trials": self.data["sizes"][step],
                "importance": one["importance"][method][step],
                "importance_low": one["low"][method][step] if "low" in one else None,
                "importance_high": one["high"][method][step] if "high" in one else None,
                "eta_squared": one["eta"][method][step],
                "p_value": one["p"][step],
                "adjusted_p_value": one["adjusted"][step],
                "verdict": VERDICTS[one["verdict"][step]],
                "determined": self.data["reasons"][method][step] is None,
            }
            for method in self.data["methods"]
            for step, quantile in enumerate(quantiles)
            for one in self.data["parameters"]
        ]

    def to_data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, under a schema with a version."""
        return self.data

    def __str__(self) -> str:
        return str(self.importance)

    def _repr_html_(self) -> str:
        return framed(self.html)


def report(
    source: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    target_quantile: float = 0.1,
    target: Target | None = None,
    title: str | None = None,
    **options: Unpack[AnalysisOptions],
) -> Report:
    """Put all that can be told of a study on one page that anybody can open.

    The page needs no network and no other file. It opens with the answer in plain words; a slider
    moves the target quantile of everything on it.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    path
        Where to write the page; not written if not given.
    target_quantile
        γ' that the page opens with.
    target
        An outcome to explain instead of good objectives, as for :func:`condped.importance`.
    title
        What stands on top; by default the name of the source, if it has one.
    **options
        Options of :func:`condped.importance` and of :func:`condped.read`.

    Examples
    --------
    >>> import condped
    >>> made = condped.report(condped.problems.get("nested").sample(500, seed=0))
    >>> made.data["parameters"][2]["name"]
    'x'
    >>> made.save("report.html")  # doctest: +SKIP
    """
    if path is not None:
        refuse_overwriting(path, source, options.get("space"))
    analysis, opening = split_options("report", options)
    question = _question(target_quantile, target, analysis)
    trials = open_trials(source, **opening)
    told = importance(trials, target_quantile=target_quantile, target=target, **analysis)
    answers = answers_of(trials, question)
    made = Report(
        data=plain(
            {
                "schema": SCHEMA,
                "title": source_name(source, opening) if title is None else title,
                **_asked(question, answers),
                "parameters": parameters_data(answers),
                **_structure(trials, question, answers, analysis),
                "account": _account(answers, told.account.notes),
                "settings": _settings(question, told.account),
                "versions": _versions(),
            }
        ),
        importance=told,
    )
    if path is not None:
        made.save(path)
    return made


def _question(target_quantile: float, target: Target | None, analysis: dict[str, Any]) -> Question:
    """Return what is asked, or refuse it."""
    given = dict(analysis)
    handling = Handling(**{name: given.pop(name) for name in ENDINGS if name in given})
    chance = {name: given.pop(name) for name in ("intervals", "level", "seed") if name in given}
    question = Question(target_quantile, target, Settings(**given), handling, **chance)
    check_target(target_quantile, question.settings.region_quantile)
    check_intervals(question.intervals, question.level, question.seed)
    return question


def source_name(source: Any, reading: dict[str, Any]) -> str:
    """Return the name of a source, without where it lies and without a password."""
    name = reading.get("study") or getattr(source, "study_name", None)
    if not isinstance(name, str) and isinstance(source, (str, os.PathLike)):
        name = Path(without_password(os.fspath(source))).name
    # What Optuna calls a study that nobody has named says nothing.
    return name if isinstance(name, str) and not name.startswith("no-name-") else ""


def _asked(question: Question, answers: Answers) -> dict[str, Any]:
    """Return the question, and what holds of the study as a whole at each step."""
    account, counts = answers.paper.account, answers.paper.counts
    return {
        "goal": goals(account),
        "outcome": account.outcome,
        "used": account.trials.used,
        "region_quantile": question.settings.region_quantile,
        "region": counts.region_size,
        "steps": question.quantiles,
        "start": question.start,
        "sizes": counts.target_sizes,
        "methods": question.methods,
        "method": question.settings.method,
        "definition": definition(question.settings, account),
        "level": question.level if any(answers.bands.values()) else None,
        "reasons": {m: list(found.reasons) for m, found in answers.by_method.items()},
    }


def _structure(
    trials: Trials, question: Question, answers: Answers, analysis: dict[str, Any]
) -> dict[str, Any]:
    """Return the branches and the advice, or why there are none."""
    missing = None
    if question.target is not None:
        missing = _NO_TREE["outcome"]
    elif question.settings.measure == "unconditional":
        missing = _NO_TREE["unconditional"]
    if missing is not None:
        return {"tree": None, "advice": None, "missing": missing}
    asked = {name: value for name, value in analysis.items() if name != "intervals"}
    found = branches(trials, target_quantile=question.target_quantile, **asked)
    advice = None
    try:
        advice = advise(trials, target_quantile=question.target_quantile, **asked)
    except SettingsError as error:  # trials that are not in memory, or no new space can describe
        missing = str(error)
    return {
        "tree": tree_data(found, trials, answers.paper.top, question),
        "advice": None if advice is None else _advice(advice),
        "missing": missing,
    }


def _advice(advice: Advice) -> dict[str, Any]:
    data = advice.to_data()
    kept = ("dropped", "kept_target", "target_size", "kept_region", "region_size", "notes")
    return {
        "steps": [
            row | {"without": _without(step)}
            for row, step in zip(advice.rows(), advice.steps, strict=True)
        ],
        "space": data["space"],
        "code": advice.optuna_code(),
        **{name: data[name] for name in kept},
    }


def _without(step: Step) -> list[str] | None:
    """Return the choices that a step gives up."""
    before, after = step.domain, step.proposal
    if step.kind != "choices" or not isinstance(before, Categorical):
        return None
    kept = after.choices if isinstance(after, Categorical) else ()
    labels = choice_labels(before.choices)
    return [label for label, c in zip(labels, before.choices, strict=True) if c not in kept]


def _account(answers: Answers, notes: tuple[str, ...]) -> dict[str, Any]:
    account = answers.paper.account
    return {
        "trials": asdict(account.trials),
        "selections": [asdict(selection) for selection in account.selections],
        "handling": asdict(account.handling),
        "lines": [*data_lines(account), *notes],
    }


def _settings(question: Question, account: Account) -> dict[str, Any]:
    asked = {"target_quantile": question.target_quantile}
    settings: dict[str, Any] = asked if account.outcome is None else {"target": account.outcome}
    if account.selections:
        conditions = [chosen.condition for chosen in account.selections]
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
