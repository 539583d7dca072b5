"""The tool ``difference``: names in its messages, ties, and numbers without a minus zero."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import optuna
import pytest

import condped
from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from tests.live.agents.asking import Asking, asking, text_of


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    """A client of a server with a study that is tied, one that is not, and one to maximise."""
    url = f"sqlite:///{tmp_path_factory.mktemp('pairs') / 'two.db'}"
    for seed, name in enumerate(("tied", "plain", "maxi")):
        study = optuna.create_study(
            storage=url, study_name=name, direction="maximize" if name == "maxi" else "minimize"
        )
        rng = np.random.default_rng(seed)
        domain = optuna.distributions.FloatDistribution(0, 1)
        for x, y in rng.random((60, 2)).tolist():
            value = max(x, 0.3) if name == "tied" else x + 0.25
            study.add_trial(
                optuna.trial.create_trial(
                    params={"x": x, "y": y}, distributions={"x": domain, "y": domain}, value=value
                )
            )
    with asking(make_server(Desk([f"two={url}"]))) as found:
        yield found


def test_errors_name_the_studies(client: Asking) -> None:
    """Not their roles."""
    found = client.result("difference", before="two:tied", after="two:maxi")
    assert found.is_error
    assert "The studies 'two:tied' (minimize) and 'two:maxi' (maximize) have" in text_of(found)


def test_a_common_cut_off_has_no_tie(client: Asking) -> None:
    """All trials that reach it are requested; with its own, half of a study is tied."""
    own = client("difference", before="two:tied", after="two:plain")["studies"]
    common = client("difference", before="two:tied", after="two:plain", cutoff="common")["studies"]
    assert own[0]["target_tie"].startswith("15 of 60 trials share the best value")
    assert [one["target_tie"] for one in common] == [None, None]
    assert common[0]["target_trials"] == own[0]["target_trials"] > 12


def test_there_is_no_minus_zero() -> None:
    """A share or difference that rounds to 0 is written without a sign, or with a plus."""
    rng = np.random.default_rng(0)
    for seed in range(12):
        x, y, z = rng.random((3, 200))
        a = {"x": x, "y": y, "z": z, "loss": x + rng.random(200)}
        b = {"x": x, "y": y, "z": z, "loss": x + rng.random(200) + seed / 1000}
        found = condped.difference(a, b, objective="loss", sampling="random")
        for text in (str(found), *(one.sentence for one in found)):
            assert not re.search(r"-0(?![.\d])", text), text
