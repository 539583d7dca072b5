"""What all results have in common: a text, rows, a frame, plain data, a file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from csv import DictWriter
from dataclasses import fields
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar

from condped.analyse.saving.files import write_whole
from condped.analyse.saving.plain import plain, rebuilt_dataclass
from condped.optional import load_optional
from condped.writing import ending_of

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd


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
