"""Results as small HTML tables, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from condped.analyse.across.result import Across, ComparedStudy, PooledParameter
from condped.analyse.branches.gates import Gate
from condped.analyse.evidence.evidence import Evidence, ParameterEvidence
from condped.analyse.importance.account import Account
from condped.analyse.importance.parameter import ParameterImportance
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.sweep import SweepResult
from condped.analyse.importance.ties import sweep_messages
from condped.analyse.report.result import Report
from condped.arrays import FloatArray
from condped.safe_text import listed, percent, shortened
from condped.show.across_answer import answer_of
from condped.show.report.page import framed, page
from condped.show.text.account import headline, headline_of, highest_first
from condped.show.text.several.across import across_headline, agreement_words
from condped.show.words import (
    UNATTRIBUTED,
    UNATTRIBUTED_WORDS,
    eta_text,
    folded_lines,
    gate_words,
    importance_label,
    is_shared,
    not_shown,
    reason_of,
    remarks,
    share_text,
    tie_lines,
    unfolded,
)

_MOST_ROWS = 30
_MOST_NAME = 48
_MOST_GOOD = 3  # ranges in a row
_MOST_STUDIES = 60  # squares in a row
_STRIP = 16.0  # width of a row of squares, in em
_SWEEP_ROWS = 12
_SWEEP_AT = (0.01, 0.05, 0.1, 0.25, 0.5)  # target quantiles whose numbers are shown
# Inline, since notebooks drop style sheets; colours that are visible on dark pages, too.
_BAR = "background:#3b8fc2;height:0.8em;display:inline-block"
_REST = _BAR.replace("#3b8fc2", "#9a9a9a")
# Grey without evidence: a long blue bar would suggest that a parameter matters.
_BARS = {
    "unclear": _BAR.replace("#3b8fc2", "#8fc3e3"),
    "no evidence": _REST,
    "not testable": _REST,
}
_TRACK = "width:10em;background:rgba(128,128,128,0.2);line-height:0.8em;text-align:left"
_LEFT = "text-align:left;padding:2px 8px"
_FIRST = "border-left:4px solid #d55e00;padding-left:8px"  # what has to be read before any number
_RIGHT = "text-align:right;padding:2px 8px;white-space:nowrap"


def html_of(result: object) -> str:
    """Return a result as HTML for a notebook: a table, a page in a frame, or its text."""
    if isinstance(result, ImportanceResult):
        return importance_html(result)
    if isinstance(result, SweepResult):
        return sweep_html(result)
    if isinstance(result, Across):
        return across_html(result)
    if isinstance(result, Report):
        return framed(page(result))
    # Monospaced; the classes keep notebooks from typesetting dollars as formulas.
    return f'<pre class="tex2jax_ignore mathjax_ignore">{escape(str(result))}</pre>'


def importance_html(result: ImportanceResult) -> str:
    """Return the parameters with a bar each, their verdicts and good values."""
    evidence = result.ready_evidence
    header = [("parameter", _LEFT), ("importance", _RIGHT), ("", _LEFT), ("η²", _RIGHT)]
    if result.gates:
        header.append(("between branches", _LEFT))
    if result.level is not None:
        header.append((f"{percent(result.level)} each", _RIGHT))
    if evidence is not None:
        led = result.account.outcome is not None
        header += [("verdict", _LEFT), ("values that lead to it" if led else "good values", _LEFT)]
    rows = []
    shown, silent = unfolded(result, _MOST_ROWS)
    for parameter in shown:
        tested = None if evidence is None else evidence[parameter.name]
        verdict = None if tested is None else tested.verdict
        cells = [
            _name(parameter.name),
            escape(importance_label(parameter.importance, verdict)),
            _bar(parameter.importance, _BARS.get(verdict or "", _BAR)),
            _eta(evidence, parameter),
        ]
        if result.gates:
            cells.append(_choosing(result.gate(parameter.name)))
        if result.level is not None:
            interval = None if parameter.intervals is None else parameter.intervals.importance
            cells.append("" if interval is None else f"{interval.low:.3f}–{interval.high:.3f}")
        if tested is not None:
            cells += [_verdict(tested), _good(result, parameter.name)]
        rows.append(cells)
    if is_shared(result.unattributed):
        left = [UNATTRIBUTED, share_text(result.unattributed), _bar(result.unattributed, _REST)]
        rows.append(left + [""] * (len(header) - len(left)))
    below = [*folded_lines(silent), *remarks(result, shown, silent)]
    hidden = not_shown(result, shown, silent)
    if hidden:
        rest = sum(parameter.importance for parameter in hidden)
        below.append(f"… and {len(hidden)} more parameters with {share_text(rest)} together.")
    below.append(_used(result.account))
    above = headline_of(result)
    return _page(tie_lines(result.tie), above, result.reason, _table(header, rows), below)


def sweep_html(curve: SweepResult) -> str:
    """Return a line over the target quantiles for each parameter, and some of its numbers."""
    shown = highest_first(curve.importance)[:_SWEEP_ROWS]
    quantiles = curve.target_quantiles
    at = sorted({int(abs(quantiles - quantile).argmin()) for quantile in _SWEEP_AT})
    first, last = f"{quantiles[0]:.3g}", f"{quantiles[-1]:.3g}"
    header = [("parameter", _LEFT), (f"γ' = {first} … {last}", _LEFT)]
    header += [(f"{quantiles[place]:.3g}", _RIGHT) for place in at]
    rows = [
        [
            _name(curve.names[place]),
            _line(curve, curve.importance[:, place]),
            *(
                escape(share_text(curve.importance[t, place])) if curve.determined[t] else "?"
                for t in at
            ),
        ]
        for place in shown
    ]
    below = []
    if is_shared(curve.unattributed.max(initial=0.0)):
        left = [f"{curve.unattributed[t]:.3f}" if curve.determined[t] else "?" for t in at]
        rows.append([UNATTRIBUTED, _line(curve, curve.unattributed, "#9a9a9a"), *left])
        below.append(UNATTRIBUTED_WORDS)
    if len(curve.names) > len(shown):
        below.append(f"… and {len(curve.names) - len(shown)} more with lower peaks.")
    below.append(_used(curve.account))
    ties = sweep_messages(curve.flat, curve.account.ties)
    above = headline(curve.account, curve.settings, None)
    return _page(ties, above, curve.reason, _table(header, rows), below)


def across_html(across: Across) -> str:
    """Return the parameters over all studies, with a square for each study."""
    studies = across.studies[:_MOST_STUDIES]
    header = [("parameter", _LEFT), ("importance", _RIGHT), ("", _LEFT)]
    header += [(percent(across.level), _RIGHT), ("matters in", _RIGHT)]
    header += [("between studies", _LEFT), ("odd", _LEFT), ("each study", _LEFT)]
    shown = across.parameters[:_MOST_ROWS]
    size = min(0.9, _STRIP / max(len(studies), 1))

    def squares(parameter: PooledParameter) -> list[str]:
        return [_square(across, parameter, study, size) for study in studies]

    rows = [
        [
            _name(one.name),
            escape(share_text(one.importance)),
            _bar(one.importance),
            f"{one.low:.3f}–{one.high:.3f}",
            f"{one.matters_in} of {one.studies}",
            escape(agreement_words(one)),
            escape(listed(one.odd, _MOST_GOOD)),
            f'<span style="white-space:nowrap">{"".join(squares(one))}</span>',
        ]
        for one in shown
    ]
    below = []
    if len(across) > len(shown):
        below.append(f"… and {len(across) - len(shown)} more parameters.")
    if len(across.studies) > len(studies):
        below.append(f"… and {len(across.studies) - len(studies)} more studies.")
    below.append(
        "each study: darker is more important; blue where it matters, grey without evidence, "
        "outlined where it is odd. print() shows more."
    )
    below[:0] = answer_of(across).sentences
    return _page((), across_headline(across), None, _table(header, rows), below)


def _square(across: Across, parameter: PooledParameter, study: ComparedStudy, size: float) -> str:
    """Return one study's square, with its numbers as a tooltip."""
    cell = across.cell(parameter.name, study.name)
    style = (
        f"display:inline-block;width:{size:.2f}em;height:0.9em;margin-right:{size / 8:.2f}em;"
        "vertical-align:middle"
    )
    if cell is None:
        return f'<span style="{style}" title="{escape(study.name)}: not a parameter"></span>'
    ink = "59,143,194" if cell.verdict == "matters" else "128,128,128"
    shade = f"background:rgba({ink},{0.15 + 0.85 * min(max(cell.importance, 0.0), 1.0):.2f})"
    ring = ";outline:2px solid #d55e00" if cell.odd else ""
    tooltip = f"{study.name}: {share_text(cell.importance)}, {cell.verdict}"
    return f'<span style="{style};{shade}{ring}" title="{escape(tooltip)}"></span>'


