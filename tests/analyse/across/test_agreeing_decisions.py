"""Two studies compared by ``across`` and by ``difference``: the same test, and the same answer."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import condped
from condped.cli.conditions import HELD, check, parsed
from condped.estimate.independence_test import adjusted

SAID = {"more": "differs", "less": "differs"}  # by across, of what difference says


def study(seed: int, shift: float = 0.0) -> dict[str, Any]:
    """Return columns in which x matters, y as much as the shift says, and z not at all."""
    rng = np.random.default_rng(seed)
    x, y, z = rng.random((3, 200))
    loss = (2.5 * x - 1) ** 2 / 2 + shift * y + rng.normal(0, 0.05, 200)
    return {"x": x, "y": y, "z": z, "loss": loss}


def both(one: Any, other: Any) -> tuple[condped.Across, condped.Difference]:
    """Compare two studies in both ways."""
    options: dict[str, Any] = {"objective": "loss", "sampling": "random"}
    pair = {"before": one, "after": other}
    return condped.across(pair, **options), condped.difference(one, other, **options)


def holm(p_values: list[float]) -> list[float]:
    """Adjust p-values by the definition: each step by the number of hypotheses that are left."""
    found = [1.0] * len(p_values)
    for place, p_value in enumerate(p_values):
        smaller = [one for one in p_values if one <= p_value]
        found[place] = min(1.0, max(one * (len(p_values) - sorted(p_values).index(one))
                                    for one in smaller))  # fmt: skip
    return found


def test_across_two_studies_decides_as_the_difference_does() -> None:
    """Of pairs of all strengths: the same p-values, Holm's adjustment, the same verdicts."""
    verdicts: set[str] = set()
    for seed in range(24):
        across, difference = both(study(seed), study(seed + 100, seed / 40))
        own_adjusted = holm([one.p_value or 0.0 for one in difference])
        for one, own in zip(difference, own_adjusted, strict=True):
            pooled = across[one.name]
            assert pooled.spread_p_value == pytest.approx(one.p_value, rel=1e-6)
            assert one.adjusted_p_value == pytest.approx(own)
            assert pooled.adjusted_p_value == pytest.approx(own, rel=1e-6)
            assert pooled.agreement == SAID.get(one.verdict, one.verdict)
            expected = "differs" if own <= 0.05 else "unclear" if own <= 0.1 else "no evidence"
            assert pooled.agreement == expected
            verdicts.add(expected)
    assert verdicts == {"differs", "unclear", "no evidence"}


def test_headlines_and_conditions_agree() -> None:
    """Also where Benjamini and Hochberg would find a difference and Holm does not."""
    between = 0
    for seed, shift in ((104, 0.15), (104, 0.25), (70, 0.3), (3, 0.4), (3, 0.0)):
        across, difference = both(study(seed), study(seed + 100, shift))
        differs = check([parsed("any differs", "across")], across).code == HELD
        changed = check([parsed("any changed", "difference")], difference).code == HELD
        assert differs == changed
        assert differs == ("differ by more than chance explains in" in flat(across))
        assert changed == bool(re.search(r"matters? (more|less)[^.]* than before", flat(difference))
                               and "or less than before" not in flat(difference))  # fmt: skip
        p_values = [one.p_value or 0.0 for one in difference]
        between += bool(adjusted(np.array(p_values)).min() <= 0.05 < min(holm(p_values)))
    assert between == 3


def test_what_is_unclear_is_called_unclear_with_the_level() -> None:
    """Between 0.05 and 0.1, in every text, with the adjusted p-value."""
    for seed in range(60):
        across, difference = both(study(seed), study(seed + 100, 0.25))
        unclear = [one.name for one in difference if one.verdict == "unclear"]
        if unclear and not difference.changed:
            break
    name = unclear[0]
    p_value = f"{difference[name].adjusted_p_value:.2g}"
    assert "unclear whether" in flat(difference)
    assert difference[name].sentence.startswith(f"{name}: unclear whether it changed")
    assert "Unclear whether the studies differ in" in flat(across)
    assert f"{name} (adjusted p = {p_value})" in flat(across)
    for result in (across, difference):
        assert "0.05" in flat(result)
        assert "unclear up to 0.1" in flat(result)
        assert "unclear" in result.to_markdown()


def test_ties_make_two_studies_incomparable_in_both() -> None:
    """With target sets of other shares, neither compares what is explained."""
    one, other = study(0), study(1, 1.0)
    other["loss"] = np.maximum(other["loss"], np.quantile(other["loss"], 0.4))
    across, difference = both(one, other)
    assert {parameter.verdict for parameter in difference} == {"not testable"}
    assert {parameter.agreement for parameter in across} == {"not testable"}
    assert "ties" in flat(across)


def flat(result: object) -> str:
    """Return a result's text without line breaks."""
    return " ".join(str(result).split())
