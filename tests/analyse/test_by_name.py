"""Results with one entry per parameter are used alike: by name, in order, with ``in``."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import pytest

import condped
from condped.errors import NameNotFoundError

NESTED = condped.problems.get("nested")


@cache
def results() -> dict[str, Any]:
    """Return a result of each kind."""
    one, other = (NESTED.sample(120, seed=seed) for seed in range(2))
    importance = condped.importance(one)
    return {
        "importance": importance,
        "evidence": importance.evidence,
        "effects": condped.effects(one),
        "forecast": condped.forecast(one),
        "across": condped.across([one, other]),
        "difference": condped.difference(one, other),
    }


@pytest.mark.parametrize(
    "kind", ["importance", "evidence", "effects", "forecast", "across", "difference"]
)
def test_entries_are_found_by_name(kind: str) -> None:
    """Those that can be had by name are in the result, and no others."""
    found = results()[kind]
    assert set(found.names) == {"c0", "c1", "x", "y", "z"} & set(found.names) != set()
    assert [entry.name for entry in found] == list(found.names)
    assert len(found) == len(found.names) == len(found.parameters)
    for name, entry in zip(found.names, found, strict=True):
        assert name in found
        assert found[name] is entry
    for missing in ("nothing", 0, None, found.parameters[0]):
        assert missing not in found
    with pytest.raises(NameNotFoundError, match=r"There is no parameter.* 'nothing'"):
        found["nothing"]
    assert found.names == pickle.loads(pickle.dumps(found)).names


def test_an_unknown_name_of_a_difference_may_be_known_to_one_study() -> None:
    """So the message says that both are meant."""
    with pytest.raises(NameNotFoundError, match="no parameter of both studies 'nothing'"):
        results()["difference"]["nothing"]


def test_a_prior_has_the_parameters_of_its_space() -> None:
    """By name, each with a density per domain; a place is not a name."""
    prior = results()["across"].prior()
    assert list(prior) == list(prior.space)
    assert len(prior) == len(prior.space)
    assert all(name in prior and prior[name][0].parameter == name for name in prior)
    assert "nothing" not in prior
    assert 0 not in prior
