"""Command lines: real commands and options with hostile values, in this process."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path
from random import Random
from typing import Any

import click

from condped.cli import main
from condped.cli.app import app
from fuzz import mutate
from fuzz.door import DiffersError, Door, RefusedError
from fuzz.seeds import seed

# Those that do not end by themselves, or write where nobody told them to.
_LEFT_OUT = ("serve", "watch", "mcp", "demo", "completion")
_CODES = {0: "done", 2: "wrong", 4: "held", 5: "undecided"}
_SOURCES = ("trials.csv", "trials.jsonl", "study.db", "sqlite:///study.db", "journal.log",
            "folder", "*.csv",
            "nothing.csv", "result.json", "space.json", "postgresql://u:p@127.0.0.1:1/x",
            "sqlite:///no.db", "trials", "file:folder", "trials.csv?x=1")  # fmt: skip
_READ = ("trials.csv", "trials.jsonl", "sqlite:///study.db", "journal.log", "folder")
_VALUES = ("loss", "p0", "p1", "tuning", "minimize", "maximize", "0.1", "0.5", "2", "-1", "nan",
           "inf", "space.json",
           "p0 > 0.2", "p0 >", "p0=1", "a=p0,p1", "trials.csv", "csv", "drop",
           "duckdb://x.duckdb", "1e400",
           "matters(p0)", "p0 matters", "trials > 5", "undetermined", "paper",
           "calibrated")  # fmt: skip
_OUTPUTS = ("out.json", "out.csv", "out.html", "out.md", "out.tex", "out", "trials.csv",
            "study.db", "folder",
            "space.json", "no/out.json", ".", "-", "out.parquet", "./trials.csv",
            "folder/../study.db",
            "TRIALS.CSV", "x" * 300, "\udcff.json", "link.csv")  # fmt: skip


class Commands(Door):
    """``condped``, called as its script calls it."""

    name = "commands"
    title = "Command lines"
    weight = 1.5
    oracle = "what is read stays as it was"
    batch = 300

    def prepare(self) -> None:
        kept = Path("kept")
        (kept / "folder").mkdir(parents=True)
        rows = "\n".join(f"{row % 5 / 5},{row / 12},{row % 4}" for row in range(12))
        for name in ("trials.csv", "folder/a.csv", "folder/b.csv"):
            (kept / name).write_text(f"loss,p0,p1\n{rows}\n")
        (kept / "trials.jsonl").write_text('{"loss": 1, "p0": 0.5}\n{"loss": 0.5, "p0": 0.1}\n')
        (kept / "space.json").write_text('{"p0": {"type": "float", "low": 0, "high": 1}}')
        (kept / "study.db").write_bytes(seed("optuna")["study.db"])
        (kept / "journal.log").write_bytes(seed("optuna")["journal.log"])
        self.kept = {
            str(path.relative_to(kept)): path.read_bytes()
            for path in kept.rglob("*")
            if path.is_file()
        }
        self.home = Path.cwd()

    def make(self, rng: Random) -> tuple[str, bytes]:
        names = [name for name in sorted(app.commands) if name not in _LEFT_OUT]
        name = rng.choice(names)
        words = [name]
        options = [p for p in app.commands[name].params if isinstance(p, click.Option)]
        sources = sum(isinstance(p, click.Argument) for p in app.commands[name].params)
        if rng.random() < 0.6:
            words += [rng.choice(_READ)] * sources
        else:
            words += [_source(rng) for _ in range(sources + (rng.random() < 0.1))]
        if words[-1].startswith(("trials.", "folder")) and rng.random() < 0.9:
            words += ["--objective", "loss"]
        elif "study" in words[-1] or "journal" in words[-1]:
            words += ["--study", "tuning"]
        if name == "compare" and rng.random() < 0.97:
            words += ["--method", "paper"]  # the libraries of others take seconds to import
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            option = rng.choice(options)
            words.append(rng.choice(option.opts))
            if not option.is_flag or rng.random() < 0.05:
                words.append(_value(rng, option))
        if rng.random() < 0.1:
            words.insert(
                rng.randrange(len(words) + 1),
                rng.choice((*_SAFE, "--", "-", "--help", "-h", "--x")),
            )
        return "condped", json.dumps(words).encode()

    def ask(self, what: str, data: bytes) -> Any:
        words = json.loads(data)
        if not words or any(word in _LEFT_OUT for word in words[:2]):
            return None
        place = self.home / "place"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.home / "kept", place)
        (place / "link.csv").symlink_to("trials.csv")
        import os  # noqa: PLC0415  (only commands need a folder of their own)

        os.chdir(place)
        before = sys.argv, sys.stdout, sys.stderr
        out, error = _stream(), _stream()
        sys.argv, sys.stdout, sys.stderr = ["condped", *words], out, error
        try:
            main()
            code: Any = 0
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.argv, sys.stdout, sys.stderr = before
            os.chdir(self.home)
        if code not in _CODES:
            raise AssertionError(f"exit code {code!r}")
        text = _text(error)
        if "Traceback" in text:
            raise AssertionError(text[-500:])
        self._check_unchanged(place, words)
        if code == 2:
            if not text.strip():
                raise AssertionError("exit code 2 without a word")
            raise RefusedError(text)
        return code

    def _check_unchanged(self, place: Path, words: list[str]) -> None:
        """Raise if a file that a command reads has changed."""
        read = {word.removeprefix("sqlite:///").partition("?")[0] for word in words[1:2]}
        if "folder" in read:
            read |= {"folder/a.csv", "folder/b.csv"}
        for name, data in self.kept.items():
            if name in read and (place / name).read_bytes() != data:
                raise DiffersError(f"{name} was changed by {words}")


# No command line holds a zero byte, or half of a surrogate pair.
_TEXTS = tuple(text for text in mutate.TEXTS if not {"\x00", "\ud800"} & set(text))
_NAMES = (*_TEXTS, "~nobody/x.csv", "~nobody")
# Other words may name an output, which stays in the folder of its own.
_SAFE = tuple(text for text in _TEXTS if "/" not in text and not text.startswith("~"))


def _source(rng: Random) -> str:
    return rng.choice(_SOURCES) if rng.random() < 0.93 else rng.choice(_NAMES)


def _value(rng: Random, option: click.Option) -> str:
    if (
        isinstance(option.type, click.Path)
        or "--output" in option.opts
        or "--parquet" in option.opts
    ):
        return rng.choice(_OUTPUTS)
    if isinstance(option.type, click.Choice) and rng.random() < 0.7:
        return str(rng.choice(list(option.type.choices)))
    return rng.choice(_VALUES) if rng.random() < 0.8 else rng.choice(_SAFE)


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "replace")
