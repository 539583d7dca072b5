"""What all results have in common: a text, rows, a frame, plain data, a file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from condped.analyse.saving.plain import plain, rebuilt_dataclass
from condped.errors import SettingsError
from condped.optional import load_optional
from condped.safe_text import brief
from condped.writing.csv_rows import csv_of
from condped.writing.endings import ending_of
from condped.writing.inputs import check_output
from condped.writing.whole_files import write_text

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd


class Presentable:
    """Something that ``print`` and notebooks show, using :mod:`condped.show`."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int | None = None) -> str:
        """Return what ``print`` shows, ``width`` columns wide."""
        text: str = import_module("condped.show.text").text_of(self, width)
        return text

    def to_markdown(self, *, heading: int = 3) -> str:
        """Return what ``print`` shows as Markdown, for issues, summaries of CI jobs and notes.

        Parameters
        ----------
        heading
            The level of the headline, from 1 to 6.

        Examples
        --------
        >>> import condped
        >>> result = condped.importance(condped.problems.get("nested").sample(1000, seed=0))
        >>> for line in result.to_markdown().splitlines()[:4]:
        ...     print(line)
        ### What mattered for reaching the best 10 % of 1000 trials (lowest loss)
        <BLANKLINE>
        | parameter | importance | η² | between | verdict | active as |
        | --- | ---: | ---: | ---: | --- | --- |
        """
        if heading not in range(1, 7):
            raise SettingsError(f"heading must be a level from 1 to 6 (got {brief(heading)}).")
        module = import_module("condped.show.documents.markdown")
        text: str = module.markdown_of(self, heading)
        return text

    def to_latex(
        self, *, caption: str | None = None, label: str | None = None, notes: bool = False
    ) -> str:
        r"""Return the tables for LaTeX; they need the packages array, booktabs and graphicx.

        What must be read before any number, such as ties, is above the tables; all other sentences
        are comments. Letters of other scripts in names need XeLaTeX or LuaLaTeX.

        Parameters
        ----------
        caption
            Plain text; with a caption or a label, the tables become a floating ``table``.
        label
            For ``\ref``.
        notes
            Put the sentences under the tables instead.

        Examples
        --------
        >>> import condped
        >>> result = condped.importance(condped.problems.get("nested").sample(1000, seed=0))
        >>> for line in result.to_latex().splitlines()[-7:-4]:
        ...     print(line)
        x & 0.828 & 0.749 &  & matters & where c0 \textless{} 0.75 and c1 ...
        c1 & 0.131 & 0.119 & 0.143 & matters & where c0 \textless{} 0.75 ...
        c0 & 0.041 & 0.037 & 0.040 & matters & [0, 1] \\
        """
        module = import_module("condped.show.documents.latex")
        text: str = module.latex_of(self, caption, label, notes=notes)
        return text

    def _repr_html_(self) -> str:
        html: str = import_module("condped.show.notebook").html_of(self)
        return html


def check_result(result: object) -> None:
    """Raise unless something is a result of condped."""
    if not isinstance(result, Result):
        raise SettingsError(
            "result must be a condped result, such as condped.importance(study) (got "
            f"{type(result).__name__})."
        )


class Result(Presentable):
    """The result of an analysis.

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

        What would take long to compute, such as the evidence from many trials, is left out.
        """
        return dict(plain({"schema": self.schema, **self._readable()}))

    def _readable(self) -> dict[str, Any]:
        """Return what :meth:`to_data` holds."""
        return self._saved()

    def _row(self, entry: Any, **others: Any) -> dict[str, Any]:
        """Return the columns of one entry, a dataclass; ``others`` are beside its fields."""
        values = {**asdict(entry), **others}
        return {name: values[name] for name in self._columns}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file; the ending of its name decides the format.

        ``.json`` is what :func:`condped.load` reads; for it, what needs the trials, such as the
        evidence, is computed first if necessary. ``.csv`` and ``.parquet`` get :meth:`rows`,
        ``.txt`` what ``print`` shows, ``.md`` the same as Markdown and ``.tex`` its tables for
        LaTeX. An existing file is replaced as a whole, unless trials or a space were read from it.
        """
        check_output(path)
        ending = ending_of(path)
        if ending == ".json":
            # Escaped: names may contain lone surrogates, which cannot be encoded.
            data = plain({"schema": self.schema, **self._saved()})
            write_text(json.dumps(data, allow_nan=False) + "\n", path)
        elif ending == ".parquet":
            module = load_optional(
                "condped.analyse.saving.pyarrow_rows",
                feature="A Parquet file",
                library="pyarrow",
                extra="parquet",
            )
            module.write_rows(self.rows(), self.columns, self.schema, path)
        else:
            write_text(self._text_for(ending), path)

    def _text_for(self, ending: str) -> str:
        if ending == ".csv":
            return self.to_csv()
        if ending == ".md":
            return self.to_markdown()
        return self.to_latex() if ending == ".tex" else f"{self}\n"

    def to_csv(self) -> str:
        """Return :meth:`rows` as comma-separated values with a header."""
        return csv_of(self.rows(), self.columns)

    def _saved(self) -> dict[str, Any]:
        """Return what the result can be rebuilt from."""
        names = [one.name for one in fields(self) if not one.name.startswith("_")]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in names}

    @classmethod
    def _loaded(cls, data: Mapping[str, Any]) -> Self:
        """Return the result that was saved; the inverse of :meth:`_saved`."""
        known = {name: value for name, value in data.items() if name != "schema"}
        made: Self = rebuilt_dataclass(cls, known, cls.__name__)
        return made
