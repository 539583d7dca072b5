"""Words and numbers that every output writes alike: shares, verdicts, ties, gates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from condped.analyse.branches.gates import Gate
from condped.analyse.evidence.evidence import Evidence, ParameterEvidence
from condped.analyse.importance.ties import OVER, OVER_WORDS, Tie
from condped.safe_text import listed, percent, shortened
from condped.space.domain import Domain

# Not loaded for printing another kind of result.
if TYPE_CHECKING:
    from condped.analyse.importance.parameter import ParameterImportance
    from condped.analyse.importance.result import ImportanceResult

# A string, which is kept, or a number with more digits than anybody reads.
_LONG_NUMBER = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|(\d+\.\d{5,}(?:e[+-]?\d+)?)")
_LEAST = 0.0005  # the smallest value that three decimals show
TINY_WORDS = "≈ 0: statistically significant, but too small to give it a share."
# In every table and picture: the share that no parameter is given, and why.
UNATTRIBUTED = "unattributed"
UNATTRIBUTED_WORDS = (
    "unattributed: seems to be explained by parameters without enough evidence, each by itself; "
    "with it the importances sum to 1."
)
# In place of good values, by verdict.
NO_GOOD_VALUES = {
    "matters": "nothing stands out here",
    "unclear": "unclear whether it matters",
    "no evidence": "no evidence of an effect",
}
_MOST_NAMED = 6
_MOST_GATES = 4
_MOST_FOLDED = 8  # names on a line of parameters without a row
_FEWEST_FOLDED = 5  # parameters that share a line rather than getting rows


def share_text(value: float) -> str:
    """Return a share with three decimals; what is not 0 does not look like 0.

    Examples
    --------
    >>> share_text(0.0), share_text(0.0004), share_text(0.02149)
    ('0.000', '< 0.001', '0.021')
    """
    return "< 0.001" if 0 < value < _LEAST else f"{value:.3f}"


def is_shared(unattributed: float) -> bool:
    """Return whether the unattributed share is large enough to be shown."""
    return bool(unattributed >= _LEAST)


def sum_words(unattributed: float) -> str:
    """Return what importances sum to."""
    if not is_shared(unattributed):
        return "sums to 1"
    return f"sums to 1 with {unattributed:.3f} unattributed"


def importance_label(importance: float, verdict: str | None) -> str:
    """Return an importance; one of 0 that matters is written as ≈ 0."""
    return "≈ 0" if importance == 0 and verdict == "matters" else share_text(importance)


def unfolded(
    result: ImportanceResult, most: int
) -> tuple[Sequence[ParameterImportance], dict[str, list[str]]]:
    """Return the parameters that get a row each, and the names of the others by verdict.

    The others share a line: their importance is 0 without evidence, and they are not gates.
    """
    evidence = result.ready_evidence
    if evidence is None:
        return result.parameters[:most], {}
    silent: dict[str, list[str]] = {}
    for own in result.parameters:
        verdict = evidence[own.name].verdict
        quiet = without_evidence(verdict) and not own.importance
        if quiet and result.gate(own.name) is None:
            silent.setdefault(verdict, []).append(own.name)
    if sum(map(len, silent.values())) < _FEWEST_FOLDED:
        return result.parameters[:most], {}
    names = {name for each in silent.values() for name in each}
    return [own for own in result.parameters if own.name not in names][:most], silent


def not_shown(
    result: ImportanceResult,
    shown: Sequence[ParameterImportance],
    silent: Mapping[str, Sequence[str]],
) -> list[ParameterImportance]:
    """Return the parameters that have neither a row nor a place on a line."""
    named = {own.name for own in shown}.union(*silent.values())
    return [own for own in result.parameters if own.name not in named]


def rows_left_out(
    result: ImportanceResult,
    shown: Sequence[ParameterImportance],
    silent: Mapping[str, Sequence[str]],
) -> list[str]:
    """Return what has no row in a table: further parameters, and what is unattributed."""
    hidden = not_shown(result, shown, silent)
    lines = []
    if hidden:
        rest = share_text(sum(parameter.importance for parameter in hidden))
        lines.append(f"… and {len(hidden)} more with {rest} together")
    if is_shared(result.unattributed):
        lines.append(f"{UNATTRIBUTED}: {share_text(result.unattributed)}")
    return lines


def folded_lines(silent: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the parameters with an importance of 0, in a line per verdict."""
    lines = []
    for verdict, names in silent.items():
        others = "1 other" if len(names) == 1 else f"{len(names)} others"
        lines.append(f"{others}: {share_text(0.0)}, {verdict}: {listed(names, _MOST_FOLDED)}")
    return lines


def tiny(importances: Iterable[float], verdicts: Iterable[str | None]) -> bool:
    """Return whether :data:`TINY_WORDS` apply."""
    pairs = zip(importances, verdicts, strict=True)
    return any(value == 0 and verdict == "matters" for value, verdict in pairs)


