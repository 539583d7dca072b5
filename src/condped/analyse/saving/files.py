"""Files of results, loaded again."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condped.analyse.saving.plain import restored
from condped.errors import CondpedError, DataError, SourceError
from condped.read.files.regular import check_ends
from condped.safe_text import brief

if TYPE_CHECKING:
    from condped.analyse.result import Result

# The module and the class of each schema; loaded when a file has it.
_KINDS = {
    "condped.importance/1": ("condped.analyse.importance.result", "ImportanceResult"),
    "condped.sweep/1": ("condped.analyse.importance.sweep", "SweepResult"),
    "condped.branches/1": ("condped.analyse.branches.result", "Branches"),
    "condped.across/1": ("condped.analyse.across.result", "Across"),
    "condped.start_space/1": ("condped.analyse.across.start.start_space", "StartSpace"),
    "condped.starts/1": ("condped.analyse.across.start.starts", "Starts"),
    "condped.prior/1": ("condped.analyse.across.start.prior", "Prior"),
    "condped.advice/1": ("condped.analyse.advice.result", "Advice"),
    "condped.difference/1": ("condped.analyse.across.difference_result", "Difference"),
    "condped.effects/1": ("condped.analyse.effects.result", "Effects"),
    "condped.forecast/1": ("condped.analyse.forecast.result", "Forecast"),
    "condped.joint/1": ("condped.analyse.joint_effects", "JointEffects"),
    "condped.budgets/1": ("condped.analyse.budgets", "Budgets"),
    "condped.report/1": ("condped.analyse.report.result", "Report"),
    "condped.summary/1": ("condped.analyse.summary.result", "Summary"),
    "condped.sources/1": ("condped.analyse.sources", "Sources"),
    "condped.studies/1": ("condped.analyse.studies", "Studies"),
    "condped.compare/1": ("condped.comparison.compare", "Comparison"),
}


def _read_result(path: str | os.PathLike[str], known: Sequence[str]) -> dict[str, Any]:
    """Return a saved result's data, if its schema is one of the known ones."""
    if not isinstance(path, str | os.PathLike):
        raise SourceError(
            f"A saved result is loaded by its path (got {brief(path)}). Pass a string or a Path."
        )
    name = os.fspath(path)
    try:
        check_ends(path)
        data = restored(json.loads(Path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise SourceError(f"There is no file {name!r}.") from None
    except IsADirectoryError:
        raise SourceError(f"{name!r} is a directory. Pass the file of a saved result.") from None
    except OSError as error:
        raise SourceError(f"{brief(name)} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{name!r} is not valid JSON ({error}). It was truncated or changed: save the result "
            "again."
        ) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema in known:
        return dict(data)
    kind, _, version = schema.rpartition("/") if isinstance(schema, str) else ("", "", "")
    versions = [entry.rpartition("/")[2] for entry in known if entry.rpartition("/")[0] == kind]
    if versions:
        raise DataError(
            f"{name!r} has version {version!r} of the schema {kind!r}, and this condped reads "
            f"version {', '.join(versions)}. Update condped, or save the result with this one."
        )
    raise DataError(
        f"{name!r} is not a saved result (its schema is {schema!r}; known are "
        f"{', '.join(known)}). Trials are read by condped.read."
    )


def load(path: str | os.PathLike[str]) -> Result:
    """Return a result that was saved with its method ``save``.

    It equals the one that was saved, but no longer has its trials: what needs them, such as
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
    data = _read_result(path, tuple(_KINDS))
    module, name = _KINDS[data["schema"]]
    kind: type[Result] = getattr(import_module(module), name)
    try:
        found = kind._loaded(data)
        # Entries that contradict each other should raise here, not when somebody prints it.
        str(found)
        return found
    except (
        KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, MemoryError,
        RecursionError, ZeroDivisionError, CondpedError,
    ) as error:  # fmt: skip
        lacks = f"it lacks {error}" if type(error) is KeyError else str(error)
        raise DataError(
            f"{os.fspath(path)!r} is damaged: {lacks.rstrip('.')}. Save the result again."
        ) from None
