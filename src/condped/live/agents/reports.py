"""Tools that summarise one study: whether it has enough trials, and its report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import condped
from condped.live.agents.answers import one_study as models
from condped.live.agents.answers.fields import (
    MOST_PARAMETERS,
    NextStep,
    ToolAnswer,
    bounded,
    long_text,
    name,
    notes,
    number,
    sentence,
)
from condped.live.agents.arguments import ReportQuestion
from condped.live.agents.next_step import after_importance
from condped.live.agents.one_study import StudyQuery, different_verdicts, study_fields, verdicts

MOST_PAGE = 1_000_000  # bytes of a page that is embedded
_MOST_BEST = 10
_MOST_VALUES = 50


def forecast(query: StudyQuery) -> models.ForecastAnswer:
    """Return whether there are enough trials, or about how many more would settle each verdict."""
    quantile = query.question.target_quantile
    result = query.call(condped.importance, target_quantile=quantile)
    # Forecasts are about verdicts that hold however often the study is looked at.
    repeated = replace(query, study=replace(query.study, looks="repeated"))
    looked = repeated.call(condped.importance, target_quantile=quantile)
    found = looked.forecast()
    fields = study_fields(repeated.study, looked)
    if query.study.looks == "once":
        why = "Other tools test for one look, forecast for repeated looks, and finds instead:"
        fields["notes"] = notes([*different_verdicts(result, looked, why), *fields["notes"]])
    order = {one: place for place, one in enumerate(looked.names)}  # the most important first
    rows = sorted(found.rows(), key=lambda row: order[row["parameter"]])
    kept, more = bounded(rows, MOST_PARAMETERS)
    return models.ForecastAnswer(
        **fields,
        next_step=_enough(found, after_importance(result)),
        parameters=[_forecast(row) for row in kept],
        more_parameters=more,
        settled=found.settled,
        message=sentence(found.message) or "-",
        next_look=found.next_look,
    )


def report(query: StudyQuery) -> ToolAnswer:
    """Summarise a study, with its page if requested and small enough."""
    quantile = query.question.target_quantile
    made = query.call(condped.report, target_quantile=quantile, title=query.study.name)
    summary = query.call(condped.summary)
    result = made.importance
    html = made.html
    size = len(html.encode())
    requested = isinstance(query.question, ReportQuestion) and query.question.page
    answer = models.ReportAnswer(
        **study_fields(query.study, result),
        next_step=after_importance(result),
        **verdicts(result),
        best=[_best(one) for one in summary.best[:_MOST_BEST]],
        plateau=[sentence(one) or "-" for one in summary.plateau[:_MOST_BEST]],
        outlook=sentence(summary.outlook),
        page_bytes=size,
        page_embedded=requested and size <= MOST_PAGE,
        text=long_text(str(made)),
    )
    return ToolAnswer(answer, html if answer.page_embedded else "")


def _enough(found: Any, otherwise: NextStep) -> NextStep:
    """Return what to do next: run more trials if they may settle something."""
    if otherwise.action == "gather more trials" and not found.settled:
        text = f"{found.message} {otherwise.sentence}"
        return NextStep(action=otherwise.action, sentence=sentence(text) or "-")
    return otherwise


def _forecast(row: dict[str, Any]) -> models.Forecast:
    own = {"parameter": name(row["parameter"]), "reason": sentence(row["reason"])}
    return models.Forecast(**{one: row[one] for one in models.Forecast.model_fields} | own)


def _best(best: Any) -> models.Best:
    values, more = bounded(best.parameters.items(), _MOST_VALUES)
    return models.Best(
        objective=name(best.objective),
        number=best.number,
        value=number(best.value),
        shared=best.shared,
        parameters={name(own): _plain(value) for own, value in values},
        more_parameters=more,
    )


def _plain(value: Any) -> float | int | str | bool | None:
    """Return a parameter's value for JSON."""
    if isinstance(value, float):
        return number(value)
    return value if value is None or isinstance(value, (bool, int)) else name(str(value))
