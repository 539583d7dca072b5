"""Columns of texts, as in CSV files: parsed as numbers or choices by their domains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, TypeAlias

import numpy as np

from condped.arrays import BoolArray
from condped.space.domain import Categorical
from condped.space.space import Alternative, Space
from condped.trials.columns import Column, level_column, number_column, number_of

# Texts that tables use for "no value", unless there is a choice of the same spelling. All of them
# are treated alike.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>"})

_Domains: TypeAlias = Mapping[str, tuple[Alternative, ...]]  # such as a space


def column_of_texts(
    cells: Sequence[str | None],
    space: _Domains | None,
    name: str,
    *,
    missing_words: frozenset[str] = MISSING,
    words_mean_absent: Callable[[], bool] = lambda: False,
) -> Column:
    """Return the texts of a column as numbers or choices, by its domains in the space.

    Without a space they are numbers if all of them are, and stay texts otherwise: '01' is '01'.
    A cell is missing if it is None or one of ``missing_words``. Among texts such a word is a choice
    like the others, unless the table writes words where numbers are absent (``words_mean_absent``)
    and the column has no empty cells.
    """
    choices = _choices(space, name)
    texts = {choice for choice in choices or () if isinstance(choice, str)}
    missing = np.fromiter(
        (
            cell is None or (cell not in texts and cell.strip().lower() in missing_words)
            for cell in cells
        ),
        bool,
        len(cells),
    )
    if choices is not None:
        return level_column(_match_choices(cells, choices, texts), missing)
    present = [cell for cell in compress(cells, ~missing) if cell is not None]
    if any("_" in cell for cell in present):  # Python would read 64_32 as a number
        return _levels(cells, missing, words_mean_absent)
    try:
        numbers = np.array([int(cell) for cell in present])
        if numbers.dtype != np.int64:
            raise ValueError
    except ValueError:
        try:
            numbers = np.array(present, dtype=np.float64)
        except ValueError:
            return _levels(cells, missing, words_mean_absent)
    values = np.full(len(cells), 0 if numbers.dtype == np.int64 else np.nan, numbers.dtype)
    values[~missing] = numbers
    return number_column(values, missing if missing.any() else None)


def names_column(cells: Sequence[str | None]) -> Column:
    """Return texts as they are, such as the names of studies; empty cells are missing."""
    empty = (cell is None or not cell.strip() for cell in cells)
    return level_column(cells, np.fromiter(empty, bool, len(cells)))


def has_choices(space: Space | None, name: str) -> bool:
    """Return whether a column has choices, so that each text is parsed independently."""
    return _choices(space, name) is not None


def has_numbers_and_words(cells: Iterable[str | None]) -> bool:
    """Return whether a column holds numbers and words such as NA, and nothing else."""
    distinct = {cell.strip() for cell in set(cells) if cell is not None}
    words = {cell for cell in distinct if cell and cell.lower() in MISSING}
    numbers = distinct - words - {""}
    return bool(words and numbers) and all(number_of(cell) is not None for cell in numbers)


def words_in(cells: Iterable[str | None]) -> int:
    """Return how many cells hold a word such as NA."""
    return sum(1 for cell in cells if cell is not None and _is_word(cell))


def _is_word(cell: str) -> bool:
    return bool(cell.strip()) and cell.strip().lower() in MISSING


def _levels(
    cells: Sequence[str | None], missing: BoolArray, words_mean_absent: Callable[[], bool]
) -> Column:
    words = Counter(
        cell for cell in compress(cells, missing) if cell is not None and _is_word(cell)
    )
    if not words:
        return level_column(cells, missing)
    empty = missing & np.fromiter((cell is None or not cell.strip() for cell in cells), bool)
    if not empty.any() and words_mean_absent():
        return level_column(cells, missing)
    # One choice, however it is spelt.
    ((usual, _),) = words.most_common(1)
    return level_column([usual if cell in words else cell for cell in cells], empty)


def _choices(space: _Domains | None, name: str) -> tuple[Any, ...] | None:
    """Return the choices of a categorical parameter, None for anything else."""
    if space is None or name not in space:
        return None
    domains = [alternative.domain for alternative in space[name]]
    choices = [c for d in domains if isinstance(d, Categorical) for c in d.choices]
    return tuple(choices) or None


def _match_choices(
    cells: Sequence[str | None], choices: tuple[Any, ...], texts: set[str]
) -> list[Any]:
    """Return the choices that the cells name; unknown ones stay texts, which raise later."""
    words: dict[str, Any] = {}  # choices that are not texts, by their spelling
    numbers: dict[float, Any] = {}
    for choice in choices:
        if not isinstance(choice, str):
            words.setdefault(str(choice).lower(), choice)
        if isinstance(choice, (int, float)) and not isinstance(choice, bool):
            numbers.setdefault(float(choice), choice)

    def match(cell: str | None) -> Any:
        if cell is None or cell in texts:
            return cell
        number = number_of(cell)
        if number is not None and number in numbers:
            return numbers[number]
        return words.get(cell.strip().lower(), cell)

    found = {cell: match(cell) for cell in dict.fromkeys(cells)}
    return [found[cell] for cell in cells]
