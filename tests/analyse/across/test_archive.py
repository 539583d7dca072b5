"""One table with the trials of many studies, wherever it is, gives what each study gives alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import condped
from condped.errors import DataError, NameNotFoundError, SettingsError
from condped.read.options import Engine
from condped.trials import by_study
from tests.analyse.across.archives import (
    READING,
    SPACE,
    Archive,
    across_numbers,
    archive,
    single_numbers,
)
from tests.servers import ray as ray_servers
from tests.servers import spark as spark_servers
from tests.servers.spark import Sparks

ARCHIVE = archive()
# Rows lie in any order; their numbers tell the order of time.
GIVEN: dict[str, Any] = {**READING, "space": SPACE, "order": "trial"}
ASKED: dict[str, Any] = {**GIVEN, "study_column": "study"}


@pytest.fixture(scope="module")
def expected() -> dict[tuple[str, str], Any]:
    """Return what importance says of each study alone."""
    return single_numbers(ARCHIVE.studies(), **GIVEN)


def _mapping(table: pa.Table) -> dict[str, list[Any]]:
    return {name: table[name].to_pylist() for name in table.column_names}


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "mapping", "records", "lazy"])
def test_frames_in_memory(expected: dict[tuple[str, str], Any], kind: str) -> None:
    """The column of studies is no parameter, and each study is what its rows alone are."""
    table = ARCHIVE.table
    if kind == "pandas":
        source: Any = table.to_pandas()
    elif kind in ("polars", "lazy"):
        polars = pytest.importorskip("polars")
        source = polars.from_arrow(table)
        source = source.lazy() if kind == "lazy" else source
    else:
        source = {"arrow": table, "mapping": _mapping(table), "records": table.to_pylist()}[kind]
    found = condped.across(source, **ASKED)
    assert across_numbers(found) == expected
    assert not any("study" in cell.parameter for cell in found.cells)


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "folder"])
def test_files(
    tmp_path: Path, expected: dict[tuple[str, str], Any], kind: str, engine: Engine
) -> None:
    """Read whole, or in batches by threads; also a folder of parts with studies in all of them."""
    path, table = tmp_path / f"all.{kind}", ARCHIVE.table
    if kind == "csv":
        pa.csv.write_csv(table, path)
    elif kind == "parquet":
        pq.write_table(table, path, row_group_size=37)
    elif kind == "jsonl":
        if engine == "stream":
            pytest.skip("JSON lines are read whole")
        path.write_text(table.to_pandas().to_json(orient="records", lines=True), encoding="utf-8")
    else:
        path.mkdir()
        for number in range(3):
            pq.write_table(table.slice(number * 100, 100), path / f"{number}.parquet")
    assert across_numbers(condped.across(path, engine=engine, **ASKED)) == expected


def _write_duckdb(table: pa.Table, folder: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    place = folder / "all.duckdb"
    with duckdb.connect(str(place)) as connection:
        connection.register("trials", table)
        connection.execute("CREATE TABLE archive AS SELECT * FROM trials")
    return place


def test_a_table_of_duckdb(tmp_path: Path, expected: dict[tuple[str, str], Any]) -> None:
    """By its name in a backend."""
    backend = f"duckdb://{_write_duckdb(ARCHIVE.table, tmp_path)}"
    assert across_numbers(condped.across("archive", backend=backend, **ASKED)) == expected
    unordered = {name: value for name, value in ASKED.items() if name != "order"}
    with pytest.raises(SettingsError, match=r"come in any order.*Set order"):
        condped.across("archive", backend=backend, **unordered)


def test_a_frame_of_spark(all_sparks: Sparks, expected: dict[tuple[str, str], Any]) -> None:
    """Collected by Spark's workers."""
    frame = spark_servers.put(all_sparks.running(), ARCHIVE.table)
    assert across_numbers(condped.across(frame, **ASKED)) == expected


