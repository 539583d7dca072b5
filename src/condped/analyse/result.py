"""What all results have in common: rows, a frame, plain data, a file, a text."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from csv import DictWriter
from dataclasses import fields
from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar

from condped.analyse.saving.files import write_result, write_whole
from condped.analyse.saving.plain import plain, rebuilt_dataclass
from condped.optional import load_optional
from condped.presentable import Presentable
from condped.writing import ending_of

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd


class Result(Presentable):
    """Something that an analysis found.

    ``print`` shows a summary, a notebook a table, :meth:`rows` and :meth:`to_frame` give the
    numbers, :meth:`save` writes a file that :func:`condped.load` reads.
    """

    schema: ClassVar[str]  # of plain data, with a version

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of :meth:`rows`."""
        raise NotImplementedError

    def rows(self) -> list[dict[str, Any]]:
        """Return flat records."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return :meth:`rows` as a pandas frame."""
        return frame(self.rows(), self.columns)

    def to_data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, under a schema with a version."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result into a file, in the form that its name ends in.

        From ``.json`` :func:`condped.load` returns it; what only the trials can tell, such as the
        evidence, is found first if it is not known yet. ``.csv`` and ``.parquet`` get
        :meth:`rows`, ``.txt`` what ``print`` shows. A file that is there is replaced as a whole.
        """
        ending = ending_of(path)
        if ending == ".json":
            write_result({"schema": self.schema, **self._saved()}, path)
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
        found = {one.name: plain(getattr(self, one.name)) for one in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in found.items() if not name.startswith("_")}

    @classmethod
    def _loaded(cls, data: Mapping[str, Any]) -> Self:
        """Return the result that was saved; the opposite of :meth:`_saved`."""
        known = {name: value for name, value in data.items() if name != "schema"}
        made: Self = rebuilt_dataclass(cls, known, cls.__name__)
        return made


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return records as a pandas frame, if pandas is installed."""
    module = load_optional(
        "condped.analyse.pandas", feature="to_frame()", library="pandas", extra="pandas"
    )
    return module.frame_of(rows, columns)
