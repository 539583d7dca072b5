"""The activation tree as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from condped.analyse.branches.result import Branch, Branches, Node
from condped.analyse.importance.parameter import ParameterImportance
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.ties import value_text
from condped.safe_text import shortened
from condped.show.text.account import account_lines, headline_of
from condped.show.text.layout import text_width, width_of, wrapped, wrapped_each
from condped.show.text.tables import first_lines
from condped.show.words import (
    eta_text,
    gate_sentence,
    over_words,
    share_text,
    tie_lines,
    tie_remark,
)

_NAME = 30
_MOST_NODES = 12  # parameters that are not gates, on one level
_LONG_AGO = 10  # trials, after which a branch seems to be abandoned
_MOST_OTHERS = 3  # parameters from outside that matter inside a branch


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the tree: a parameter with its numbers, or text only."""

    text: str
    numbers: tuple[str, str, str, str] | None = None


def branches_text(found: Branches) -> str:
    """Return the tree, with the importances of the whole study and of each branch side by side."""
    whole = found.whole
    title = headline_of(whole)
    lines = first_lines(tie_lines(whole.tie))
    lines += [*wrapped(title), f"Conditional structure: {found_from_words(found)}.", ""]
    if whole.status != "ok":
        lines += [f"Undetermined: {whole.reason}", ""]
    if not found.parents:
        lines += ["No parameter activates another.", ""]
    lines += _laid_out(_nodes(found.roots, "", None))
    lines.append("")
    lines += wrapped_each(branch_remarks(found))
    sets = tie_remark(whole.tie, whole.target_size)
    return "\n".join([*lines, *account_lines(whole.account, whole.settings, sets)])


def branch_remarks(found: Branches) -> list[str]:
    """Return what is needed to understand the tree, in sentences."""
    whole = found.whole
    remarks = [gate_sentence(gate) for gate in whole.gates] if whole.status == "ok" else []
    if found.parents:
        remarks.append(
            "in the study: η² of reaching its target set. in the branch: η² of reaching the best "
            "of the branch's own trials, so that losing branches are explained, too; its verdicts "
            "allow for the number of branches."
        )
    remarks += over_words(_shown_etas(found.roots, None))
    remarks += [
        f"{shortened(name)}: not active in all trials, or not in one domain; the condition could "
        "not be inferred."
        for name in found.unexplained
    ]
    if found.inactive:
        names = ", ".join(map(shortened, found.inactive))
        remarks.append(f"Not active in any of these trials: {names}.")
    return remarks


def found_from_words(found: Branches) -> str:
    """Return where the structure is known from."""
    if found.found_from == "space":
        return "given by the space"
    if not found.whole.account.trials.left_out:
        return "inferred from the trials"
    return "inferred from all trials, including those that were left out"


def _laid_out(lines: list[_Line]) -> list[str]:
    """Return the lines with their numbers in columns."""
    header = ("in the study", "", "in the branch", "")
    width = max([width_of(line.text) for line in lines if line.numbers] + [9])
    head = f"{'parameter':<{width}}  {header[0]:<21}  {header[2]}"
    shown = [head.rstrip()]
    for line in lines:
        if line.numbers is None:
            shown.append(line.text)
            continue
        study, verdict, branch, inside = line.numbers
        space = " " * (width - width_of(line.text))
        shown.append(
            f"{line.text}{space}  {study:>7}  {verdict:<12}  {branch:>7}  {inside}".rstrip()
        )
    return shown


def _nodes(nodes: tuple[Node, ...], indent: str, inside: ImportanceResult | None) -> list[_Line]:
    """Return the lines of the nodes and of everything below them."""
    plain = [node for node in nodes if not node.branches]
    if len(plain) > _MOST_NODES:
        plain.sort(key=lambda node: -_rank(node, inside))
    hidden = plain[_MOST_NODES:]
    left_out = {node.parameter for node in hidden}
    kept = [node for node in nodes if node.parameter not in left_out]
    lines: list[_Line] = []
    others = _outside_parameters(nodes, inside, text_width() - len(indent) - 3)
    below = len(kept) + bool(hidden) + bool(others)
    for place, node in enumerate(kept):
        mark, more = _line_prefixes(place == below - 1, root=inside is None)
        lines.append(
            _Line(f"{indent}{mark}{shortened(node.parameter, _NAME)}", node_numbers(node, inside))
        )
        for number, branch in enumerate(node.branches):
            lines += _branch(branch, indent + more, last=number == len(node.branches) - 1)
    if hidden:
        most = max(_rank(node, inside) for node in hidden)
        mark, _ = _line_prefixes(not others, root=inside is None)
        lines.append(
            _Line(f"{indent}{mark}… and {len(hidden)} more, none with η² above {eta_text(most)}")
        )
    if others:
        lines.append(_Line(f"{indent}└─ {others}"))
    return lines


