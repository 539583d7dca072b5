"""Loading search spaces: from files, plain data, or the spaces of other tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from condped.duplicates import first_duplicate
from condped.errors import SourceError, SpaceError
from condped.read.expected_layout import expected_layout
from condped.read.files.regular import check_ends
from condped.space.space import Space
from condped.writing.inputs import remember_inputs


def _configspace(source: Any) -> bool:
    """Return whether it is a ConfigurationSpace, or the content of its file."""
    if any(base.__name__ == "ConfigurationSpace" for base in type(source).__mro__):
        return True  # which is a mapping, too
    entries = source.get("hyperparameters") if isinstance(source, Mapping) else None
    # One of our parameters may be called hyperparameters, but its domains have no names.
    return isinstance(entries, list) and any(
        isinstance(entry, Mapping) and "name" in entry for entry in entries
    )


def _library_inside(library: str) -> Callable[[Any], bool]:
    """Return a test for objects of a library, also inside dicts, lists and tuples."""

    def recognises(source: Any) -> bool:
        todo, seen = [source], set()
        while todo:
            entry = todo.pop()
            if isinstance(entry, (dict, list, tuple)):
                if id(entry) in seen:
                    continue  # it may even contain itself
                seen.add(id(entry))
            if isinstance(entry, dict):
                todo.extend(entry.values())
            elif isinstance(entry, (list, tuple)):
                todo.extend(entry)
            elif any(base.__module__.split(".")[0] == library for base in type(entry).__mro__):
                return True
        return False

    return recognises


def _scikit_learn(source: Any) -> bool:
    """Return whether it is a list of dicts, or has distributions of scipy in it."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(entry, Mapping) for entry in source)
    return isinstance(source, Mapping) and any(hasattr(e, "rvs") for e in source.values())


# How to recognise a tool's space, and the module whose space_of() converts it. None of them imports
# the tool: the object holds all that is needed.
_TOOLS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (_configspace, "condped.read.tools.smac.configspace"),
    (_library_inside("ray"), "condped.read.tools.ray.space"),
    (_library_inside("hyperopt"), "condped.read.tools.hyperopt"),
    (_library_inside("keras_tuner"), "condped.read.tools.keras_tuner.space"),
    (_scikit_learn, "condped.read.tools.scikit_learn.space"),
)


def load_space(source: Any) -> Space:
    """Return a space from a Space, plain data, the path of a JSON file, or a tool's space."""
    if isinstance(source, Space):
        return source
    plain = _plain_file(Path(source)) if isinstance(source, (str, Path)) else source
    for recognises, module in _TOOLS:
        if recognises(plain):
            space = _space_of_tool(module, plain)
            break
    else:
        if not isinstance(plain, Mapping) and plain is source:
            raise SourceError(
                "space must be a Space, a mapping, the path of a JSON file, or a space of "
                "ConfigSpace, Ray Tune, Hyperopt, Keras Tuner or scikit-learn (got "
                f"{type(source).__name__})."
            )
        space = Space(plain)
    if not space and not space.to_infer:
        raise SpaceError("The space has no parameters. Give at least one, or leave space out.")
    return space


def _space_of_tool(module: str, plain: Any) -> Space:
    """Convert a tool's space; raise SpaceError for one that the tool would not write."""
    tool = module.removesuffix(".space").rpartition(".")[2]
    remedy = "Write it again, or give a mapping of names to domains."
    with expected_layout("The space", tool, remedy, SpaceError):
        space: Space = import_module(module).space_of(plain)
    return space


def _plain_file(path: Path) -> Any:
    try:
        check_ends(path)
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SpaceError(
            f"The space file {str(path)!r} cannot be read: {error.strerror}."
        ) from error
    except ValueError as error:  # not UTF-8, or a null byte in the path
        reason = error.reason if isinstance(error, UnicodeDecodeError) else error
        raise SpaceError(f"The space file {str(path)!r} is not UTF-8 text: {reason}.") from error
    remember_inputs(path)
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        raise SpaceError(
            f"The space file {str(path)!r} is not valid JSON: {error.msg} at line {error.lineno}, "
            f"column {error.colno}."
        ) from error
    except SpaceError:
        raise
    except RecursionError as error:
        raise SpaceError(f"The space file {str(path)!r} is nested too deeply.") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise SpaceError(f"The space file {str(path)!r} is not valid JSON: {error}.") from error


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    duplicate = first_duplicate(name for name, _ in pairs)
    if duplicate is not None:
        raise SpaceError(f"The space names {duplicate!r} twice. Keep one, or give alternatives.")
    return dict(pairs)
