"""Facts that conditions refer to: about single parameters, or about the whole result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import condped
from condped.errors import SettingsError
from condped.safe_text import shortened


class UnknownFactError(Exception):
    """The fact is unknown, for the reason given."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Whether something is true of a parameter, None if unknown; and what is known."""

    holds: bool | None
    found: str


def parameter_facts(result: Any, word: str) -> dict[str, Fact]:
    """Return for each parameter whether a word, such as ``matters``, is true of it."""
    if isinstance(result, condped.Difference):
        words = {"matters more": ("more",), "matters less": ("less",), "changed": ("more", "less")}
        return {
            one.name: Fact(
                None if one.verdict == "not testable" else one.verdict in words[word], one.sentence
            )
            for one in result
        }
    if isinstance(result, condped.Across):
        return {one.name: _across_fact(one, word) for one in result}
    return {
        name: Fact(
            None if verdict == "not testable" != word else verdict == word,
            f"{shortened(name)}: {verdict}{f' ({reason})' if reason else ''}.",
        )
        for name, (verdict, reason) in _verdicts(result).items()
    }


def _across_fact(one: Any, word: str) -> Fact:
    name = shortened(one.name)
    if word == "odd":
        where = ", ".join(map(shortened, one.odd))
        return Fact(bool(one.odd), f"{name} is odd in {where}." if where else f"{name} is not odd.")
    p_value = ""
    if one.adjusted_p_value is not None:
        p_value = f" ({_p(one.spread_p_value, one.adjusted_p_value)})"
    reason = f" ({one.reason})" if one.reason else ""
    holds = None if one.agreement == "not testable" else one.agreement == "differs"
    return Fact(holds, f"{name}: {one.agreement}{p_value}{reason}.")


def _verdicts(result: Any) -> dict[str, tuple[str, str]]:
    """Return each parameter's verdict, with its p-value or the reason why it has none."""
    if isinstance(result, condped.Forecast):
        return {one.name: (one.verdict, _p(one.p_value) or one.reason) for one in result}
    if isinstance(result, condped.Effects):
        return {one.name: (one.verdict, "") for one in result}
    found = determined(result)
    if not found.has_evidence:
        raise UnknownFactError("this result has no verdicts.")
    return {
        one.name: (one.verdict, one.reason.rstrip(".") or _p(one.p_value, one.adjusted_p_value))
        for one in found.evidence
    }


def _p(p_value: float | None, adjusted: float | None = None) -> str:
    if p_value is None:
        return ""
    return f"p = {p_value:.2g}" + ("" if adjusted is None else f", adjusted {adjusted:.2g}")


def _importances(result: Any) -> condped.ImportanceResult:
    """Return the importances: those of a report, or the result itself."""
    found: condped.ImportanceResult = getattr(result, "importance", result)
    return found


def determined(result: Any) -> condped.ImportanceResult:
    """Return the importances of a result, unless it is undetermined."""
    found = _importances(result)
    if found.status != "ok":
        raise UnknownFactError(f"the result is undetermined: {found.reason}")
    return found


def overall_fact(result: Any, word: str) -> tuple[bool, str]:
    """Return whether a word, such as ``settled``, is true of a result, and what is known."""
    if isinstance(result, condped.Forecast):
        return result.settled, result.message
    if isinstance(result, condped.Difference):
        return _branch_changes(result, word)
    found = _importances(result)
    if word == "undetermined":
        return found.status != "ok", found.reason or "there is an answer."
    tie = found.tie
    return tie is not None and tie.notable, "no ties that matter." if tie is None else tie.message


def _branch_changes(result: condped.Difference, word: str) -> tuple[bool, str]:
    changes = [one.sentence for one in result.branches_changed]
    if word == "changed":
        facts = parameter_facts(result, "changed")
        changes += [fact.found for fact in facts.values() if fact.holds]
        tested = any(fact.holds is not None for fact in facts.values())
        if not changes and not tested and not result.same_trials:
            raise UnknownFactError("no parameter could be compared.")
    return bool(changes), " ".join(changes) or "nothing that could be compared changed."


def quantity(result: Any, what: str, name: str | None) -> float:
    """Return a number of a result."""
    if isinstance(result, condped.Summary):
        if what != "best":
            return float(getattr(result.states, "total" if what == "trials" else what))
        if len(result.objectives) > 1:
            raise SettingsError("best needs a single objective. Choose one with --objective.")
        if not result.best:
            raise UnknownFactError("there is no complete and feasible trial.")
        return result.best[0].value
    if what == "trials":
        return float(_importances(result).account.trials.used)
    assert name is not None
    return determined(result)[name].importance
