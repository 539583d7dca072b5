"""Effects as a document: a table for each parameter that matters, a sentence for others."""

from __future__ import annotations

from collections.abc import Iterator

from condped.analyse.effects.result import Effects, ParameterEffect
from condped.analyse.effects.sentences import digits_of
from condped.safe_text import shortened
from condped.show.documents.parts import Document, Part, Table
from condped.show.text.account import effects_headline
from condped.show.text.effects import (
    MOST_SENTENCES,
    MOST_TABLES,
    bins_header,
    bins_row,
    choices_left_out,
    remarks_of,
    shown_bins,
)
from condped.show.words import tie_lines


def effects_document(found: Effects) -> Document:
    """Return the tables, the sentences, and notes on the numbers."""
    matter = [one for one in found if one.verdict == "matters"][:MOST_TABLES]
    parts: list[Part] = [part for one in matter for part in _parameter(found, one)]
    others = [one for one in found if one not in matter]
    sentences = [_sentence(one) for one in others[:MOST_SENTENCES]]
    if len(others) > MOST_SENTENCES:
        sentences.append(f"… and {len(others) - MOST_SENTENCES} more")
    return Document(
        effects_headline(found.account, found.target_quantile),
        [*parts, sentences, remarks_of(found)],
        tie_lines(found.account.tie(found.target_quantile)),
    )


def _parameter(found: Effects, parameter: ParameterEffect) -> Iterator[Part]:
    """Yield the sentence of a parameter, and a table for each objective."""
    yield _sentence(parameter)
    groups = [group for regime in parameter.regimes for group in shown_bins(regime)]
    for place in range(len(found.account.objectives)):
        digits = digits_of(groups, place)
        rows = [bins_row(group, group.reached[place], digits) for group in groups]
        yield Table(
            bins_header(found, place),
            rows,
            frozenset({1, 2, 3, 5}),
            title=shortened(parameter.name),
        )
    yield choices_left_out(parameter)


def _sentence(parameter: ParameterEffect) -> str:
    return f"{shortened(parameter.name)}: {parameter.sentence}."
