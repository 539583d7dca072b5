from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from condped.live.versions import Versions, json_text

_DATA = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2))


def _applied(versions: Versions, data: dict[str, Any], number: int | None) -> dict[str, Any]:
    """Do with an event what a page does."""
    event = versions.since(number)
    if event is None:
        return data
    told = json.loads(event.data)
    assert event.id == versions.id_of(told["version"])
    if event.kind == "page":
        return dict(told["data"])
    return {**data, **told["changes"]}


@given(st.lists(_DATA, min_size=1, max_size=12), st.data())
def test_whoever_was_away_has_the_newest_data_after_one_event(
    history: list[dict[str, int]], draw: st.DataObject
) -> None:
    """From any version, and from none, one event leads to the data that were put last."""
    versions = Versions()
    seen: list[tuple[dict[str, Any], int | None]] = [({}, None)]
    for data in history:
        versions.put(data)
        if draw.draw(st.booleans()):
            seen.append((dict(data), versions.number))
    for data, number in seen:
        if versions.number:
            assert _applied(versions, data, number) == history[-1]


def test_changes_hold_what_has_changed_and_nothing_else() -> None:
    """Parts that are equal are not sent again."""
    versions = Versions()
    versions.put({"a": [1], "b": 1, "c": 1})
    assert not versions.put({"a": [1], "b": 1, "c": 1})
    versions.put({"a": [1], "b": 2, "c": 1})
    versions.put({"a": [1], "b": 2, "c": 3})

    assert versions.number == 3
    event = versions.since(2)
    assert event is not None
    assert (event.kind, json.loads(event.data)) == ("changes", {"version": 3, "changes": {"c": 3}})
    assert json.loads(versions.since(1).data)["changes"] == {"b": 2, "c": 3}  # type: ignore[union-attr]
    assert versions.since(3) is None


@pytest.mark.parametrize(
    "text", [None, "", "1", "x.1", "{run}.", "{run}.-1", "{run}.99", "{run}.1x", "{run}.²",
             "{run}." + "1" * 400]
)  # fmt: skip
def test_versions_of_other_servers_are_not_taken_for_ones_own(text: str | None) -> None:
    """A page of another run of the server, or a made-up version, starts from nothing."""
    versions = Versions()
    versions.put({"a": 1})
    run = versions.id_of(1).partition(".")[0]

    assert versions.number_of(versions.id_of(1)) == 1
    assert versions.number_of(None if text is None else text.replace("{run}", run)) is None
    other = Versions()
    other.put({"a": 1})
    assert other.number_of(versions.id_of(1)) is None


def test_messages_stay_on_their_lines() -> None:
    """Whatever a name holds, an event's data are one line of UTF-8."""
    text = json_text({"a\nb": "c\r\nd", "half": "\ud800"})

    assert "\n" not in text
    assert "\r" not in text
    assert json.loads(text.encode("utf-8"))["a\nb"] == "c\r\nd"


def test_nothing_piles_up() -> None:
    """After a thousand updates and viewers at all versions, what is kept is as at the start."""
    versions = Versions()
    for number in range(1000):
        versions.put({"a": number, "b": 0})
        for since in range(max(0, number - 20), number):
            versions.since(since)

    assert len(versions._messages) <= 8
    assert len(versions._texts) == len(versions._changed) == 2
