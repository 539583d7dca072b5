"""Effects against a plain group-by, and what is said of them."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
import pytest

import condped
from condped.analyse.effects.bins import joined_cells
from condped.analyse.effects.result import RegimeEffect
from condped.errors import SettingsError
from tests.analyse.effects.studies import SPACE, found, mixed, tuned


def best_tenth(frame: pd.DataFrame, name: str = "loss") -> pd.Series[bool]:
    """Return which trials are in the target set, ties included."""
    return frame[name] <= frame[name].nsmallest(math.ceil(0.1 * len(frame))).max()


def test_bins_equal_a_plain_group_by() -> None:
    """Trials, shares, medians and best values of every row, by pandas."""
    frame = mixed()
    target = best_tenth(frame)
    rows = found(frame).rows()
    for row in rows:
        column = frame[row["parameter"]]
        if row["values"] == "absent":
            inside = column.isna()
        elif row["low"] is None:
            inside = column == row["values"]
        else:
            inside = column.between(row["low"], row["high"])
        own = frame.loc[inside, "loss"]
        assert row["trials"] == len(own)
        assert row["target_trials"] == target[inside].sum()
        assert row["target_share"] == pytest.approx(target[inside].mean())
        assert row["median"] == pytest.approx(own.median())
        assert row["best"] == own.min()
        assert (own >= row["median_low"]).mean() > 0.5
        assert (own <= row["median_high"]).mean() > 0.5
    # Every trial is in one bin of each parameter.
    totals = pd.DataFrame(rows).groupby("parameter")["trials"].sum()
    assert (totals == len(frame)).all()


def test_choices_equal_a_group_by_of_pandas() -> None:
    """One bin each, in the order of the domain."""
    frame = mixed()
    (regime,) = found(frame)["model"].regimes
    medians = {group.label: group.reached[0].median for group in regime.bins}
    assert medians == frame.groupby("model")["loss"].median().to_dict()
    assert list(medians) == ["svm", "tree", "knn"]


def test_bins_are_joined_cells_of_the_densities_with_ten_trials_at_least() -> None:
    """Their ends are ends of cells, and they follow each other without gaps."""
    frame = mixed()
    result = condped.importance(frame, objective="loss", space=SPACE, sampling="random")
    for name, density in ((n, d) for n in ("rate", "depth", "idle") for d in result.densities[n]):
        regime = next(r for r in result.effects[name].regimes if r.domain == density.domain)
        ends = [regime.bins[0].left, *(group.right for group in regime.bins)]
        assert density.edges is not None
        assert all(end in density.edges for end in ends)
        assert (ends[0], ends[-1]) == (density.edges[0], density.edges[-1])
        assert 2 <= len(regime.bins) <= 8
        assert min(group.trials for group in regime.bins) >= 10


@pytest.mark.parametrize("seed", range(20))
def test_cells_are_joined_to_at_most_eight_bins(seed: int) -> None:
    """Whatever the counts: all cells, in order, ten trials each if there are so many."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.3, 10.0, rng.integers(1, 51)))
    bins = joined_cells(counts)
    assert [cell for first, last in bins for cell in range(first, last + 1)] == [
        *range(len(counts))
    ]
    assert len(bins) <= 8
    if len(bins) > 1:
        assert min(counts[first : last + 1].sum() for first, last in bins) >= 10


def test_good_values_stand_against_the_others() -> None:
    """Inside and outside of the densities' good values, by pandas; in one sentence."""
    frame = mixed()
    effect = found(frame)["rate"]
    contrast = effect.regimes[0].contrast
    assert contrast is not None
    (span,) = contrast.spans
    own = frame[frame["rate"].notna()]
    inside = own["rate"].between(span.low, span.high)
    for group, rows in ((contrast.inside, own[inside]), (contrast.outside, own[~inside])):
        assert group.trials == len(rows)
        assert group.reached[0].median == pytest.approx(rows["loss"].median())
        assert group.reached[0].best == rows["loss"].min()
    assert effect.sentence.startswith(f"inside {contrast.inside.label} the median loss is 0.")
    assert f", {contrast.inside.trials} trials), outside " in effect.sentence
    assert f", {contrast.outside.trials} trials)" in effect.sentence
    assert contrast.same_time == ()