@pytest.mark.usefixtures("ray_workers")
def test_a_dataset_of_ray(expected: dict[tuple[str, str], Any]) -> None:
    """Collected by Ray's workers."""
    assert across_numbers(condped.across(ray_servers.put(ARCHIVE.table), **ASKED)) == expected


@pytest.mark.parametrize("most", [1, 600, 900])
def test_more_studies_than_fit_into_memory(
    tmp_path: Path,
    expected: dict[tuple[str, str], Any],
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Several waves, or every study left where it is, give the same numbers."""
    monkeypatch.setattr(by_study, "VALUES_AT_A_TIME", most)
    pq.write_table(ARCHIVE.table, tmp_path / "all.parquet", row_group_size=50)
    found = condped.across(tmp_path / "all.parquet", engine="stream", **ASKED)
    assert across_numbers(found) == expected


def test_rows_of_studies_stay_in_their_order(tmp_path: Path) -> None:
    """Without a column for it, the order of the rows is that of time, in memory and in batches."""
    table = ARCHIVE.table.sort_by([("trial", "ascending")])  # studies take turns
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=50)
    given = {**READING, "space": SPACE, "sampling": "ordered"}
    expected = single_numbers(Archive(table).studies(), **given)
    engines: tuple[Engine, ...] = ("memory", "stream")
    for engine in engines:
        found = condped.across(
            tmp_path / "all.parquet", study_column="study", engine=engine, **given
        )
        assert across_numbers(found) == expected


def test_very_many_studies_are_not_replayed() -> None:
    """Their trials are compared within stretches of time, as those of counted sources are."""
    table = archive(60, 30, mixed=False).table
    found = condped.across(table, study_column="study", objective="loss", space=SPACE)
    assert len(found.studies) == 60
    assert all("of so many studies are not replayed" in one.sampling for one in found.studies)
    few = condped.across(
        table.filter(pc.field("study") < "data-03"),
        study_column="study",
        objective="loss",
        space=SPACE,
    )
    assert not any("so many studies" in one.sampling for one in few.studies)


def test_an_archive_forgets_its_trials(tmp_path: Path) -> None:
    """Results of studies read in waves keep counts, and can still show what they say."""
    pq.write_table(ARCHIVE.table, tmp_path / "all.parquet")
    found = condped.across(tmp_path / "all.parquet", engine="stream", **ASKED)
    single = found.result("data-01")
    assert single._analysis is not None
    assert single._analysis.counts.trials is None
    assert str(single).startswith("What mattered")
    assert single.evidence["rate"].verdict


def test_a_pattern_chooses_studies(expected: dict[tuple[str, str], Any]) -> None:
    """By the values of the column."""
    found = condped.across(ARCHIVE.table, study="data-0[12]", **ASKED)
    assert {one.name for one in found.studies} == {"data-01", "data-02"}
    chosen = {key: value for key, value in expected.items() if key[0] in ("data-01", "data-02")}
    assert across_numbers(found) == chosen


@pytest.mark.parametrize("way", ["memory", "stream", "duckdb"])
def test_conditions_and_chosen_parameters_hold_in_each_study(tmp_path: Path, way: str) -> None:
    """As for single studies; one in which no trial meets the condition is noted."""
    table = ARCHIVE.table
    never = pc.and_(pc.equal(table["study"], "data-02"), pc.equal(table["model"], "tree"))
    some = Archive(table.filter(pc.invert(never)))
    given = {**GIVEN, "where": "model == 'tree'", "parameters": ["depth", "rate"]}
    if way == "duckdb":
        source = "archive"
        given["backend"] = f"duckdb://{_write_duckdb(some.table, tmp_path)}"
    else:
        source = str(tmp_path / "all.parquet")
        given["engine"] = way
        pq.write_table(some.table, source)
    found = condped.across(source, study_column="study", **given)
    others = {name: own for name, own in some.studies().items() if name != "data-02"}
    alone = {name: value for name, value in given.items() if name not in ("backend", "engine")}
    assert across_numbers(found) == single_numbers(others, **alone)
    assert {one.name: one.trials for one in found.studies}["data-02"] == 0
    assert any("No conclusion is possible for the study data-02" in note for note in found.notes)


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_what_a_study_does_not_have_is_missing_there(tmp_path: Path, engine: Engine) -> None:
    """A column without any value in a study is no parameter of it."""
    table = ARCHIVE.table
    never = pc.equal(table["study"], "data-02")
    rate = pc.if_else(never, pa.scalar(None, pa.float64()), table["rate"])
    table = table.set_column(table.column_names.index("rate"), "rate", rate)
    pq.write_table(table, tmp_path / "all.parquet")
    found = condped.across(tmp_path / "all.parquet", engine=engine, **ASKED)
    missing = {one.name: one.missing for one in found.studies}
    assert missing == {**dict.fromkeys(ARCHIVE.names, ()), "data-02": ("rate",)}
    assert "rate is a parameter of 3 of 4 studies." in found.notes


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_rows_without_a_study_are_counted(tmp_path: Path, engine: Engine) -> None:
    """They belong nowhere, and that is said."""
    names = pa.array([None if n % 50 == 0 else s for n, s in enumerate(ARCHIVE.table["study"])])
    table = ARCHIVE.table.set_column(0, "study", names.cast(pa.string()))
    pq.write_table(table, tmp_path / "all.parquet")
    found = condped.across(tmp_path / "all.parquet", engine=engine, **ASKED)
    rows = table["study"].null_count
    assert sum(one.trials for one in found.studies) == len(table) - rows
    assert f"{rows} rows have no value in the study column 'study' and count in no study." in (
        found.notes
    )


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_names_of_studies_in_csv_stay_texts(tmp_path: Path, engine: Engine) -> None:
    """01 is another study than 1, and NA is a name like any other."""
    names = {"data-00": "01", "data-01": "1", "data-02": "NA", "data-03": "1.0"}
    table = ARCHIVE.table.set_column(
        0, "study", pa.array([names[one] for one in ARCHIVE.table["study"].to_pylist()])
    )
    pa.csv.write_csv(table, tmp_path / "all.csv")
    found = condped.across(tmp_path / "all.csv", engine=engine, **ASKED)
    assert {one.name for one in found.studies} == set(names.values())


def test_numbers_are_names_of_studies(expected: dict[tuple[str, str], Any]) -> None:
    """Whole numbers read as such, also where floats hold them."""
    codes = np.array([int(one[-2:]) for one in ARCHIVE.table["study"].to_pylist()])
    for kind in (np.int64, np.float64):
        table = ARCHIVE.table.set_column(0, "study", pa.array(codes.astype(kind)))
        found = across_numbers(condped.across(table, **ASKED))
        assert found == {(str(int(study[-2:])), p): v for (study, p), v in expected.items()}


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"study_column": "dataset"}, NameNotFoundError, "no study column 'dataset'.*'study'"),
        ({"study_column": 3}, SettingsError, "name of a column"),
        ({"study": "x*"}, NameNotFoundError, "no study 'x\\*'.*data-00"),
        ({"study_column": "rate"}, DataError, "'rate' is both a parameter"),
    ],
)
def test_bad_study_columns_are_refused(
    change: dict[str, Any], error: type[Exception], said: str
) -> None:
    """With what there is instead."""
    with pytest.raises(error, match=said):
        condped.across(ARCHIVE.table, **{**ASKED, **change})


def test_the_objective_tells_no_studies_apart() -> None:
    """Each value would be a study of its own."""
    with pytest.raises(SettingsError, match="'loss' is the objective"):
        condped.across(ARCHIVE.table, study_column="loss", **READING)


def test_a_column_without_any_study_is_refused() -> None:
    """Rather than compare nothing."""
    table = ARCHIVE.table.set_column(0, "study", pa.nulls(len(ARCHIVE.table), pa.string()))
    with pytest.raises(DataError, match=r"study column 'study' is empty"):
        condped.across(table, **ASKED)
