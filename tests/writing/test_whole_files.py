"""Files are written whole or not at all, where people expect them."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import condped
from condped.errors import DataError, SettingsError
from condped.writing import whole_files
from condped.writing.whole_files import append_text, whole_file, write_text


@pytest.fixture(scope="module", name="result")
def _result() -> condped.ImportanceResult:
    return condped.importance(condped.problems.get("nested").sample(100, seed=0))


def test_a_pipe_is_written_to_and_stays(result: condped.ImportanceResult, tmp_path: Path) -> None:
    """Who reads from it gets the result."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text("utf-8")), daemon=True)
    reader.start()
    result.save(pipe)
    reader.join(10)
    assert got == [result.to_csv()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe.csv"]


def test_a_device_is_written_to_and_stays(result: condped.ImportanceResult, tmp_path: Path) -> None:
    """A terminal, through a link, which is one afterwards, too."""
    leader, terminal = os.openpty()
    link = tmp_path / "terminal.csv"
    link.symlink_to(os.ttyname(terminal))
    result.save(link)
    assert os.read(leader, 100_000).replace(b"\r\n", b"\n").decode() == result.to_csv()
    assert link.is_symlink()
    assert stat.S_ISCHR(link.stat().st_mode)
    for end in (leader, terminal):
        os.close(end)


def test_an_open_file_gets_what_is_written_after_what_it_holds(tmp_path: Path) -> None:
    """As /dev/stdout is one: what is printed before and after stands around it in the file."""
    code = (
        "import sys\nfrom condped.writing.whole_files import write_text\n"
        "print('before', flush=True)\nwrite_text('result\\n', sys.argv[1])\n"
        "print('after', flush=True)\n"
    )
    stdout = tmp_path / "stdout"  # not the system's own, which an error might replace
    stdout.symlink_to("/proc/self/fd/1")
    with (tmp_path / "out.txt").open("ab") as out:
        subprocess.run([sys.executable, "-c", code, stdout], stdout=out, check=True)
    assert (tmp_path / "out.txt").read_text() == "before\nresult\nafter\n"
    assert stdout.is_symlink()


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_leads_to_the_new_file(
    result: condped.ImportanceResult, there: bool, tmp_path: Path
) -> None:
    """Also over several links, and where the file does not exist yet."""
    target, link, outer = tmp_path / "a" / "r.csv", tmp_path / "r.csv", tmp_path / "b" / "out.csv"
    target.parent.mkdir()
    outer.parent.mkdir()
    if there:
        target.write_text("old")
    link.symlink_to("a/r.csv")
    outer.symlink_to(link)
    result.save(outer)
    assert (link.is_symlink(), outer.is_symlink()) == (True, True)
    assert target.read_text("utf-8") == result.to_csv()
    assert [file.name for file in target.parent.iterdir()] == ["r.csv"]


def test_other_names_of_a_file_keep_what_they_had(
    result: condped.ImportanceResult, tmp_path: Path
) -> None:
    """A hard link is another name: the result is under one of them only."""
    (tmp_path / "kept.csv").write_text("old")
    (tmp_path / "r.csv").hardlink_to(tmp_path / "kept.csv")
    result.save(tmp_path / "r.csv")
    assert (tmp_path / "kept.csv").read_text() == "old"
    assert (tmp_path / "r.csv").read_text("utf-8") == result.to_csv()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_permissions_stay(result: condped.ImportanceResult, mode: int, tmp_path: Path) -> None:
    """Those of the file that is replaced, whatever the umask is."""
    file = tmp_path / "r.json"
    file.write_text("old")
    file.chmod(mode)
    result.save(file)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert condped.load(file) == result


def test_new_files_obey_the_umask(tmp_path: Path) -> None:
    """Of the process that writes them."""
    for mask in (0o022, 0o077, 0o002):
        before = os.umask(mask)
        try:
            write_text("x", tmp_path / f"{mask}.txt")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / f"{mask}.txt").stat().st_mode) == 0o666 & ~mask


