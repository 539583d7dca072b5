"""Conditions under which a command fails: a few words about its result, parsed and never executed.

::

    condition  = [ "not" ] ( fact | quantity comparison number )
    fact       = subject words       such as  learning_rate matters,  any matters
               | words               such as  settled,  changed,  undetermined
    subject    = name | "`" name "`" | "any" | "every"
    quantity   = "importance of" name | "best" | "trials" | "failed" | …
    comparison = "<" | "<=" | ">" | ">="

A condition holds, does not hold, or is undecided: whether an untestable parameter matters is
unknown, and so is everything about an undetermined result. ``any`` and ``every`` refer to the
testable parameters.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from condped.cli.facts import UnknownFactError, overall_fact, parameter_facts, quantity
from condped.errors import CondpedError, SettingsError, not_found
from condped.safe_text import listed, printable

WRONG, HELD, UNDECIDED = 2, 4, 5  # exit codes
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_VERDICTS = ("matters", "unclear", "no evidence", "not testable")
# By kind of result: facts about a parameter, facts about the whole result, and numbers.
_OF_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("importance", "report", "effects", "forecast"), _VERDICTS),
    "difference": ("matters more", "matters less", "changed"),
    "across": ("differs", "odd"),
}
_OF_ALL: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("importance", "report"), ("undetermined", "tied")),
    "forecast": ("settled",),
    "difference": ("branch changed", "changed"),
}
_IMPORTANCE_OF = "importance of "
_QUANTITIES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("importance", "report"), (f"{_IMPORTANCE_OF}NAME", "trials")),
    "summary": ("best", "trials", "complete", "failed", "pruned", "infeasible", "running"),
}
EXAMPLES = {
    "importance": "'learning_rate matters' or 'importance of depth < 0.1'",
    "report": "'learning_rate matters' or 'any matters'",
    "effects": "'learning_rate matters' or 'any matters'",
    "forecast": "'not settled' or 'learning_rate no evidence'",
    "summary": "'best > 0.2' or 'failed > 10'",
    "difference": "'changed' or 'learning_rate matters less'",
    "across": "'any differs' or 'learning_rate odd'",
}
_NUMBER = re.compile(r"(?P<what>(?:`[^`]*`|[^`<>])+?)\s*(?P<sign><=|>=|<|>)\s*(?P<number>[^<>=]+)")
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_QUOTED = re.compile(r"`([^`]+)`")
_BLANKS = re.compile(r"(`[^`]*`)|\s+")
# Whether a condition holds, and the numbers behind it.
Outcome: TypeAlias = tuple[bool, str]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as given, and a function that evaluates it."""

    text: str
    evaluate: Callable[[Any], Outcome]


@dataclass(frozen=True, slots=True)
class CheckedConditions:
    """The exit code of conditions, and a sentence on each that holds, is undecided or is wrong."""

    code: int
    messages: tuple[str, ...]


def check(conditions: Sequence[Condition], result: Any) -> CheckedConditions:
    """Check which conditions hold for a result."""
    held, unknown, wrong = [], [], []
    for condition in conditions:
        try:
            holds, found = condition.evaluate(result)
        except UnknownFactError as reason:
            unknown.append(f"cannot tell whether {condition.text!r} holds: {reason}")
        except CondpedError as error:  # such as a name that the result does not have
            wrong.append(f"{condition.text!r}: {error}")
        else:
            held += [f"{condition.text!r} holds: {found}"] if holds else []
    code = WRONG if wrong else HELD if held else UNDECIDED if unknown else 0
    return CheckedConditions(code, (*held, *unknown, *wrong))


def parsed(text: str, kind: str) -> Condition:
    """Return a condition on a kind of result, such as ``importance``."""
    words = _single_blanks(text)
    negated = words.startswith("not ")
    rest = words.removeprefix("not ")
    numeric = _NUMBER.fullmatch(rest)
    evaluate = _comparison(text, kind, numeric) if numeric else _fact(text, kind, rest)
    if not negated:
        return Condition(words, evaluate)

    def opposite(result: Any) -> Outcome:
        holds, found = evaluate(result)
        return not holds, found

    return Condition(words, opposite)


def _comparison(text: str, kind: str, numeric: re.Match[str]) -> Callable[[Any], Outcome]:
    what, sign = numeric["what"], numeric["sign"]
    known = _QUANTITIES.get(kind, ())
    about = what.startswith(_IMPORTANCE_OF) and f"{_IMPORTANCE_OF}NAME" in known
    if not _PLAIN_NUMBER.fullmatch(numeric["number"]) or math.isinf(float(numeric["number"])):
        raise SettingsError(
            f"The condition {text!r} compares with {numeric['number']!r}, which is not a number. "
            "Write one such as 0.1, -3 or 1e-4."
        )
    bound = float(numeric["number"])
    if not about and what not in known:
        raise _not_understood(text, kind)
    name = _unquoted(what.removeprefix(_IMPORTANCE_OF)) if about else None

    def evaluate(result: Any) -> Outcome:
        value = quantity(result, "importance" if about else what, name)
        return _COMPARISONS[sign](value, bound), f"{printable(what)} is {value:.6g}"

    return evaluate


def _fact(text: str, kind: str, rest: str) -> Callable[[Any], Outcome]:
    if rest in _OF_ALL.get(kind, ()):
        return lambda result: overall_fact(result, rest)
    known = _OF_PARAMETERS.get(kind, ())
    word = next((word for word in known if rest.endswith(f" {word}")), None)
    if word is None:
        raise _not_understood(text, kind)
    subject = rest.removesuffix(word).strip()
    return lambda result: _holds_for(result, subject, word)


def _holds_for(result: Any, subject: str, word: str) -> Outcome:
    """Return whether a word is true of a parameter, or of any or every one that is testable."""
    facts = parameter_facts(result, word)
    if subject not in ("any", "every"):
        name = _unquoted(subject)
        if name not in facts:
            raise not_found("parameter", name, facts)
        fact = facts[name]
        if fact.holds is None:
            raise UnknownFactError(fact.found)
        return fact.holds, fact.found
    known = {name: fact.holds for name, fact in facts.items() if fact.holds is not None}
    if not known:
        raise UnknownFactError("no parameter can be assessed.")
    true = [name for name, holds in known.items() if holds]
    holds = bool(true) if subject == "any" else len(true) == len(known)
    all_of_them = "parameters" if len(known) == len(facts) else "testable parameters"
    count = f"true of {len(true)} of {len(known)} {all_of_them}"
    return holds, f"{count}: {listed(true, 6)}." if true else f"{count}."


def _single_blanks(text: str) -> str:
    """Return a text with single blanks, except in quoted names."""
    return _BLANKS.sub(lambda found: found[1] or " ", text.strip())


def _unquoted(text: str) -> str:
    quoted = _QUOTED.fullmatch(text.strip())
    return quoted[1] if quoted else text.strip()


def _not_understood(text: str, kind: str) -> SettingsError:
    of_one = [f"NAME {word}" for word in _OF_PARAMETERS.get(kind, ())]
    numbers = [f"{name} < NUMBER" for name in _QUANTITIES.get(kind, ())]
    known = ", ".join((*of_one, *_OF_ALL.get(kind, ()), *numbers))
    names = " NAME is a parameter (in backticks if needed), any or every." if of_one else ""
    return SettingsError(
        f"This command has no condition {text!r}. Available: {known}; each can follow not.{names}"
    )
