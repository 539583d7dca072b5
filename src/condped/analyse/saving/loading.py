"""Saved results, as they were."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from condped.analyse.saving.files import read_result
from condped.errors import CondpedError, DataError

if TYPE_CHECKING:
    from condped.analyse.result import Result

# The module and the class of each schema; loaded when a file has it.
_KINDS = {
    "condped.importance/1": ("condped.analyse.importance.result", "ImportanceResult"),
    "condped.sweep/1": ("condped.analyse.importance.sweep", "SweepResult"),
    "condped.branches/1": ("condped.analyse.branches.result", "Branches"),
    "condped.advice/1": ("condped.analyse.advice.result", "Advice"),
    "condped.joint/1": ("condped.analyse.joint_effects", "JointEffects"),
    "condped.report/1": ("condped.analyse.report.result", "Report"),
    "condped.sources/1": ("condped.analyse.sources", "Sources"),
    "condped.compare/1": ("condped.comparison.result", "Comparison"),
}


def load(path: str | os.PathLike[str]) -> Result:
    """Return a result that was saved with its method ``save``.

    It equals the one that was saved, but does not know its trials: what needs them, such as
    ``robustness()``, raises an error that says so.

    Parameters
    ----------
    path
        The file. What ``condped importance --json`` and ``condped sweep --json`` print can be
        loaded, too.

    Examples
    --------
    >>> import condped, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "result.json"
    >>> result = condped.importance(condped.problems.get("nested").sample(200, seed=0))
    >>> result.save(file)
    >>> condped.load(file) == result
    True
    """
    data = read_result(path, tuple(_KINDS))
    module, name = _KINDS[data["schema"]]
    kind: type[Result] = getattr(import_module(module), name)
    try:
        return kind._loaded(data)
    except (
        KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, CondpedError,
    ) as error:  # fmt: skip
        lacks = f"it lacks {error}" if type(error) is KeyError else str(error)
        raise DataError(
            f"{os.fspath(path)!r} is damaged: {lacks.rstrip('.')}. Save the result again."
        ) from None
