"""Where to start next time, as tables: every step and configuration with its numbers."""

from __future__ import annotations

import pytest

import condped
from condped.show.documents import document_of
from condped.show.documents.parts import Table
from tests.analyse.across.start_studies import past


def table_of(result: object) -> Table:
    """Return the only table of a result."""
    (table,) = (part for part in document_of(result).parts if isinstance(part, Table))
    return table


def test_every_step_has_a_row() -> None:
    """With the domains before and after, and in how many studies the best trial stays."""
    start = past("models").space()
    table = table_of(start)
    assert len(table.rows) == len(start.changes) > 0
    by_name = {row[1]: row for row in table.rows}
    studies = start.studies
    assert by_name["model"][2:5] == (
        "{linear, net, forest, knn}",
        "{net}",
        f"{studies} of {studies}",
    )
    text = start.to_markdown()
    assert all(f"`{name}`" in text for name in by_name)
    assert start.promise.partition(":")[0] in text
    assert "def suggest(trial):" in text


def test_every_configuration_has_a_row() -> None:
    """With a column per parameter, empty where it is inactive."""
    starts = past("models").starts(6)
    table = table_of(starts)
    records = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert len(records) == len(starts) == 6
    for record, start in zip(records, starts.starts, strict=True):
        assert (record["trial"], record["study"]) == (str(start.trial), start.study)
        shown = {name: record[name] for name in table.header[4:] if record[name]}
        assert set(shown) == set(start.values)
        for name, value in start.values.items():
            if isinstance(value, str):
                assert shown[name] == value
            else:
                assert float(shown[name]) == pytest.approx(value, rel=1e-3)
    lines = starts.to_latex().splitlines()
    assert sum(line.endswith(r" \\") for line in lines) == len(starts) + 1


def test_a_branch_that_never_won_is_named() -> None:
    """The configuration that is there for it."""
    starts = past("models").starts(6)
    text = starts.to_markdown()
    places = [place for place, one in enumerate(starts.starts, start=1) if one.branch is not None]
    assert places
    assert all(f"Configuration {place} is for the branch" in text for place in places)


def test_every_density_has_a_row() -> None:
    """And what is said of it is its shortest range or its most likely choices."""
    prior = past("models").prior()
    rows = table_of(prior).rows
    assert [row[0] for row in rows] == [one.parameter for one in prior.densities]
    assert isinstance(prior, condped.Prior)
