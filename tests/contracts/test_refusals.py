"""Every engine refuses what memory refuses, and names the parameter."""

from __future__ import annotations

import pytest
from condped.count.engine_trials import EngineTrials

from condped.errors import CondpedError, DataError
from tests.contracts.case import Case
from tests.contracts.engines import ENGINES, Engine, holds
from tests.contracts.oracle import read
from tests.contracts.outside import Refused, refused, unreadable


def _count(engine: Engine, case: Case) -> None:
    passes = engine.open(case)
    try:
        trials = EngineTrials(passes)
        trials.count(trials.top_sets((0.1,), 1.0, case.handlings[0]))
    finally:
        passes.close()


def _pairs(several: tuple[Refused, ...]) -> list[tuple[str, Refused]]:
    return [(engine, one) for engine in ENGINES for one in several if holds(engine, one.case)]


@pytest.mark.parametrize(("engine", "wrong"), _pairs(refused()), indirect=["engine"], ids=str)
def test_values_that_do_not_fit_are_refused(engine: Engine, wrong: Refused) -> None:
    """The error names the parameter and how many trials there are, in one line."""
    with pytest.raises(DataError) as theirs:
        read(wrong.case)
    with pytest.raises(DataError) as ours:
        _count(engine, wrong.case)
    assert ours.value.column == theirs.value.column == wrong.named
    assert repr(wrong.named) in str(ours.value)
    # Who reads chunk by chunk stops at the first one, and says no number that it does not know.
    known = theirs.value.count if not engine.chunked else None
    assert ours.value.count in (known, theirs.value.count)
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
