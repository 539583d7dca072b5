"""Errors for plain data that is not laid out as its tool writes it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from condped.errors import CondpedError, DataError


@contextmanager
def expected_layout(
    what: str, writer: str, remedy: str, error_type: type[CondpedError] = DataError
) -> Iterator[None]:
    """Raise ``error_type`` for what Python raises on plain data of an unexpected shape.

    ``what`` begins the message, such as "The file 'runhistory.json'", and ``remedy`` ends it.
    """
    try:
        yield
    except CondpedError:
        raise
    except (
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError
    ) as error:  # fmt: skip
        found = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise error_type(
            f"{what} is not laid out as {writer} writes it ({found}). {remedy}"
        ) from error
