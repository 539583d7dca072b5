"""Tools about one study: from its trials to an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import condped
from condped.errors import not_found
from condped.live.agents.answers import one_study as models
from condped.live.agents.answers.fields import (
    MOST_BRANCHES,
    MOST_PARAMETERS,
    MOST_ROWS,
    MOST_SENTENCE,
    ParameterVerdict,
    Target,
    Trials,
    bounded,
    long_text,
    name,
    notes,
    number,
    sentence,
)
from condped.live.agents.arguments import EffectsQuestion, ImportanceQuestion, StudyQuestion
from condped.live.agents.next_step import after_advice, after_branches, after_importance
from condped.live.agents.snapshots import Snapshot
from condped.options import options_of
from condped.safe_text import listed

_MOST_INSIDE = 20  # parameters of a branch
_MOST_VALUES = 10


@dataclass(frozen=True, slots=True)
class StudyQuery:
    """A study and how it is to be analysed.

    ``options`` are those that the server was started with.
    """

    study: Snapshot
    question: StudyQuestion
    options: Mapping[str, Any]

    def call(self, function: Callable[..., Any], **own: Any) -> Any:
        """Call one of condped's functions with the options that it takes."""
        taken = {option.name for option in options_of(function)}
        given = {**self.options, **self.question.options, "looks": self.study.looks}
        known = {option: value for option, value in given.items() if option in taken}
        return function(self.study.table, **known, **own)


def importance(query: StudyQuery) -> models.ImportanceAnswer:
    """Return which parameters mattered for reaching the best trials."""
    question = query.question
    target = question.target if isinstance(question, ImportanceQuestion) else None
    result = query.call(condped.importance, target_quantile=question.target_quantile, target=target)
    parameters, more = bounded(result.parameters, MOST_PARAMETERS)
    return models.ImportanceAnswer(
        **study_fields(query.study, result),
        next_step=after_importance(result),
        parameters=[_importance(result, one) for one in parameters],
        more_parameters=more,
        unattributed=result.unattributed,
        outcome=result.account.outcome,
        effects=[sentence(one) or "" for one in result.effect_sentences[:3]],
    )


def effects(query: StudyQuery) -> models.EffectsAnswer:
    """Return how the values of each parameter performed, in units of the objective."""
    question = query.question
    result = query.call(condped.importance, target_quantile=question.target_quantile)
    only = question.parameter if isinstance(question, EffectsQuestion) else None
    if only is not None and only not in result:
        raise not_found("parameter", only[:200], result.names)
    found = result.effects if result.status == "ok" else None
    own = [one for one in found or () if only in (None, one.name)]
    parameters, more = bounded(own, MOST_PARAMETERS)
    rows, more_rows = bounded(
        (row for row in (found.rows() if found else ()) if only in (None, row["parameter"])),
        MOST_ROWS,
    )
    return models.EffectsAnswer(
        **study_fields(query.study, result),
        next_step=after_importance(result),
        parameters=[
            models.ParameterEffect(
                **_verdict(result, one.name), sentence=sentence(one.sentence) or "-"
            )
            for one in parameters
        ],
        more_parameters=more,
        rows=[_effect_row(row) for row in rows],
        more_rows=more_rows,
        level=None if found is None else found.level,
    )


def branches(query: StudyQuery) -> models.BranchesAnswer:
    """Return the conditional structure, and what matters inside each branch."""
    found = query.call(condped.branches, target_quantile=query.question.target_quantile)
    result = found.whole
    every = [(node.parameter, branch) for node, branch in _walk(found.roots)]
    kept, more = bounded(every, MOST_BRANCHES)
    return models.BranchesAnswer(
        **study_fields(query.study, result),
        next_step=after_branches(
            found,
            lambda: query.call(condped.advise, target_quantile=query.question.target_quantile),
        ),
        **verdicts(result),
        branches=[_branch(gate, branch) for gate, branch in kept],
        more_branches=more,
        found_from=found.found_from,
        unexplained=[name(one) for one in found.unexplained[:MOST_PARAMETERS]],
    )


def advise(query: StudyQuery) -> models.AdviceAnswer:
    """Suggest a narrower search space, and point out bounds that are too tight."""
    quantile = query.question.target_quantile
    advice = query.call(condped.advise, target_quantile=quantile)
    # The same verdicts as in all other tools; advice has its own if configurations are repeated.
    result = query.call(condped.importance, target_quantile=quantile)
    steps, more = bounded(advice.steps, MOST_PARAMETERS)
    fields = study_fields(query.study, result)
    differing = different_verdicts(
        result, advice.importance, "Advice tests all trials, each configuration once, and finds "
        "instead:",
    )  # fmt: skip
    fields["notes"] = notes([*differing, *fields["notes"], *advice.notes])
    return models.AdviceAnswer(
        **fields,
        next_step=after_advice(advice),
        **verdicts(result),
        steps=[_step(one) for one in steps],
        more_steps=more,
        dropped=[name(one) for one in advice.dropped[:MOST_PARAMETERS]],
        kept_target=advice.kept_target,
        kept_trials=advice.kept_region,
        explore=advice.explore if advice.changes else None,
        risk=sentence(advice.risk),
        optuna_code=long_text(advice.optuna_code()) if advice.changes else None,
    )


