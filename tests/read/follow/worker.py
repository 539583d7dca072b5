"""A worker of a study: runs some trials for each line that it is sent, and answers.

Run as ``python -m tests.read.follow.worker STORAGE STUDY SEED``; a line is a number of trials.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import optuna
from optuna.storages.journal import JournalFileBackend

from tests.read.optuna.studies import conditional


def storage_at(place: str) -> str | optuna.storages.BaseStorage:
    """Return what Optuna takes for a URL, or for the path of a journal."""
    if "://" in place:
        return place
    return optuna.storages.JournalStorage(JournalFileBackend(place))


@dataclass
class Worker:
    """A process that runs trials of a study."""

    process: subprocess.Popen[str]

    def start(self, trials: int) -> None:
        """Let it run so many trials."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{trials}\n")
        self.process.stdin.flush()

    def wait(self) -> None:
        """Wait until it has done what it was told."""
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "done\n"


@contextmanager
def running_worker(place: str, study: str, seed: int) -> Iterator[Worker]:
    """Run a worker in a process of its own."""
    command = [sys.executable, "-m", "tests.read.follow.worker", place, study, str(seed)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Worker(process)
        finally:
            process.stdin.close()  # type: ignore[union-attr]
            process.wait(timeout=60)


def _work(place: str, name: str, seed: int) -> None:
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=5)
    study = optuna.load_study(study_name=name, storage=storage_at(place), sampler=sampler)
    for line in sys.stdin:
        for _ in range(int(line)):
            # Optuna may give a trial that was enqueued to two workers: the second cannot end it.
            with suppress(ValueError, optuna.exceptions.UpdateFinishedTrialError):
                study.optimize(conditional, n_trials=1, catch=(ArithmeticError,))
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
