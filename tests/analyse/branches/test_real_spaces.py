"""Trees of real logs: against the conditions that their tools recorded."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import condped
from condped.analyse.branches.structure import structure_of
from tests.read.tools.test_real_logs import DATA, INSTANCES, LOGS, RUNS, YAHPO, domains_of, space_of

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real evaluation data is not beside the repository"
)


@pytest.mark.parametrize("instance", INSTANCES)
@pytest.mark.parametrize("trials", [300, 1000])
def test_the_tree_of_yahpo_is_the_recorded_one(instance: str, trials: int) -> None:
    """The learner switches six learners, each of them its own; the direct gate is named first."""
    domains = domains_of(YAHPO / f"{instance.rsplit('_', 1)[0]}.domains.json")
    recorded = {d["name"]: (d["condition"][0]["parent"],) for d in domains if d["condition"]}
    frame = pd.read_parquet(YAHPO / f"{instance}.parquet")
    for seed in (0, 1):
        some = frame[frame["seed"] == seed].head(trials)
        table = condped.read(some, objective="acc" if "acc" in some else "f1",
                             direction="maximize", space=space_of(domains))  # fmt: skip
        found = structure_of(replace(table, space=None))
        assert (found.parents, found.unexplained) == (recorded, ())
        assert structure_of(table).parents == recorded


@pytest.mark.parametrize("run", RUNS)
def test_the_tree_of_smac_and_dehb_is_the_recorded_one(run: str) -> None:
    """All 29 conditions, nested ones included, with their levels and thresholds."""
    domains = domains_of(LOGS / "deepcave_outlier.domains.json")
    frame = pd.read_parquet(LOGS / f"deepcave_outlier_{run}-pendigits-015-0-0.parquet")
    table = condped.read(frame, objective="cost", space=space_of(domains), outside="nearest")
    found = structure_of(replace(table, space=None))
    recorded = {d["name"]: d["condition"][0] for d in domains if d["condition"]}
    assert len(recorded) == 29
    assert found.parents == {name: (entry["parent"],) for name, entry in recorded.items()}
    for name, entry in recorded.items():
        when = found.space[name][0].when
        assert when is not None
        if "in" in entry:
            (choice,) = entry["in"]
            expected = str(choice).lower() if isinstance(choice, bool) else f"'{choice}'"
            assert when.text == f"`{entry['parent']}` == {expected}"
        else:
            assert when.text == f"`{entry['parent']}` >= {entry['GT'][0] + 1}"


@pytest.mark.parametrize("run", RUNS)
def test_without_recorded_domains_the_tree_is_still_the_same(run: str) -> None:
    """Domains are inferred then, and with them what is a number and what a choice."""
    domains = domains_of(LOGS / "deepcave_outlier.domains.json")
    names = [entry["name"] for entry in domains]
    frame = pd.read_parquet(LOGS / f"deepcave_outlier_{run}-pendigits-015-0-0.parquet")
    table = condped.read(frame[[*names, "cost"]], objective="cost")
    recorded = {d["name"]: (d["condition"][0]["parent"],) for d in domains if d["condition"]}
    assert structure_of(table).parents == recorded
