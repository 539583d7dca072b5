"""What all results have in common: a text, rows, a frame, plain data, a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from csv import DictWriter
from dataclasses import fields
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from condped.analyse.saving.plain import plain, rebuilt_dataclass, restored
from condped.errors import CondpedError, DataError, SourceError
from condped.optional import load_optional
from condped.writing import ending_of

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd

# The module and the class of each schema; loaded when a file has it.
_KINDS = {
    "condped.importance/1": ("condped.analyse.importance.importance", "ImportanceResult"),
    "condped.sweep/1": ("condped.analyse.importance.sweep", "SweepResult"),
    "condped.branches/1": ("condped.analyse.branches.result", "Branches"),
    "condped.advice/1": ("condped.analyse.advice.result", "Advice"),
    "condped.joint/1": ("condped.analyse.joint_effects", "JointEffects"),
    "condped.report/1": ("condped.analyse.report.result", "Report"),
    "condped.sources/1": ("condped.analyse.sources", "Sources"),
    "condped.compare/1": ("condped.comparison.compare", "Comparison"),
}


class Presentable:
    """Something that ``print`` and notebooks show by the means of :mod:`condped.show`."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int | None = None) -> str:
        """Return what ``print`` shows, in so many columns; 100 if not given."""
        text: str = import_module("condped.show.text").text_of(self, width)
        return text

    def _repr_html_(self) -> str:
        html: str = import_module("condped.show.notebook").html_of(self)
        return html


class Result(Presentable):
    """Something that an analysis found.

    ``print`` shows a summary, a notebook a table, :meth:`rows` and :meth:`to_frame` give the
    numbers, :meth:`save` writes a file that :func:`condped.load` reads.
    """

    schema: ClassVar[str]  # of plain data, with a version
    _columns: ClassVar[tuple[str, ...]]  # of the rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        return self._columns

    def rows(self) -> list[dict[str, Any]]:
        """Return flat records."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return :meth:`rows` as a pandas frame."""
        module = load_optional(
            "condped.analyse.pandas", feature="to_frame()", library="pandas", extra="pandas"
        )
        return module.frame_of(self.rows(), self.columns)

    def to_data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, under a schema with a version.

        What would take long to find, such as the evidence from many trials, is left out.
        """
        return dict(plain({"schema": self.schema, **self._readable()}))

    def _readable(self) -> dict[str, Any]:
        """Return what :meth:`to_data` holds."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result into a file, in the form that its name ends in.

        From ``.json`` :func:`condped.load` returns it; what only the trials can tell, such as the
        evidence, is found first if it is not known yet. ``.csv`` and ``.parquet`` get
        :meth:`rows`, ``.txt`` what ``print`` shows. A file that is there is replaced as a whole.
        """
        ending = ending_of(path)
        if ending == ".json":
            # Escaped: names may hold letters that no encoding has.
            data = plain({"schema": self.schema, **self._saved()})
            write_whole(json.dumps(data, allow_nan=False) + "\n", path)
        elif ending == ".parquet":
            module = load_optional(
                "condped.analyse.saving.pyarrow_rows",
                feature="A Parquet file",
                library="pyarrow",
                extra="parquet",
            )
            module.write_rows(self.rows(), self.columns, self.schema, path)
        else:
            write_whole(self.to_csv() if ending == ".csv" else f"{self}\n", path)

    def to_csv(self) -> str:
        """Return :meth:`rows` as lines of comma-separated values under a line of names."""
        lines = StringIO()
        writer = DictWriter(lines, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        return lines.getvalue()

    def _saved(self) -> dict[str, Any]:
        """Return what the result can be made from again."""
        names = [one.name for one in fields(self) if not one.name.startswith("_")]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names}

    @classmethod
    def _loaded(cls, data: Mapping[str, Any]) -> Self:
        """Return the result that was saved; the opposite of :meth:`_saved`."""
        known = {name: value for name, value in data.items() if name != "schema"}
        made: Self = rebuilt_dataclass(cls, known, cls.__name__)
        return made


def write_whole(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text into a file; one that is there is replaced as a whole."""
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a file to write beside another one, which it replaces when it is written."""
    target = Path(path)
    if not target.parent.is_dir():
        raise DataError(
            f"There is no directory {str(target.parent)!r} to write {target.name!r} in. Make it, "
            "or name another."
        )
    # Under another name first: a full disk must not leave half a file where there was a whole one.
    beside = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        yield beside
        beside.replace(target)
    except OSError as error:  # of a full disk the error does not say where
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        beside.unlink(missing_ok=True)


def _read_result(path: str | os.PathLike[str], known: Sequence[str]) -> dict[str, Any]:
    """Return a saved result's data, if its schema is one of the known ones."""
    shown = os.fspath(path)
    try:
        data = restored(json.loads(Path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise SourceError(f"There is no file {shown!r}.") from None
    except IsADirectoryError:
        raise SourceError(f"{shown!r} is a directory. Name the file of a saved result.") from None
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{shown!r} holds no JSON ({error}). It was cut off or changed: save the result again."
        ) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema in known:
        return dict(data)
    name, _, version = schema.rpartition("/") if isinstance(schema, str) else ("", "", "")
    versions = [entry.rpartition("/")[2] for entry in known if entry.rpartition("/")[0] == name]
    if versions:
        raise DataError(
            f"{shown!r} has version {version!r} of the schema {name!r}, and this condped reads "
            f"version {', '.join(versions)}. Update condped, or save the result with this one."
        )
    raise DataError(
        f"{shown!r} holds no saved result (its schema is {schema!r}; known are "
        f"{', '.join(known)}). Trials are read by condped.read."
    )


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
    data = _read_result(path, tuple(_KINDS))
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
