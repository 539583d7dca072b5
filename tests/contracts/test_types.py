"""Types that databases hand over in ways of their own."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from condped.count.counter import Counter, Query
from condped.count.ranking import ByLoss
from condped.errors import DataError
from condped.read.opening import open_source
from condped.trials.used_trials import Handling
from tests.contracts.engines import fresh_name
from tests.contracts.places import Place

_SPACE = {
    "x": {"type": "float", "low": 0, "high": 1},
    "k": {"type": "categorical", "choices": ["a", "b's"]},
}


def test_enums_and_exact_numbers_are_counted_and_others_named(postgresql_place: Place) -> None:
    """Of types that nothing can be made of only those are told that were asked for."""
    name, choices = fresh_name(), fresh_name()
    assert postgresql_place.url is not None
    with psycopg.connect(postgresql_place.url) as database:
        database.execute(f"CREATE TYPE {choices} AS ENUM ('a', 'b''s')")
        database.execute(
            f"CREATE TABLE {name} AS SELECT n::numeric / 3 AS loss, (n / 10.0)::numeric(4, 2) AS x,"
            f" (CASE WHEN n < 4 THEN 'a' ELSE 'b''s' END)::{choices} AS k, gen_random_uuid() AS id,"
            " '{}'::jsonb AS other, ARRAY[n] AS several, now() AS day, '127.0.0.1'::inet AS host"
            " FROM generate_series(1, 10) n"
        )
    table = postgresql_place.connection.table(name)
    asked: dict[str, Any] = {"objective": "loss", "space": _SPACE}
    counter = Counter(open_source(table, **asked))
    counted = counter.count(Query(ByLoss(Handling()), [4 / 3], ("k",)))  # type: ignore[arg-type]
    assert counted.parameters[0][0, 0].tolist() == [[3, 0], [1, 6], [0, 0]]
    whole = open_source(table, engine="memory", **asked)
    assert Counter(whole).tally(ByLoss(Handling())).counts.used == 10
    for column in ("id", "several", "day"):
        with pytest.raises(DataError, match=f"'{column}' must be numeric"):
            open_source(table, **{**asked, "objective": column})
