"""Files that are damaged, gone or changed: refused by name, or left out if the caller says so."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import condped
from condped.errors import DataError
from tests.count.table_chunks import reference
from tests.read.stream.files import (
    SPACE,
    as_csv,
    as_parquet,
    count_all,
    opened,
    same,
    tally,
    trials,
)


def _three_files(folder: Path) -> Path:
    for number in range(3):
        pq.write_table(
            trials(200, seed=number), folder / f"{number}.parquet", row_group_size=80,
            write_page_checksum=True, compression="none",
        )  # fmt: skip
    return folder / "1.parquet"


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flip_a_bit(path: Path) -> None:
    """Damage the last data page of the column x."""
    footer = pq.ParquetFile(path).metadata
    column = footer.row_group(2).column(footer.schema.names.index("x"))
    content = bytearray(path.read_bytes())
    start = column.dictionary_page_offset or column.data_page_offset
    content[start + column.total_compressed_size - 2] ^= 4
    path.write_bytes(bytes(content))


def _be_another(path: Path) -> None:
    path.write_text("loss,x\n1,2\n", encoding="utf-8")


def _misspell_a_column(path: Path) -> None:
    """Give a column a name that is no UTF-8."""
    table = pq.read_table(path).rename_columns({"x": "größe"})
    pq.write_table(table, path, store_schema=False)
    path.write_bytes(path.read_bytes().replace("größe".encode(), b"gr\xff\xff\xffe"))


@pytest.mark.parametrize("damage", [_cut, _flip_a_bit, _be_another, _misspell_a_column])
def test_a_damaged_file_is_named_or_left_out(damage: object, tmp_path: Path) -> None:
    """One bad file among others is an error with its name; skipped, it is gone from every pass."""
    assert callable(damage)
    bad = _three_files(tmp_path)
    damage(bad)
    source = str(tmp_path / "*.parquet")
    with pytest.raises(DataError, match=r"The file '.*1\.parquet' cannot be read: "):
        count_all(opened(source))
    stream = opened(source, skip_corrupt=True)
    told = tally(stream).notes
    assert any(note.startswith("1 of 3 files cannot be read and were left out.") for note in told)
    assert "2 files were read together." in told
    bad.unlink()
    same(stream, reference(condped.read(source, objective="loss", space=SPACE)))


def test_a_single_file_is_never_left_out(tmp_path: Path) -> None:
    """There would be nothing to count."""
    source = as_parquet(tmp_path, trials(100))
    _cut(Path(source))
    with pytest.raises(DataError, match="cannot be read"):
        opened(source, skip_corrupt=True)


def test_a_cut_csv_is_named_or_left_out(tmp_path: Path) -> None:
    """A compressed CSV file that ends too early is noticed when its end is reached."""
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pa.CompressedOutputStream(str(tmp_path / f"{number}.csv.gz"), "gzip") as file:
            file.write(Path(as_csv(folder, trials(500, seed=number))).read_bytes())
    _cut(tmp_path / "1.csv.gz")
    source = str(tmp_path / "*.csv.gz")
    with pytest.raises(DataError, match=r"The file '.*1\.csv\.gz' cannot be read: "):
        count_all(opened(source))
    stream = opened(source, skip_corrupt=True)
    memory = condped.read(source, objective="loss", space=SPACE, skip_corrupt=True)
    same(stream, reference(memory))
    assert tally(stream).notes == memory.notes


@pytest.mark.parametrize("write", [as_parquet, as_csv])
def test_a_file_that_goes_or_changes_between_passes_is_refused(
    write: object, tmp_path: Path
) -> None:
    """What two passes count must be the same rows."""
    assert callable(write)
    source = Path(write(tmp_path, trials(300)))
    counter = opened(source)
    tally(counter)
    os.utime(source, ns=(1, 1))
    with pytest.raises(DataError, match=r"The file '.*' has changed since reading began"):
        count_all(counter)
    source.unlink()
    with pytest.raises(DataError, match=r"The file '.*' cannot be read any more: No such file"):
        count_all(counter)


def test_nothing_stays_open(tmp_path: Path) -> None:
    """After a pass, whether it went well or not, no file is open and no thread is left."""
    pa.array([1])  # whatever pyarrow opens for itself is open now
    source = as_parquet(tmp_path, trials(300))
    threads = threading.active_count()
    counter = opened(source)
    count_all(counter)
    with pytest.raises(DataError):
        count_all(opened(source, objective="learner"))
    fds = Path("/proc/self/fd")
    if fds.is_dir():
        held = [str(fd.readlink()) for fd in fds.iterdir() if fd.is_symlink()]
        assert not [path for path in held if path.startswith(str(tmp_path))]
    assert threading.active_count() == threads
