"""Results that are one table: importances, sweeps, robustness, joint effects, sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from condped.analyse.importance.ties import sweep_messages
from condped.estimate.settings import BaselineSettings
from condped.installing import command_for
from condped.safe_text import percent, shortened
from condped.show.text.account import (
    account_lines,
    data_lines,
    headline,
    headline_of,
    highest_first,
    pairs_headline,
    trial_lines,
)
from condped.show.text.layout import table_lines, text_width, width_of, wrapped, wrapped_each
from condped.show.words import (
    UNATTRIBUTED,
    eta_text,
    folded_lines,
    gates_among,
    importance_label,
    is_shared,
    remarks,
    rows_left_out,
    share_text,
    tie_lines,
    tie_remark,
    unfolded,
    where_words,
)

# Printing one kind of result does not load the others.
if TYPE_CHECKING:
    from condped.analyse.importance.parameter import ParameterImportance
    from condped.analyse.importance.result import ImportanceResult
    from condped.analyse.importance.sweep import SweepResult
    from condped.analyse.joint_effects import JointEffects
    from condped.analyse.report.result import Report
    from condped.analyse.robustness import Robustness
    from condped.analyse.sources import SourceKind, Sources

MOST_ROWS = 30
NUMBERS = ("importance", "η²", "between", "score")  # columns of numbers
_MOST_NAME = 32
_MOST_REGIMES = 72
_WIDE = 80  # columns at which there is room for bars and what is between branches
_WIDEST = 120  # at which there is room for long bars beside conditions
_LEAST_LAST = 14  # least width of the last column
_BAR = 20
# Of a sweep: about ten quantiles, and the parameters with the highest peaks.
_MOST_QUANTILES = 11
_MOST_COLUMN = 14  # letters of a name above a column
_MOST_RANKED = 8
_MOST_PAIRS = 20


def importance_text(result: ImportanceResult) -> str:
    """Return the parameters with a bar each, then what the numbers are based on."""
    lines = first_lines(tie_lines(result.tie))
    lines += [*wrapped(headline_of(result)), ""]
    if result.status != "ok":
        lines += [*wrapped(f"Undetermined: {result.reason}"), ""]
    shown, silent = unfolded(result, MOST_ROWS)
    *columns, (last, *cells) = importance_columns(result, shown)
    # The last column is cut to what the others leave of the width.
    taken = sum(2 + max(map(width_of, column)) for column in columns)
    room = max(_LEAST_LAST, text_width() - taken)
    columns.append([last, *(_shorten(cell, room) for cell in cells)])
    right = {place for place, column in enumerate(columns) if column[0] in NUMBERS}
    if shown or not silent:
        lines += table_lines(list(zip(*columns, strict=True)), right=right)
    lines += wrapped_each(folded_lines(silent), then="  ")
    lines += rows_left_out(result, shown, silent)
    below = wrapped_each(remarks(result, shown, silent))
    account = account_lines(
        result.account, result.settings, tie_remark(result.tie, result.target_size)
    )
    return "\n".join([*lines, "", *below, *account])


def first_lines(texts: list[str]) -> list[str]:
    """Return what has to be read before any number, with a blank line after it."""
    return wrapped_each(texts) + ([""] if texts else [])


def importance_columns(
    result: ImportanceResult, shown: Sequence[ParameterImportance]
) -> list[list[str]]:
    """Return the columns, each headed by its name; the one without a name holds bars."""
    evidence = result.ready_evidence
    verdicts = {p.name: None if evidence is None else evidence[p.name].verdict for p in shown}
    width = text_width()
    longest = _BAR if width >= 100 else _BAR // 2 if width >= _WIDE else 0
    if result.conditions and width < _WIDEST:  # conditions need the room
        longest //= 2
    most = _MOST_NAME if width >= _WIDE else _MOST_NAME // 2
    columns = [
        ["parameter", *(shortened(p.name, most) for p in shown)],
        ["importance", *(importance_label(p.importance, verdicts[p.name]) for p in shown)],
    ]
    if result.level is not None:
        columns.append([f"{percent(result.level)} each", *map(_interval, shown)])
    columns.append(["", *("█" * round(p.importance * longest) for p in shown)])
    if isinstance(result.settings, BaselineSettings):
        return [*columns, ["score", *(f"{p.variance:.4g}" for p in shown)]]
    etas = [eta_text(p.eta_squared) for p in shown]
    if width < _WIDE:
        etas = [eta.replace("< 0.", "<.") for eta in etas]
    columns.append(["η²", *etas])
    if gates_among(result, shown) and width >= _WIDE:
        # A gate decides the regimes of its children: the variance between them.
        gates = [result.gate(p.name) for p in shown]
        columns.append(["between", *("" if g is None else share_text(g.choosing) for g in gates)])
    if evidence is not None:
        columns.append(["verdict", *(evidence[p.name].verdict for p in shown)])
    pooled = {entry.parameter for entry in result.account.pooled}
    return [*columns, ["active as", *(_regimes(result, p, p.name in pooled) for p in shown)]]


def _interval(parameter: ParameterImportance) -> str:
    if parameter.intervals is None:
        return ""
    interval = parameter.intervals.importance
    return f"{interval.low:.3f}–{interval.high:.3f}"


def _regimes(result: ImportanceResult, parameter: ParameterImportance, pooled: bool) -> str:
    if not parameter.regimes:
        return "–"
    if len(parameter.regimes) == 1:
        return shortened(parameter.regimes[0].label, _MOST_REGIMES)
    mark = "pooled " if pooled else ""
    named = [(one, where_words(result, parameter.name, one.domain)) for one in parameter.regimes]
    if all(where or one.domain is None for one, where in named):
        named = [(one, where) for one, where in named if where]  # absent elsewhere
    labels = [
        f"{mark if one.domain else ''}{one.label} ({percent(one.region_share)})"
        if not where
        else f"{where} ({percent(one.region_share)}): {one.label}"
        for one, where in named
    ]
    count = f"{len(parameter.regimes)} regimes: " if len(parameter.regimes) > 3 else ""
    return _shorten(count + "; ".join(labels), _MOST_REGIMES)


def _shorten(text: str, most: int) -> str:
    plain = shortened(text, len(text) + 9)
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def report_text(report: Report) -> str:
    """Return the text for readers without scripts."""
    return importance_text(report.importance)


def sweep_text(curve: SweepResult) -> str:
    """Return the course of the importances, then what the numbers are based on."""
    lines = first_lines(sweep_messages(curve.flat, curve.account.ties))
    lines += [*wrapped(headline(curve.account, curve.settings, None)), ""]
    if curve.status != "ok":
        lines += [*wrapped(f"Undetermined: {curve.reason}"), ""]
    room = text_width() - (12 if curve.flat else 6)
    if is_shared(curve.unattributed.max(initial=0.0)):
        room -= len(UNATTRIBUTED) + 2
    most = max(1, room // (_MOST_COLUMN + 2))
    rows = sweep_rows(curve, most)
    lines += table_lines(rows, right=set(range(len(rows[0]))))
    lines += wrapped_each(sweep_remarks(curve, most))
    return "\n".join([*lines, "", *account_lines(curve.account, curve.settings, sweep_sets(curve))])


def sweep_rows(curve: SweepResult, most: int) -> list[list[str]]:
    """Return about ten quantiles under a header, with the ``most`` highest parameters."""
    # If ties make sets larger than requested, the share that was used is shown beside γ'.
    tied, used = bool(curve.flat), max(curve.account.trials.used, 1)
    shown = highest_first(curve.importance)[:most]
    every = len(curve.target_quantiles)
    points = min(every, _MOST_QUANTILES)
    quantiles = sorted({round((every - 1) * p / max(points - 1, 1)) for p in range(points)})
    header = ["γ'", *(("used",) if tied else ()),
              *(shortened(curve.names[p], _MOST_COLUMN) for p in shown)]  # fmt: skip
    columns = [curve.importance[:, p] for p in shown]
    if is_shared(curve.unattributed.max(initial=0.0)):
        header.append(UNATTRIBUTED)
        columns.append(curve.unattributed)
    return [
        header,
        *(
            [
                f"{curve.target_quantiles[t]:.3g}",
                *((f"{curve.target_sizes[t] / used:.3g}",) if tied else ()),
                *(share_text(column[t]) if curve.determined[t] else "?" for column in columns),
            ]
            for t in quantiles
        ),
    ]


def sweep_remarks(curve: SweepResult, most: int) -> list[str]:
    """Return what the rows leave out, and why they have gaps."""
    sentences, every = [], len(curve.target_quantiles)
    if len(curve.names) > most:
        sentences.append(f"… and {len(curve.names) - most} more with lower peaks")
    unknown = int((~curve.determined).sum())
    if unknown and curve.status == "ok":
        reason = next(reason for reason in curve.reasons if reason is not None)
        sentences.append(f"? at {unknown} of {every} quantiles: {reason}")
    return sentences


def sweep_sets(curve: SweepResult) -> str:
    """Return how large the target sets are."""
    return f"{curve.target_sizes[0]} to {curve.target_sizes[-1]} in the target sets"


def robustness_text(found: Robustness) -> str:
    """Return the importances under each choice, and whether they agree."""
    rows = robustness_rows(found)
    lines = first_lines(tie_lines(found.tie))
    lines += [*table_lines(rows, right=set(range(1, len(rows[0])))), ""]
    lines += wrapped_each(robustness_remarks(found))
    return "\n".join(lines)


def robustness_rows(found: Robustness) -> list[tuple[str, ...]]:
    """Return a row for each choice under a header."""
    names = list(found.importances)[:_MOST_RANKED]
    header = ("", *(shortened(name, _MOST_COLUMN) for name in names), "τ")
    rows = [("as requested", *(f"{found.importances[name]:.2f}" for name in names), "")]
    rows += [
        (
            v.choice,
            *(f"{v.importances[name]:.2f}" for name in names),
            "same" if v.same_set else "?" if v.agreement is None else f"{v.agreement:.2f}",
        )
        for v in found.variants
    ]
    return [header, *rows]


def robustness_remarks(found: Robustness) -> list[str]:
    """Return whether all choices agree, in sentences."""
    sentences = [
        "Stable: the same parameter is first everywhere, and the rankings agree."
        if found.stable
        else "Fragile: other choices give another answer, or none."
    ]
    if any(variant.same_set for variant in found.variants):
        sentences.append("same: ties make it the same target set, which shows nothing.")
    return sentences


def joint_text(found: JointEffects) -> str:
    """Return the pairs, the strongest first, then what the numbers are based on."""
    account = found.account
    title = pairs_headline(account, found.target_quantile)
    lines = first_lines(tie_lines(account.tie(found.target_quantile)))
    lines += [*wrapped(title), "", *table_lines(joint_rows(found), right={1, 2, 3})]
    lines += [*joint_left_out(found), ""]
    return "\n".join([*lines, *wrapped_each(joint_remarks(found))])


def joint_rows(found: JointEffects) -> list[tuple[str, ...]]:
    """Return the strongest pairs under a header."""
    rows = [
        (" × ".join(shortened(name) for name in effect.parameters),
         f"{effect.eta_squared:.3f}", str(effect.trials),
         "–" if effect.p_value is None else _p_text(effect.p_value), effect.verdict)
        for effect in found.effects[:_MOST_PAIRS]
    ]  # fmt: skip
    return [("pair", "η²", "trials", "p", "verdict"), *rows]


def joint_left_out(found: JointEffects) -> list[str]:
    """Return how many pairs have no row, or that there are none."""
    if not len(found):
        return ["No two parameters vary together in enough trials."]
    more = len(found) - _MOST_PAIRS
    return [f"… and {more} more pairs"] if more > 0 else []


def joint_remarks(found: JointEffects) -> list[str]:
    """Return what the numbers mean and what they are based on."""
    account = found.account
    sets = f"; {tie_remark(account.tie(found.target_quantile), found.target_size)}"
    return [
        "η²: the share of the variance of reaching the target set that a pair explains beyond what "
        "its parameters explain alone; a little below 0 by chance. The verdicts allow for the "
        "number of pairs.",
        found.sampling,
        *trial_lines(account, sets),
        *data_lines(account),
        *account.notes,
    ]


def _p_text(p_value: float) -> str:
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.2g}"


def sources_text(sources: Sources) -> str:
    """Return a line per kind of source, or several where one is too long."""
    indent = max(len(_reader(kind)) for kind in sources.kinds) + 2
    lines: list[str] = []
    for kind in sources.kinds:
        lines += wrapped(kind.description, _reader(kind).ljust(indent), " " * indent)
        needs = _needs(kind)  # a command to copy, in one piece
        if width_of(lines[-1] + needs) <= text_width():
            lines[-1] += needs
        else:
            lines.append(" " * (indent - 1) + needs)
    return "\n".join(lines)


def source_rows(sources: Sources) -> list[tuple[str, str]]:
    """Return each reader, and what it reads and needs."""
    return [(_reader(kind), f"{kind.description}{_needs(kind)}") for kind in sources.kinds]


def _reader(kind: SourceKind) -> str:
    return "–" if kind.reader is None else kind.reader


def _needs(kind: SourceKind) -> str:
    """Return what a reader needs beyond condped itself."""
    if kind.extra is None:
        return ""
    if kind.installed:
        return f" [condped[{kind.extra}], installed]"
    return f" [needs: {command_for(kind.extra)}]"