def test_sentences_say_what_is_known() -> None:
    """By choice, and where there is no evidence between which medians the bins lie."""
    effects = found(mixed())
    assert effects["model"].sentence.startswith("with svm the median loss is 0.")
    assert ", with the others " in effects["model"].sentence
    medians = [group.reached[0].median for group in effects["idle"].regimes[0].bins]
    low, high = min(m for m in medians if m), max(m for m in medians if m)
    assert effects["idle"].sentence == (
        f"no evidence of an effect; median loss between {low:.3g} and {high:.3g} in all 8 bins"
    )


def test_maximised_objectives_keep_their_sign() -> None:
    """The best is the highest, and nothing else changes but the sign."""
    frame = mixed()
    low = found(frame)
    frame["score"] = -frame.pop("loss")
    high = condped.effects(
        frame, objective="score", direction="maximize", space=SPACE, sampling="random"
    )
    for one, other in zip(low.rows(), high.rows(), strict=True):
        assert (one["trials"], one["target_trials"]) == (other["trials"], other["target_trials"])
        assert one["median"] == -other["median"]
        assert one["best"] == -other["best"]
        assert (one["median_low"], one["median_high"]) == (
            -other["median_high"],
            -other["median_low"],
        )


def test_several_objectives_each_have_their_medians() -> None:
    """The same trials in the bins, and a record per objective."""
    frame = mixed()
    frame["seconds"] = 5 - 3 * frame["idle"]
    effects = condped.effects(frame, objective=["loss", "seconds"], space=SPACE, sampling="random")
    for group in effects["idle"].regimes[0].bins:
        inside = frame["idle"].between(group.low, group.high)
        medians = [reached.median for reached in group.reached]
        assert medians == pytest.approx(frame.loc[inside, ["loss", "seconds"]].median().tolist())
    names = {row["objective"] for row in effects.rows()}
    assert names == {"loss", "seconds"}
    assert "median loss" in effects["idle"].sentence
    assert "median seconds" in effects["idle"].sentence


def test_trials_are_used_as_importances_use_them() -> None:
    """What failed or was pruned is left out; what counts as worst has no value."""
    frame = mixed(200)
    frame.loc[:9, "loss"] = np.nan
    left_out = found(frame)
    assert left_out.everything.trials == 190
    assert (left_out.account.trials.nonfinite, left_out.without_value) == (10, 0)
    worst = found(frame, nonfinite="worst")
    assert (worst.everything.trials, worst.without_value) == (190, 10)
    assert "10 counted as worst without a value: in no median." in str(worst)


def test_trials_of_the_same_time_are_compared_where_a_sampler_learns() -> None:
    """Pairs within ten consecutive trials, by two loops."""
    study = tuned()
    effects = condped.effects(study)
    assert effects.adaptive
    regime: RegimeEffect = effects["x"].regimes[0]
    assert regime.contrast is not None
    (same,) = regime.contrast.same_time
    trials = study.trials
    inside = [any(s.low <= t.params["x"] <= s.high for s in regime.contrast.spans) for t in trials]
    pairs = [
        (trials[i].values[0], trials[j].values[0])
        for i, j in product(range(80), repeat=2)
        if inside[i] and not inside[j] and i // 10 == j // 10
    ]
    assert same.pairs == len(pairs)
    assert same.better == pytest.approx(np.mean([one < other for one, other in pairs]))
    assert same.difference == pytest.approx(np.median([one - other for one, other in pairs]))
    assert "among neighbouring trials: " in effects["x"].sentence
    assert "Values seem to depend on earlier results" in " ".join(str(effects).split())


