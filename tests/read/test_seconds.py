"""Times as tools write them, in seconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from condped.read.seconds import seconds

DATES = [datetime(2026, 1, 1) + timedelta(seconds=1.25 * row) for row in range(5)]


@pytest.mark.parametrize(
    "times",
    [
        DATES,
        [str(date) for date in DATES],
        [date.isoformat() for date in DATES],
        [date.replace(tzinfo=UTC) for date in DATES],
        [f"{date.isoformat()}+02:00" for date in DATES],
        [f"{date.isoformat()}-05:00" for date in DATES],
        [f"{date.isoformat()}Z" for date in DATES],
        [date.timestamp() for date in DATES],
        [timedelta(seconds=1.25 * row) for row in range(5)],
        [f"{row // 4} days 00:00:0{1.25 * row - 86400 * (row // 4)}" for row in range(4)],
    ],
)
def test_what_counts_is_how_far_apart_times_are(times: list[object]) -> None:
    """Dates with and without a zone, their texts, numbers and durations."""
    found = seconds(times)
    assert np.diff(found) == pytest.approx(1.25)
    with_none = seconds([*times[:2], None, *times[2:]])
    assert np.array_equal(with_none, np.insert(found, 2, np.nan), equal_nan=True)


def test_zones_are_made_local_beside_dates_without_one() -> None:
    """Programs that write into one storage may do both."""
    local = datetime(2026, 1, 1, 12).astimezone(timezone(timedelta(hours=3)))
    one, other = seconds([datetime(2026, 1, 1, 12), local])
    assert one == other


def test_anything_else_is_no_time() -> None:
    """Rather than an error: times are a matter of record, and no number depends on them."""
    found = seconds(["soon", "", None, [], "12", 3, "12:00", "2026-13-01"])
    assert found[4:6].tolist() == [12.0, 3.0]
    assert np.isnan(np.delete(found, [4, 5])).all()


@pytest.mark.parametrize("text", ["99999999999 days 00:00:00", "1 days 00:00:1e400"])
def test_durations_beyond_all_bounds_are_none(text: str) -> None:
    """As other texts that are no times."""
    assert np.isnan(seconds([text, "2 days 00:00:00"])).tolist() == [True, False]
