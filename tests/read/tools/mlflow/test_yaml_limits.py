"""Files of MLflow whose YAML stands for more than they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

import condped
from condped.errors import DataError, NoTrialsError

LAUGHS = "a0: &a0 [x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 30)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}]}}\n" for level in range(1, 9)
)


@pytest.mark.parametrize("text", [
    LAUGHS + "name: *a29\n", MERGES + "b: *a8\n", "name: &a [*a]\n",
])  # fmt: skip
def test_aliases_stand_for_nothing(text: str, tmp_path: Path) -> None:
    """A few lines would be billions of values: names and states are single ones."""
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "meta.yaml").write_text(f"{text}experiment_id: '0'\n")
    with pytest.raises(NoTrialsError, match="experiment '0'"):
        condped.read(str(tmp_path))


@pytest.mark.parametrize(("text", "says"), [
    ("a: " + "[" * 100_000, "nested more than 20 levels"),
    ("\n".join(" " * level + "a:" for level in range(100)), "nested more than 20 levels"),
    ("name: 1" + "0" * 5000, "digits"),
    ("name: " + "a" * (1 << 20), "more than 1,048,576 bytes"),
    ("- 1\n", "must hold named entries"),
    ("a: 1\n---\na: 2\n", "more than one document"),
])  # fmt: skip
def test_other_excesses_are_told_with_the_file(text: str, says: str, tmp_path: Path) -> None:
    """The faster parser has no limit of its own: its stack overflowed."""
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "meta.yaml").write_text(text)
    with pytest.raises(DataError, match=says) as caught:
        condped.read(str(tmp_path))
    assert "meta.yaml" in str(caught.value)


@pytest.mark.parametrize("value", [
    "!!timestamp foo", "!!int ''", "!!float ''", "!!bool foo",
    "!!timestamp '0001-01-01 00:00:00 +23:00'",
])  # fmt: skip
def test_what_is_not_of_its_type_is_a_text(value: str, tmp_path: Path) -> None:
    """PyYAML fails on it in ways that are no errors of YAML."""
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "meta.yaml").write_text(f"experiment_id: '0'\nname: {value}\n")
    with pytest.raises(NoTrialsError, match="experiment "):
        condped.read(str(tmp_path))
