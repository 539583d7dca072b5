"""What is put into a database is what comes out of it: otherwise nothing else would be tested."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from tests.contracts import numbers, structures
from tests.contracts.case import ORDER, Case
from tests.contracts.engines import fresh_name
from tests.contracts.places import Place, require


@pytest.mark.parametrize(
    "make",
    [numbers.edges, numbers.kinds, numbers.infinities, structures.choices, structures.names],
    ids=lambda make: make.__name__,
)
def test_tables_arrive_to_the_last_bit(place: Place, make: Callable[[], Case]) -> None:
    """Numbers keep every bit, NaN stays apart from null, and texts and names every character."""
    case = make()
    name = fresh_name()
    place.put(name, case.table)
    back = place.get(name)
    order = case.order or ORDER
    assert back.column_names == case.table.column_names
    back, sent = (table.take(pa.compute.sort_indices(table[order])) for table in (back, case.table))
    for column in sent.column_names:
        # A driver may widen a number, as long as it was that number.
        same_type = back[column].cast(sent[column].type)
        assert _bits(same_type) == _bits(sent[column]), column


def _bits(column: pa.ChunkedArray) -> list[object]:
    """Return values as what they are, floats as their bits."""
    values = column.to_pylist()
    return [np.float64(v).view(np.int64) if isinstance(v, float) else v for v in values]


def test_nothing_is_left_out_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not installed is skipped on a developer's machine, and fails in CI."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no_such_engine"):
        require("no_such_engine")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no_such_engine"):
        require("no_such_engine")