def study_fields(study: Snapshot, result: condped.ImportanceResult) -> dict[str, Any]:
    """Return the fields of every answer about one study."""
    account, tie, evidence = result.account, result.tie, result.evidence
    sampling = evidence.sampling
    texts = [study.source.hidden(str(note), study.place) for note in account.notes]
    if study.note is not None:
        texts.insert(0, study.note)
    if study.looks == "repeated":
        texts.insert(0, _REPEATED)
    return {
        "study": study.name,
        "status": result.status,
        "reason": sentence(result.reason),
        "notes": notes(texts),
        "trials": trials(account.trials),
        "target": Target(
            quantile=result.target_quantile,
            trials=result.target_size,
            of=account.region_size,
            tie=sentence(tie.message) if tie is not None and tie.notable else None,
        ),
        "evidence": sentence(evidence.message),
        "sampling": sentence(sampling),
        "as_of": study.as_of,
    }


def different_verdicts(
    result: condped.ImportanceResult, other: condped.ImportanceResult, why: str
) -> list[str]:
    """Return a note on verdicts that differ in another test of the same study, if any."""
    if result.status != "ok" or other.status != "ok":
        return []
    found = [
        f"{name(one)} {other.evidence[one].verdict} (not {result.evidence[one].verdict})"
        for one in result.names
        if one in other and other.evidence[one].verdict != result.evidence[one].verdict
    ]
    return [f"{why} {listed(found, _MOST_VALUES)}."] if found else []


_REPEATED = (
    "Verdicts are for repeated looks: they hold however often the study is looked at while it "
    "runs, and change only at scheduled looks."
)


def trials(counts: Any) -> Trials:
    """Return the account of some trials."""
    names = [one for one in Trials.model_fields if one != "left_out"]
    return Trials(left_out=counts.left_out, **{one: getattr(counts, one) for one in names})


def verdicts(result: condped.ImportanceResult) -> dict[str, Any]:
    """Return the parameters with their verdicts, and how many more there are."""
    parameters, more = bounded(result.names, MOST_PARAMETERS)
    return {
        "parameters": [ParameterVerdict(**_verdict(result, one)) for one in parameters],
        "more_parameters": more,
    }


def _verdict(result: condped.ImportanceResult, parameter: str) -> dict[str, Any]:
    tested = result.evidence[parameter]
    return {
        "parameter": name(parameter),
        "importance": result[parameter].importance,
        "verdict": tested.verdict,
        "p_value": number(tested.p_value),
        "reason": sentence(tested.reason),
    }


def _importance(result: condped.ImportanceResult, own: Any) -> models.Importance:
    matters = result.evidence[own.name].verdict == "matters"
    regimes = result.densities[own.name] if matters else ()
    good = [entry.label for regime in regimes for entry in regime.good]
    gate = result.gate(own.name)
    return models.Importance(
        **_verdict(result, own.name),
        eta_squared=number(own.eta_squared),
        good_values=[name(one) for one in good[:_MOST_VALUES]],
        switches=[name(one) for one in (gate.switches if gate else ())[:_MOST_VALUES]],
    )


def _effect_row(row: Mapping[str, Any]) -> models.EffectRow:
    return models.EffectRow(
        parameter=name(row["parameter"]),
        regime=name(row["regime"]),
        values=name(row["values"]),
        trials=row["trials"],
        target_trials=row["target_trials"],
        objective=name(row["objective"]),
        **{one: number(row[one]) for one in ("median", "median_low", "median_high", "best")},
    )


def _walk(nodes: Any) -> Any:
    for node in nodes:
        for branch in node.branches:
            yield node, branch
            yield from _walk(branch.nodes)


def _branch(gate: str, branch: Any) -> models.Branch:
    inside, last = branch.inside, branch.last
    parameters, more = bounded(inside.names, _MOST_INSIDE)
    return models.Branch(
        gate=name(gate),
        branch=name(branch.label),
        condition=branch.condition if len(branch.condition) <= MOST_SENTENCE else None,
        trials=branch.trials,
        target_trials=branch.target_trials,
        left_out=branch.left_out,
        median=number(branch.median),
        best=number(branch.best),
        last_trial=None if last is None else last.number,
        trials_ago=None if last is None else last.ago,
        status=inside.status,
        reason=sentence(inside.reason),
        evidence=sentence(inside.evidence.message),
        parameters=[ParameterVerdict(**_verdict(inside, one)) for one in parameters],
        more_parameters=more,
    )


def _step(step: Any) -> models.Step:
    return models.Step(
        kind=step.kind,
        parameter=name(step.parameter),
        regime=None if step.regime is None else name(step.regime),
        domain=name(step.domain.label),
        proposal=None if step.proposal is None else name(step.proposal.label),
        kept=step.kept,
        of=step.of,
        reason=sentence(step.reason) or "-",
        risk=sentence(step.risk) or "-",
    )