def _line_prefixes(last: bool, *, root: bool) -> tuple[str, str]:
    """Return the prefix of a line, and that of the lines below it."""
    if root:
        return "", ""
    return ("└─ ", "   ") if last else ("├─ ", "│  ")


def _branch(branch: Branch, indent: str, *, last: bool) -> list[_Line]:
    mark, more = _line_prefixes(last, root=False)
    best = "" if branch.best is None else f", best {branch.best:.4g}"
    text = f"{branch.trials} trials, {branch.target_trials} in the target set{best}"
    if tied := tied_words(branch):
        text += f", {tied}"
    if branch.left_out and not branch.inside.account.trials.used:
        text = f"no used trial; {branch.left_out} left out"
    nothing = branch.inside.status != "ok" and branch.trials
    reason = f" ({branch.inside.reason})" if nothing and branch.nodes else ""
    line = f"{indent}{mark}{shortened(branch.label, 40)}: {text}"
    for more_words in _history(branch):
        line += more_words if len(line + more_words) <= text_width() else ""
    return [
        _Line(line + reason if len(line + reason) <= text_width() else line),
        *_nodes(branch.nodes, indent + more, branch.inside),
    ]


def tied_words(branch: Branch) -> str | None:
    """Return how many trials of a branch share which value; None unless they are many."""
    tie = branch.inside.tie
    if tie is None or not tie.notable or tie.tied is None:
        return None
    if tie.kind == "worst":
        return f"{tie.tied} tied as worst"
    return f"{tie.tied} tied" + ("" if tie.value is None else f" at {value_text(tie.value)}")


def _history(branch: Branch) -> Iterator[str]:
    """Yield what a branch's line has if there is room: its median, and whether it was abandoned."""
    if branch.median is not None:
        yield f", median {branch.median:.4g}"
    if branch.last is not None and branch.last.ago >= _LONG_AGO:
        yield f", last tried {branch.last.ago} trials ago"


def node_numbers(node: Node, inside: ImportanceResult | None) -> tuple[str, str, str, str]:
    """Return η² and verdict of a parameter, in the study and in its branch."""
    study = (eta_text(node.eta_squared), node.verdict or "")
    if inside is None:
        return (*study, "", _choosing(node))
    if node.parameter not in inside:
        return (*study, "–", "")
    evidence = inside.ready_evidence
    verdict = "" if evidence is None else evidence[node.parameter].verdict
    return (*study, eta_text(inside[node.parameter].eta_squared), verdict)


def _choosing(node: Node) -> str:
    """Return what choosing the branch explains, if more than one was used."""
    if node.choosing is None:
        return ""
    if sum(branch.trials > 0 for branch in node.branches) < 2:
        return "choosing the branch: unknown, only one was used"
    return f"choosing the branch: {share_text(node.choosing)}"


def _outside_parameters(nodes: tuple[Node, ...], inside: ImportanceResult | None, room: int) -> str:
    """Return the parameters from outside that matter inside a branch, as far as there is room."""
    found = [
        f"{shortened(p.name, _NAME)} ({eta_text(p.eta_squared)})"
        for p in _matter_too(nodes, inside)
    ]
    for shown in range(min(_MOST_OTHERS, len(found)), 0, -1):
        more = f" and {len(found) - shown} more" if len(found) > shown else ""
        text = f"matters here, too: {', '.join(found[:shown])}{more}"
        if len(text) <= room or shown == 1:
            return text
    return ""


def _matter_too(
    nodes: tuple[Node, ...], inside: ImportanceResult | None
) -> list[ParameterImportance]:
    """Return the parameters from outside that matter inside a branch."""
    evidence = None if inside is None else inside.ready_evidence
    if inside is None or evidence is None or inside.status != "ok":
        return []
    own = set(_names(nodes))
    return [
        p for p in inside.parameters if p.name not in own and evidence[p.name].verdict == "matters"
    ]


def _names(nodes: tuple[Node, ...]) -> Iterator[str]:
    """Iterate over these parameters and all below them."""
    for node in nodes:
        yield node.parameter
        for branch in node.branches:
            yield from _names(branch.nodes)


def _shown_etas(nodes: tuple[Node, ...], inside: ImportanceResult | None) -> Iterator[float]:
    """Iterate over the η² that the tree shows, of the study and of its branches."""
    yield from (parameter.eta_squared for parameter in _matter_too(nodes, inside))
    for node in nodes:
        yield node.eta_squared
        if inside is not None and node.parameter in inside:
            yield inside[node.parameter].eta_squared
        for branch in node.branches:
            yield from _shown_etas(branch.nodes, branch.inside)


def _rank(node: Node, inside: ImportanceResult | None) -> float:
    if inside is not None and node.parameter in inside:
        return inside[node.parameter].eta_squared
    return node.eta_squared
