"""With two past studies nothing is narrowed, and the advice says what would help."""

from __future__ import annotations

import numpy as np
import pytest

from condped.analyse.across.start.leave_one_out import lowest_percent, lowest_risk, margin_for
from tests.analyse.across.start_studies import past
from tests.cli.command import condped_command

NEEDED = "It takes at least 3 studies with 20 or more trials each to narrow a space (got 2)"


@pytest.mark.parametrize("risk", [0.1, 0.4, 0.9])
def test_two_studies_are_too_few_for_any_risk(risk: float) -> None:
    """No risk is recommended, since none would help; configurations are."""
    start = past("rates", studies=2).space(risk=risk)
    assert start.changes == ()
    assert start.too_few is not None
    assert start.too_few == start.notes[-1]
    assert start.too_few.startswith(NEEDED)
    assert "accept" not in start.too_few
    assert "--starts 5 on the command line" in start.too_few
    assert {step.reason for step in start.steps} == {"fewer than 3 past studies."}
    assert "Where to search next time, according to 2 past studies" in str(start)


@pytest.mark.parametrize("studies", range(3, 40))
def test_the_lowest_risk_that_is_named_is_accepted(studies: int) -> None:
    """As it is printed, with its digits: eight studies do not suffice for 11.1 %."""
    share = float(lowest_percent(studies).removesuffix(" %")) / 100
    assert lowest_risk(studies) <= share < lowest_risk(studies) + 0.0011
    assert margin_for(np.zeros(studies), share) is not None


def test_configurations_are_not_called_inside_a_space_that_is_whole() -> None:
    """With --risk, but nothing narrowed, they are chosen from everywhere, and a note says so."""
    two = past("rates", studies=2)
    found = two.starts(3, two.space(risk=0.4))
    assert found.configurations == two.starts(3).configurations
    assert "inside the smaller space" not in str(found)
    assert found.notes[-1].endswith("so these are chosen from the whole space.")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return two CSV files of one problem."""
    place = tmp_path_factory.mktemp("two")
    for seed, name in enumerate(("before", "after")):
        x, y = np.random.default_rng(seed).random((2, 60)).tolist()
        lines = [f"{one},{other},{abs(one - 0.3)}" for one, other in zip(x, y, strict=True)]
        text = "\n".join(["x,y,loss", *lines])
        (place / f"{name}.csv").write_text(text, encoding="utf-8")
    return [str(place / "before.csv"), str(place / "after.csv")]


def test_code_of_an_unchanged_space_comes_with_a_remark(files: list[str]) -> None:
    """On standard error, so that the code can still be redirected to a file."""
    done = condped_command("start", *files, "--objective", "loss", "--code", "optuna")
    assert done.returncode == 0
    assert done.stdout.startswith("def suggest(trial):")
    assert "Nothing is narrowed, so this is the code of the whole space." in done.stderr
    assert NEEDED in done.stderr
    plain = condped_command("start", *files, "--objective", "loss", "--starts", "2")
    assert (plain.returncode, plain.stderr) == (0, "")