def test_importances_have_them_too() -> None:
    """The same object, found once; at most three sentences below the table."""
    frame = mixed()
    result = condped.importance(frame, objective="loss", space=SPACE, sampling="random")
    assert result.effects == found(frame)
    assert result.effects is result.effects
    contrast = result.effects["rate"].regimes[0].contrast
    assert contrast is not None
    medians = [group.reached[0].median for group in (contrast.inside, contrast.outside)]
    assert result.effect_sentences[0] == (
        f"rate: inside {contrast.inside.label} the median loss is {medians[0]:.3g}, outside "
        f"{medians[1]:.3g}."
    )
    names = [sentence.partition(":")[0] for sentence in result.effect_sentences]
    assert names == ["rate", "model"]  # those that matter
    flat = " ".join(str(result).split())
    for sentence in result.effect_sentences:
        assert sentence in flat


def test_who_cannot_tell_says_so(tmp_path: Path) -> None:
    """A stream, a loaded result, an outcome; each with what to do instead."""
    frame = mixed(100)
    frame.to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SettingsError, match=r"Finding effects needs the trials.*in memory"):
        condped.effects(tmp_path / "runs.csv", objective="loss", engine="stream")
    result = condped.importance(frame, objective="loss", space=SPACE)
    result.save(tmp_path / "result.json")
    loaded: Any = condped.load(tmp_path / "result.json")
    assert loaded.effect_sentences == result.effect_sentences
    with pytest.raises(SettingsError, match=r"Effects need the trials.*condped\.effects"):
        _ = loaded.effects
    failing = np.arange(100) < 20
    with pytest.raises(SettingsError, match="Effects are about what good trials reached"):
        _ = condped.importance(frame, objective="loss", target=failing).effects
    with pytest.raises(SettingsError, match="level must be a number between 0 and 1"):
        condped.effects(frame, objective="loss", level=2)


def test_domains_are_those_of_the_analysis() -> None:
    """One regime by the unconditional measure, and the pooled ones of sliding bounds."""
    table = condped.problems.get("three-way").sample(400, seed=0)
    spanned = condped.effects(table, measure="unconditional", sampling="random")
    assert [regime.label for regime in spanned["x"].regimes] == ["[-7, 0]", "absent"]
    apart = condped.effects(table, sampling="random")
    assert len(apart["x"].regimes) == 3


def test_levels_widen_intervals() -> None:
    """A higher level gives wider ones, around the same medians."""
    frame = mixed()
    for one, other in zip(found(frame, level=0.5).rows(), found(frame).rows(), strict=True):
        assert other["median_low"] <= one["median_low"] <= one["median"] == other["median"]
        assert one["median_high"] <= other["median_high"]


def test_trials_with_an_outcome_are_located_in_sentences() -> None:
    """Where the failed ones lie, with shares counted by hand; pruned ones are among the rest."""
    rng = np.random.default_rng(0)
    rate, noise, model = rng.random(300), rng.random(300), rng.choice(["net", "svm"], 300)
    failed = np.where(model == "net", rate > 0.5, rate > 0.95)
    state = np.where(failed, "FAIL", np.where(noise < 0.2, "PRUNED", "COMPLETE"))
    columns = {"rate": rate, "noise": noise, "model": model, "state": state, "loss": noise}
    result = condped.importance(
        columns, objective="loss", state="state", target="failed", sampling="random"
    )
    (good,) = result.densities["rate"][0].good
    assert good.low is not None
    assert good.high is not None
    inside = (rate >= good.low) & (rate <= good.high)
    some, every = 100 * inside[failed].mean(), 100 * inside.mean()
    told = str(result)
    assert f"rate: {some:.0f} % of the failed trials and {every:.0f} % of all are inside" in told
    net = model == "net"
    some, every = 100 * net[failed].mean(), 100 * net.mean()
    expected = f"model: {some:.0f} % of the failed trials and {every:.0f} % of all have net."
    assert expected in result.effect_sentences
    assert not any(sentence.startswith("noise") for sentence in result.effect_sentences)
    assert "Compared with all other trials that ended, pruned ones included." in told
    assert result.account.trials.used == 300


