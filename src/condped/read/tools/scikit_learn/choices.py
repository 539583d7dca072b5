"""Values of scikit-learn's parameters as choices: objects by stable labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_ADDRESS = " at 0x"


class Choices:
    """Gives each value a choice that is the same in every run.

    Numbers, strings, truth values and None stay as they are, lists and arrays become tuples.
    Classes and functions are labelled by their names, other objects (estimators, dicts) by how they
    print, and objects that print with their memory address by their types; of several with the same
    label, those after the first are numbered.

    Examples
    --------
    >>> choice = Choices()
    >>> choice(np.float64(0.5)), choice([10, 5]), choice(len), choice({0: 1})
    (0.5, (10, 5), 'len', '{0: 1}')
    >>> choice(object()), choice(object())
    ('object', 'object (2)')
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str]] = {}  # the object too, so that its id is not reused
        self._taken: set[str] = set()

    def __call__(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (list, tuple, np.ndarray)):
            return tuple(map(self, value))
        if isinstance(value, Mapping):
            entries = (f"{key!r}: {self._text(self(entry))}" for key, entry in value.items())
            return "{" + ", ".join(entries) + "}"
        if id(value) not in self._known:
            self._known[id(value)] = value, self._label(value)
        return self._known[id(value)][1]

    @staticmethod
    def _text(choice: Any) -> str:
        return choice if isinstance(choice, str) else repr(choice)

    def _label(self, value: Any) -> str:
        name = getattr(value, "__qualname__", None)
        text = name if isinstance(name, str) else " ".join(repr(value).split())
        if not isinstance(name, str) and _ADDRESS not in text:
            return text  # equal texts are equal settings
        label = first = type(value).__qualname__ if _ADDRESS in text else text
        number = 1
        while label in self._taken:
            number += 1
            label = f"{first} ({number})"
        self._taken.add(label)
        return label