def test_attributes_stay(tmp_path: Path) -> None:
    """Access control lists are such attributes."""
    file = tmp_path / "r.txt"
    file.write_text("old")
    try:
        os.setxattr(file, "user.condped", b"kept")
    except OSError:
        pytest.skip("This file system keeps no attributes.")
    write_text("new", file)
    assert os.getxattr(file, "user.condped") == b"kept"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Make a directory that every user reaches and may write to; those of pytest are its user's."""
    with TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o777)
        yield Path(name)


def test_what_a_user_may_not_write_is_not_replaced(open_folder: Path) -> None:
    """Although a new file could be made in the directory; the owner stays if it may be kept."""
    if os.getuid() != 0:
        pytest.skip("Only root can become another user.")
    own, foreign = open_folder / "own.txt", open_folder / "foreign.txt"
    for file in (own, foreign):
        file.write_text("old")
    os.chown(own, 65534, 65534)
    write_text("by root", own)
    assert (own.stat().st_uid, own.stat().st_gid) == (65534, 65534)
    code = (
        "import os, sys\nfrom condped.writing.whole_files import write_text\n"
        "write_text('old', sys.argv[1])\n"  # so that all modules are there, which may be root's own
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "write_text('new', sys.argv[1])\n"
        "try:\n    write_text('new', sys.argv[2])\n"
        "except PermissionError as error:\n    print(error.filename)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, own, foreign], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{foreign}\n"
    assert (own.read_text(), foreign.read_text()) == ("new", "old")
    assert len(list(open_folder.iterdir())) == 2


def test_a_link_that_waits_beside_the_file_is_not_followed(
    result: condped.ImportanceResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although it has the name of the part, which nobody can guess; what lies there stays."""
    monkeypatch.setattr(whole_files, "token_hex", lambda size: "0" * 2 * size)
    victim, free = tmp_path / "victim", tmp_path / "free"
    victim.write_text("precious")
    link = tmp_path / f".condped-{'0' * 16}.part"
    for end in (victim, free):
        link.symlink_to(end)
        for name in ("r.json", "r.csv", "r.parquet"):
            with pytest.raises(FileExistsError):
                result.save(tmp_path / name)
            assert not (tmp_path / name).exists()
            assert link.readlink() == end
        link.unlink()
    assert victim.read_text() == "precious"
    assert not free.exists()


def test_threads_that_write_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Each time there is what one of them wrote, and in the end nothing else."""
    file = tmp_path / "r.csv"
    results = [
        condped.importance(condped.problems.get("nested").sample(100, seed=seed))
        for seed in range(2)
    ]
    known = {result.to_csv() for result in results}
    failed: list[BaseException] = []

    def write(result: condped.ImportanceResult) -> None:
        try:
            for _ in range(50):
                result.save(file)
                assert file.read_text("utf-8") in known
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(result,)) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert [one.name for one in tmp_path.iterdir()] == ["r.csv"]


WRITER = """
import sys
from condped.writing.whole_files import write_text
for count in range(10**9):
    write_text(sys.argv[2] * (200_000 + count % 7) + "\\n", sys.argv[1])
    if count == 0:
        print("writing", flush=True)
"""


def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    """Of two processes that write the same file, one after the other is killed at some moment."""
    file, moments = tmp_path / "r.txt", random.Random(0)

    def start(letter: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", WRITER, str(file), letter]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        return process

    def check() -> None:
        text = file.read_text()
        assert len(set(text[:-1])) == 1
        assert text[0] in "ab"
        assert 200_000 < len(text) <= 200_007
        assert text[-1] == "\n"

    other = start("b")
    try:
        for _ in range(6):
            killed = start("a")
            time.sleep(moments.uniform(0, 0.05))
            killed.send_signal(signal.SIGKILL)
            killed.communicate()
            check()
    finally:
        other.kill()
        other.communicate()
    check()
    parts = [one.name for one in tmp_path.iterdir() if one != file]
    assert len(parts) <= 7
    assert all(name.startswith(".condped-") and name.endswith(".part") for name in parts)


def test_what_is_written_is_synchronised_before_it_takes_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the file, under its own name while the old one stands, then the directory."""
    file = tmp_path / "r.txt"
    file.write_text("old")
    seen: list[tuple[bool, str]] = []
    monkeypatch.setattr(
        os,
        "fsync",
        lambda fd: seen.append((stat.S_ISDIR(os.fstat(fd).st_mode), file.read_text())),
    )
    write_text("new", file)
    assert seen == [(False, "old"), (True, "new")]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_exception_leaves_the_old_file_and_nothing_else(
    error: type[BaseException], tmp_path: Path
) -> None:
    """Whatever it is, in the middle of writing."""
    file = tmp_path / "r.txt"
    file.write_text("old")

    def write() -> None:
        with whole_file(file) as out:
            out.write(b"half")
            raise error

    with pytest.raises(error):
        write()
    assert file.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["r.txt"]


def _directory(folder: Path) -> Path:
    (folder / "d.json").mkdir()
    return folder / "d.json"


def _in_a_loop(folder: Path) -> Path:
    (folder / "loop.json").symlink_to("loop.json")
    return folder / "loop.json"


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "null": (lambda folder: f"{folder}/a\0.json", "contains a character that no file system"),
    "surrogate": (lambda folder: f"{folder}/\ud800.json", "contains a character that no file"),
    "empty": (lambda _: "", "is empty"),
    "here": (lambda _: ".", "must end in|is a directory"),
    "directory": (_directory, "a directory"),
    "long": (lambda folder: folder / f"{'n' * 300}.json", "File name too long"),
    "loop": (_in_a_loop, "symbolic links"),
    "object": (lambda _: 7, "object of type int"),
    "stream": (lambda _: sys.stdout, "Give a string or a pathlib.Path"),
    "nowhere": (lambda folder: folder / "no" / "r.json", "no directory .* to write 'r.json'"),
    "file": (lambda folder: Path(__file__) / "r.json", "no directory"),
}


@pytest.mark.parametrize("name", BAD)
def test_names_that_no_file_can_have_are_refused(
    name: str, result: condped.ImportanceResult, tmp_path: Path
) -> None:
    """By results and reports, with a message that shows the name."""
    made, message = BAD[name]
    path = made(tmp_path)
    before = sorted(tmp_path.iterdir())
    with pytest.raises((SettingsError, DataError), match=message):
        result.save(path)  # type: ignore[arg-type]
    assert sorted(tmp_path.iterdir()) == before


def test_names_that_are_no_utf_8_are_taken(
    result: condped.ImportanceResult, tmp_path: Path
) -> None:
    """File systems take any bytes."""
    path = tmp_path / os.fsdecode(b"r\xff\xfe.json")
    result.save(path)
    assert condped.load(path) == result
    assert os.listdir(os.fsencode(tmp_path)) == [b"r\xff\xfe.json"]  # noqa: PTH208


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """The error names the file that was to be written."""
    file = tmp_path / "r.txt"
    file.write_text("old")
    code = (
        "import resource, signal, sys\nfrom condped.writing.whole_files import write_text\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n    write_text('x' * 10_000, sys.argv[1])\n"
        "except OSError as error:\n    print(error.filename)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, file], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{file}\n"
    assert file.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["r.txt"]


def test_halves_of_letters_are_written_as_their_codes(tmp_path: Path) -> None:
    """They come from file names that are no UTF-8, and no encoding has bytes for them."""
    source = {"loss": [float(n % 17) for n in range(100)], "p\udcff": list(range(100))}
    result = condped.importance(source, objective="loss")
    for ending in (".csv", ".md", ".tex", ".txt", ".parquet"):
        result.save(tmp_path / f"r{ending}")
    assert "p\\udcff" in (tmp_path / "r.csv").read_text("utf-8")
    assert b"p\\udcff" in (tmp_path / "r.parquet").read_bytes()
    result.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert condped.load(tmp_path / "r.json") == result


def test_texts_are_added_at_the_end(tmp_path: Path) -> None:
    """To a file that is there, or to a new one; a link stays one."""
    file, link = tmp_path / "summary.md", tmp_path / "link.md"
    link.symlink_to(file)
    for text in ("one\n", "two \udcff\n"):
        append_text(text, link)
    assert file.read_text("utf-8") == "one\ntwo \\udcff\n"
    assert link.is_symlink()
    with pytest.raises(SettingsError, match="is a directory"):
        append_text("x", tmp_path)
