"""Spaces that Syne Tune writes down."""

from __future__ import annotations

from typing import Any

import pytest
from syne_tune import config_space as st

from condped import Categorical, Float, Int
from condped.errors import SpaceError
from condped.read.tools.syne_tune import space_of


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (st.uniform(0, 2), Float(0, 2)),
        (st.loguniform(0.1, 2), Float(0.1, 2, log=True)),
        (st.randint(1, 9), Int(1, 9)),
        (st.lograndint(1, 9), Int(1, 9, log=True)),
        (st.choice(["a", "b"]), Categorical(["a", "b"])),
        (st.ordinal([1, 2, 8]), Categorical([1, 2, 8])),
        (st.logordinal([1, 2, 8]), Categorical([1, 2, 8])),
        (st.finrange(0, 1, 5), Float(0, 1, step=0.25)),
        (st.finrange(0, 8, 5, cast_int=True), Int(0, 8, step=2)),
        (st.finrange(0, 9, 5, cast_int=True), Int(0, 9)),
        (st.logfinrange(0.1, 10, 3), Float(0.1, 10, log=True)),
        (st.logfinrange(1, 8, 4, cast_int=True), Int(1, 8, log=True)),
    ],
    ids=str,
)
def test_every_domain_is_ours(theirs: Any, ours: Any) -> None:
    """Bounds and scales; a constant beside it is no parameter."""
    space = space_of(st.config_space_to_json_dict({"x": theirs, "epochs": 7}))
    assert {name: entry[0].domain for name, entry in space.items()} == {"x": ours}
    for value in theirs.sample(size=20):
        if not isinstance(ours, Categorical):
            assert ours.low <= value <= ours.high + 1e-12


def test_quantized_ranges_are_linear_and_noted() -> None:
    """Their scale gets lost in Syne Tune's file."""
    entry = st.to_dict(st.qrandint(0, 10, 2))
    entry["sampler_kwargs"] = {"sampler": None, "q": 2}  # as the tuner writes it
    space = space_of({"x": entry})
    assert space["x"][0].domain == Int(0, 10)
    assert "x: taken as linear" in space.notes[0]


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"domain_cls": "Float"},
        {"domain_cls": "Float", "domain_kwargs": {"lower": 3, "upper": 1}},
        {"domain_cls": "Function", "domain_kwargs": {}},
    ],
)
def test_what_is_no_domain_is_refused(entry: Any) -> None:
    """The parameter is named, and what to do."""
    with pytest.raises(SpaceError, match=r"'x' in Syne Tune's config_space.*Give the domains"):
        space_of({"x": entry})