def _used(account: Account) -> str:
    return f"{account.trials.used} of {account.trials.total} trials used. print() shows more."


def _page(
    first: Sequence[str], above: str, reason: str | None, table: str, below: Sequence[str]
) -> str:
    parts = [f'<p style="{_FIRST}">{escape(line)}</p>' for line in first]
    parts.append(f"<p><b>{escape(above)}</b></p>")
    if reason is not None:
        parts.append(f"<p>Undetermined: {escape(reason)}</p>")
    parts.append(table)
    parts += [f"<p>{escape(line)}</p>" for line in below]
    # The classes keep notebooks from typesetting a name with dollars as a formula.
    return f'<div class="tex2jax_ignore mathjax_ignore">{"".join(parts)}</div>'


def _table(header: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already; the header is not."""
    head = "".join(f'<th style="{side}">{escape(text)}</th>' for text, side in header)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{side}">{cell}</td>' for cell, (_, side) in zip(row, header, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _name(name: str) -> str:
    return f'<span title="{escape(name)}">{escape(shortened(name, _MOST_NAME))}</span>'


def _eta(evidence: Evidence | None, parameter: ParameterImportance) -> str:
    """Return η² as HTML; a dash if the parameter is not testable."""
    if evidence is not None and evidence[parameter.name].verdict == "not testable":
        return "–"
    return escape(eta_text(parameter.eta_squared))


def _choosing(gate: Gate | None) -> str:
    """Return what a gate's choice explains, as HTML; empty without a gate."""
    if gate is None:
        return ""
    words = gate_words(gate)
    return escape(share_text(gate.choosing) + (f" ({words})" if words else ""))


def _verdict(tested: ParameterEvidence) -> str:
    """Return a verdict as HTML, with its reason as a tooltip; a remark below repeats it."""
    reason = reason_of(tested)
    verdict = escape(tested.verdict)
    return f'<span title="{escape(reason)}">{verdict}</span>' if reason else verdict


def _bar(share: float, style: str = _BAR) -> str:
    width = 100 * min(max(share, 0.0), 1.0)
    return f'<div style="{_TRACK}"><span style="{style};width:{width:.1f}%"></span></div>'


def _good(result: ImportanceResult, name: str) -> str:
    """Return the good values of all regimes, as HTML."""
    labels = [good.label for regime in result.densities[name] for good in regime.good]
    more = f" and {len(labels) - _MOST_GOOD} more" if len(labels) > _MOST_GOOD else ""
    shown = [escape(shortened(label, _MOST_NAME)) for label in labels[:_MOST_GOOD]]
    return "; ".join(shown) + more


def _line(curve: SweepResult, importance: FloatArray, colour: str = "#3b8fc2") -> str:
    """Return a small drawing of one curve, with gaps where it is undetermined."""
    width, height = 160, 28
    low, high = float(curve.target_quantiles[0]), float(curve.target_quantiles[-1])
    path, pen_up = [], True
    for quantile, value, known in zip(
        curve.target_quantiles, importance, curve.determined, strict=True
    ):
        if known:
            x = width * (float(quantile) - low) / (high - low) if high > low else width / 2
            y = 1 + (height - 2) * (1 - float(value))
            path.append(f"{'M' if pen_up else 'L'}{x:.1f} {y:.1f}")
        pen_up = not known
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="importance over γ\'">'
        f'<rect width="{width}" height="{height}" fill="gray" fill-opacity="0.12"/>'
        f'<path d="{"".join(path)}" fill="none" stroke="{colour}" stroke-width="1.8"/></svg>'
    )