def count_of(number: int, what: str) -> str:
    """Return a number with its noun: 1 regime, 2 regimes."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def p_text(p_value: float) -> str:
    """Return a p-value as people write it: p = 0.012, p < 0.0001."""
    return "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.2g}"


def eta_text(eta_squared: float) -> str:
    """Return η²; above 1 it is not a share, as :data:`OVER_WORDS` explain."""
    return "> 1" if eta_squared >= OVER else share_text(eta_squared)


def without_evidence(verdict: str | None) -> bool:
    """Return whether a verdict shows no evidence of an effect; not so if nothing was tested."""
    return verdict in ("no evidence", "not testable")


def over_words(etas: Iterable[float]) -> list[str]:
    """Return the remark on η² above 1, if any is."""
    return [OVER_WORDS] if any(eta >= OVER for eta in etas) else []


def reason_of(evidence: ParameterEvidence) -> str:
    """Return the reason of a verdict; empty if there is nothing to say."""
    return evidence.reason.rstrip(".")


def reason_lines(evidence: Evidence, names: Sequence[str]) -> list[str]:
    """Return the reasons of verdicts, each once, with its parameters."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in names:
        reason = reason_of(evidence[name])
        if reason:
            found.setdefault((evidence[name].verdict, reason), []).append(name)
    lines = []
    for (verdict, reason), about in found.items():
        named = listed(about, _MOST_NAMED)
        lines.append(f"{verdict[0].upper()}{verdict[1:]}: {named} ({reason}).")
    return lines


def sampling_lines(evidence: Evidence) -> list[str]:
    """Return how parameters were tested; empty if none was testable."""
    how = evidence.sampling
    if not how or all(tested.verdict == "not testable" for tested in evidence):
        return []
    return [f"Tested: {how[0].lower()}{how[1:]}"]


def gate_words(gate: Gate) -> str:
    """Return in a few words where the target set lies: "svm: all 16"."""
    first, size = gate.first, gate.target_size
    if not first.target_trials:
        return ""
    some = f"all {size}" if first.target_trials == size else f"{first.target_trials} of {size}"
    return f"{shortened(first.label, 24)}: {some}"


def gate_sentence(gate: Gate) -> str:
    """Return what the choice of a branch decides, in a sentence."""
    first, size = gate.first, gate.target_size
    name = shortened(gate.parameter)
    if not first.target_trials:
        return f"{name} chooses the branch, and no branch has target trials."
    some = f"all {size}" if first.target_trials == size else f"{first.target_trials} of the {size}"
    share = percent(first.region_trials / max(gate.region_size, 1))
    # A gate that is not always active decides among the trials that have it.
    among, every = "", "all trials"
    if not gate.always:
        among, every = "where it is active, ", "these trials"
    return (
        f"{name} chooses the branch: {among}{shortened(first.label, 40)} has {some} target trials "
        f"and {share} of {every}; η² between the branches is {share_text(gate.choosing)}."
    )


def regime_name(result: ImportanceResult, name: str, domain: Domain | None) -> str:
    """Return the name of a regime: its condition if known, else its domain."""
    if domain is None:
        return "absent"
    return where_words(result, name, domain) or domain.label


def where_words(result: ImportanceResult, name: str, domain: Domain | None) -> str:
    """Return when a parameter has a domain: "where model == 'svm'"; empty if always or unknown."""
    condition = result.condition(name, domain)
    return "" if condition is None else f"where {_LONG_NUMBER.sub(_rounded, condition)}"


def _rounded(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else f"{float(found[1]):.4g}"


def tie_lines(tie: Tie | None) -> list[str]:
    """Return the first lines of a text: a notable tie that the objective does not separate."""
    return [] if tie is None or not tie.notable else [tie.message]


def tie_remark(tie: Tie | None, target_size: int) -> str:
    """Return how large a target set is, and why it is larger than requested."""
    size = f"{target_size} in the target set"
    if tie is None or tie.kind == "objectives":
        return size
    if tie.notable or tie.tied is None:  # the first line says why, or ties were not counted
        return f"{size} ({tie.asked} without ties)"
    return f"{size} ({tie.asked} without ties: {tie.what})"


def remarks(
    result: ImportanceResult,
    shown: Sequence[ParameterImportance],
    silent: Mapping[str, Sequence[str]],
) -> list[str]:
    """Return what is needed to understand the numbers of a table, in sentences.

    ``silent`` are parameters that share a line, by verdict.
    """
    sentences = []
    if result.status == "ok":
        sentences += [gate_sentence(gate) for gate in gates_among(result, shown)[:_MOST_GATES]]
    sentences += result.effect_sentences
    if is_shared(result.unattributed):
        sentences.append(UNATTRIBUTED_WORDS)
    sentences += over_words(parameter.eta_squared for parameter in shown)
    evidence = result.ready_evidence
    if evidence is not None:
        if tiny((p.importance for p in shown), (evidence[p.name].verdict for p in shown)):
            sentences.append(TINY_WORDS)
        if result.status == "ok":
            sentences += [evidence.message, *sampling_lines(evidence)]
        folded = [name for names in silent.values() for name in names]
        sentences += reason_lines(evidence, [*(parameter.name for parameter in shown), *folded])
    return sentences


def gates_among(result: ImportanceResult, shown: Sequence[ParameterImportance]) -> list[Gate]:
    """Return the gates among the parameters of a table, the one that decides most first."""
    names = {parameter.name for parameter in shown}
    found = [gate for gate in result.gates if gate.parameter in names]
    return sorted(found, key=lambda gate: -gate.choosing)
