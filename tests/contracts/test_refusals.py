"""Every engine refuses what memory refuses, and names the parameter."""

from __future__ import annotations

import pytest

from condped.count.trials import Trials
from condped.errors import CondpedError, DataError
from tests.contracts.case import Case
from tests.contracts.engines import ENGINES, Engine, holds
from tests.contracts.oracle import read
from tests.contracts.outside import Refused, refused, unreadable

# Databases that choose the trials do not hand over the others, so nobody looks at their values.
CHOOSING = ("duckdb", "postgresql")


def _count(engine: Engine, case: Case) -> None:
    source = engine.open(case)
    try:
        trials = Trials.of(source)
        trials.count(trials.top_sets((0.1,), 1.0, case.handlings[0]))
    finally:
        source.close()


def _pairs(several: tuple[Refused, ...]) -> list[tuple[str, Refused]]:
    return [
        (engine, one)
        for engine in ENGINES
        for one in several
        if holds(engine, one.case)
        and not (engine in CHOOSING and one.case.name == "outside_though_not_chosen")
    ]


@pytest.mark.parametrize(("engine", "wrong"), _pairs(refused()), indirect=["engine"], ids=str)
def test_values_that_do_not_fit_are_refused(engine: Engine, wrong: Refused) -> None:
    """The error names the parameter and how many trials there are, in one line."""
    with pytest.raises(DataError) as theirs:
        read(wrong.case)
    with pytest.raises(DataError) as ours:
        _count(engine, wrong.case)
    assert ours.value.column == theirs.value.column == wrong.named
    assert repr(wrong.named) in str(ours.value)
    # Who reads batch by batch stops at the first one, and says no number that it does not know.
    assert ours.value.count == (theirs.value.count if engine.whole else None)
    assert "\n" not in str(ours.value)


@pytest.mark.parametrize(("engine", "wrong"), _pairs(unreadable()), indirect=["engine"], ids=str)
def test_tables_that_cannot_be_meant_are_refused(engine: Engine, wrong: Refused) -> None:
    """The error is of memory's kind, and says what it is about."""
    with pytest.raises(CondpedError) as theirs:
        read(wrong.case)
    with pytest.raises(type(theirs.value)) as ours:
        _count(engine, wrong.case)
    assert wrong.named in str(ours.value)
    assert "\n" not in str(ours.value)