def capped(seed: int, trials: int = 400) -> pd.DataFrame:
    """Return random trials whose accuracy has a best value that most of them share."""
    rng = np.random.default_rng(seed)
    x, y = rng.random(trials), np.where(rng.random(trials) < 0.85, "a", "b")
    missed = (x > 0.93) | ((y == "b") & (rng.random(trials) < 0.3))
    accuracy = np.where(missed, 0.9 - 0.1 * rng.random(trials), 0.95)
    return pd.DataFrame({"x": x, "y": y, "accuracy": accuracy})


def effects_of_capped(frame: pd.DataFrame) -> condped.Effects:
    """Return its effects, as random draws."""
    return condped.effects(
        frame, objective="accuracy", direction="maximize", sampling="random",
        space={"x": {"type": "float", "low": 0.0, "high": 1.0},
               "y": {"type": "categorical", "choices": ["a", "b"]}},
    )  # fmt: skip


def test_no_range_is_best_if_all_have_the_same_median() -> None:
    """Although the parameter matters: 7 % of the values are bad, fewer than half of any bin."""
    frame = capped(seed=3)
    effect = effects_of_capped(frame)["x"]
    (regime,) = effect.regimes
    medians = {
        frame.loc[frame["x"].between(one.low, one.high), "accuracy"].median() for one in regime.bins
    }
    assert medians == {0.95}
    assert effect.verdict == "matters"
    assert regime.contrast is None
    words = f"no values stand out by their median; median accuracy 0.95 in all {len(regime.bins)}"
    assert effect.sentence == f"{words} bins"


def test_values_that_share_the_best_median_are_best_together() -> None:
    """Against medians and shares by pandas: not one of several equal bins, whichever is first."""
    frame = capped(seed=1)
    effects = effects_of_capped(frame)
    (numeric,) = effects["x"].regimes
    medians = [
        frame.loc[frame["x"].between(one.low, one.high), "accuracy"].median()
        for one in numeric.bins
    ]
    assert medians[:-1] == [0.95] * (len(medians) - 1)
    assert medians[-1] < 0.95
    assert numeric.contrast is not None
    assert numeric.contrast.chosen == "best"
    (span,) = numeric.contrast.spans
    assert (span.low, span.high) == (numeric.bins[0].low, numeric.bins[-2].high)
    assert numeric.contrast.inside.trials == frame["x"].between(span.low, span.high).sum()
    assert numeric.contrast.outside.reached[0].median == medians[-1]
    # Both choices have the same median, so their shares of target trials decide.
    (choices,) = effects["y"].regimes
    shares = (frame["accuracy"] == 0.95).groupby(frame["y"]).mean()
    assert frame.groupby("y")["accuracy"].median().eq(0.95).all()
    assert shares["a"] > shares["b"]
    assert choices.contrast is not None
    assert choices.contrast.inside.label == "a"


def test_equal_neighbours_are_not_said_to_be_better() -> None:
    """Pairs of equal values are counted apart, by two loops."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1), direction="maximize")
    study.optimize(lambda trial: float(trial.suggest_float("x", 0, 1) < 0.4), n_trials=60)
    (same,) = _contrast_of(condped.effects(study)["x"]).same_time
    spans = _contrast_of(condped.effects(study)["x"]).spans
    inside = [any(s.low <= t.params["x"] <= s.high for s in spans) for t in study.trials]
    pairs = [
        study.trials[i].values[0] - study.trials[j].values[0]
        for i, j in product(range(60), repeat=2)
        if inside[i] and not inside[j] and i // 10 == j // 10
    ]
    won, tied = np.mean(np.array(pairs) > 0), np.mean(np.array(pairs) == 0)
    assert (same.tied, same.better) == (pytest.approx(tied), pytest.approx(won + tied / 2))
    assert 0 < tied < 1
    words = f"better in {100 * won:.0f} %, equal in {100 * tied:.0f} % of {len(pairs)} pairs"
    assert words in condped.effects(study)["x"].sentence


def _contrast_of(effect: Any) -> Any:
    """Return the contrast of a parameter with one regime."""
    (regime,) = effect.regimes
    assert regime.contrast is not None
    return regime.contrast
