"""Every engine refuses what memory refuses, and names the parameter."""

from __future__ import annotations

import numpy as np
import pytest

from condped.count.passes import Wanted, Within
from condped.errors import CondpedError, DataError
from tests.contracts.case import Case
from tests.contracts.engines import Engine
from tests.contracts.oracle import read
from tests.contracts.outside import Refused, refused, unreadable


def _count(engine: Engine, case: Case) -> None:
    passes = engine.open(case)
    try:
        passes.tally(case.handlings[0])
        passes.count(Wanted(Within(case.handlings[0]), np.array([0.0])))
    finally:
        passes.close()


@pytest.mark.parametrize("wrong", refused(), ids=str)
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


@pytest.mark.parametrize("wrong", unreadable(), ids=str)
def test_tables_that_cannot_be_meant_are_refused(engine: Engine, wrong: Refused) -> None:
    """The error is of memory's kind, and says what it is about."""
    with pytest.raises(CondpedError) as theirs:
        read(wrong.case)
    with pytest.raises(type(theirs.value)) as ours:
        _count(engine, wrong.case)
    assert wrong.named in str(ours.value)
    assert "\n" not in str(ours.value)
