"""Smaller inputs that end in the same way."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from fuzz.case import Case, Ending
from fuzz.door import Door
from fuzz.worker import DEFAULT_LIMITS, Limits, tried

_SECONDS = 60.0  # for one input


def ending_of(door: type[Door], case: Case, limits: Limits = DEFAULT_LIMITS) -> Ending:
    """Try one case in a worker of its own."""
    shared, failures = tried(door, [lambda _: case], limits)
    return failures[0][1] if failures else Ending(shared.outcomes()[0])


def minimised(
    door: type[Door],
    case: Case,
    ending: Ending,
    limits: Limits = DEFAULT_LIMITS,
    seconds: float = _SECONDS,
) -> Case:
    """Return the smallest case found that ends as this one does."""
    until = time.monotonic() + seconds

    def same(data: bytes) -> bool:
        if time.monotonic() > until:
            return False
        return ending_of(door, Case(case.door, case.what, data), limits).kind == ending.kind

    data = case.data
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        plain = None
    if isinstance(plain, (dict, list)):
        data = _smaller_data(data, plain, same)
    return Case(case.door, case.what, _smaller_bytes(data, same))


def _smaller_bytes(data: bytes, same: Callable[[bytes], bool]) -> bytes:
    """Leave out halves, quarters and so on, as long as the ending stays."""
    size = len(data) // 2
    while size:
        at, found = 0, False
        while at < len(data):
            less = data[:at] + data[at + size :]
            if same(less):
                data, found = less, True
            else:
                at += size
        if not found or size > len(data):
            size //= 2
    return data


def _smaller_data(data: bytes, plain: Any, same: Callable[[bytes], bool]) -> bytes:
    """Leave out nodes of plain data, large ones first."""
    shrinking = True
    while shrinking:
        shrinking = False
        for less in _with_less(plain):
            text = json.dumps(less).encode()
            if len(text) < len(data) and same(text):
                data, plain, shrinking = text, less, True
                break
    return data


def _with_less(plain: Any) -> Iterator[Any]:
    """Iterate over the same data with one node less, from the root on."""
    if isinstance(plain, dict):
        for key in plain:
            yield {name: value for name, value in plain.items() if name != key}
        for key, value in plain.items():
            for less in _with_less(value):
                yield {**plain, key: less}
    elif isinstance(plain, list):
        for at in range(len(plain)):
            yield plain[:at] + plain[at + 1 :]
        for at, value in enumerate(plain):
            for less in _with_less(value):
                yield [*plain[:at], less, *plain[at + 1 :]]
