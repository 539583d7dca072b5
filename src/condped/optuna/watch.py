"""A callback for Optuna that reports what matters while a study runs."""

from __future__ import annotations

import logging
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias, Unpack

import numpy as np
from optuna.study import Study
from optuna.trial import FrozenTrial

from condped.analyse.evidence.evidence import Evidence
from condped.analyse.importance.importance import importance
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options
from condped.analyse.values import number_text
from condped.errors import SettingsError
from condped.estimate.looks import looks_until
from condped.options import is_whole_number, takes
from condped.read import read
from condped.read.options import Reading
from condped.safe_text import brief, shortened
from condped.trials.table import State, TrialTable

Out: TypeAlias = logging.Logger | Callable[[ImportanceResult], object] | None
# Share of the study's time that the numbers may take, and likewise the tests; 2 % in all.
_SHARE = 0.01
# Seconds that they are assumed to take before they have been timed: the numbers, per look and per
# trial; the test, per trial and parameter, about the most that replays of a sampler take on one
# core of a laptop.
_LOOK, _LOOK_PER_TRIAL = 0.01, 3e-6
_TEST = 1e-3


class Watch:
    """Report every few trials which parameters matter while a study runs.

    Pass it to ``study.optimize(..., callbacks=[Watch()])``. It takes at most about 2 % of the
    study's time: after a slow look it waits longer before the next one, and it does not look in the
    first second. Verdicts hold however often the study is looked at (``looks="repeated"``); they
    come at scheduled looks, once there is time for the test. Trials of all threads and processes
    that share the study's storage count, including pruned and failed ones. Errors never reach the
    study: if something goes wrong, a warning says so once, and the study continues.

    Parameters
    ----------
    every
        Look again after this many more trials have finished.
    out
        Where to report. ``None``: one line on standard error, like Optuna's own messages; a
        ``logging.Logger``: the same line; a function such as ``print``: called with the
        :class:`~condped.ImportanceResult`, and its time counts as well.
    target_quantile
        γ': the share of trials that counts as good (the target set).
    **options
        Options of :func:`condped.importance`.

    Attributes
    ----------
    result
        The result of the last look; None before the first.

    Examples
    --------
    >>> import optuna
    >>> watch = Watch(every=20, out=lambda result: print(result.to_line()))
    >>> study = optuna.create_study()
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), timeout=2, callbacks=[watch])
    ... # doctest: +SKIP
    x 1.000
    """

    every: int
    out: Out
    result: ImportanceResult | None
    _options: dict[str, Any]
    _reading: Reading
    _warned: bool
    _one_at_a_time: threading.Lock

    @takes(AnalysisOptions, *ANALYSIS)
    def __init__(
        self,
        every: int = 10,
        out: Out = None,
        *,
        target_quantile: float = 0.1,
        **options: Unpack[AnalysisOptions],
    ) -> None:
        """Check the arguments, so that no error occurs while the study runs."""
        if not is_whole_number(every, 1):
            raise SettingsError(
                f"every must be a number of trials, 1 or more (got {brief(every)})."
            )
        if not (out is None or isinstance(out, logging.Logger) or callable(out)):
            raise SettingsError(
                "out must be None, a logging.Logger or a function that takes a result (got "
                f"{out!r})."
            )
        checked = Options.of(importance, options)
        checked.question((target_quantile,))
        self.every = int(every)
        self.out = out
        self.result = None
        self._reading = checked.reading
        own = {name: value for name, value in options.items() if name not in checked.reading}
        self._options = {
            "looks": "repeated", **own, "target_quantile": target_quantile
        }  # fmt: skip
        self._study: weakref.ref[Study] | None = None
        self._about: tuple[str, datetime | None] | None = None
        self._begin_study(0.0)
        self._warned = False
        self._one_at_a_time = threading.Lock()

    def _begin_study(self, started: float) -> None:
        """Forget the previous study; the new one began at this time of the performance counter."""
        self._begun = started
        self._evidence: Evidence | None = None
        self._tested = 0  # trials that the evidence is based on
        self._looked = 0  # finished trials at the last look
        self._look_at = self.every  # the number of trials at which to count again
        self._looking = self._testing = 0.0  # seconds so far
        self._look_took, self._test_takes = _LOOK, _TEST

    def __getstate__(self) -> dict[str, Any]:
        """Return what to pickle for other processes: everything except the lock and the study."""
        left_out = ("_one_at_a_time", "_study")
        return {name: own for name, own in vars(self).items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _one_at_a_time=threading.Lock(), _study=None)

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Look at the study if a look is due; Optuna calls this after each trial."""
        # Other threads continue with their trials meanwhile.
        if not self._one_at_a_time.acquire(blocking=False):
            return
        try:
            if self._is_another(study):
                taken = 0.0 if trial.duration is None else trial.duration.total_seconds()
                self._begin_study(time.perf_counter() - taken)
            # Trials are numbered as they start, so no more than these have finished.
            trials = trial.number + 1
            if trials >= self._look_at and self._has_time(
                self._looking + self._expected_seconds(trials)
            ):
                self._guarded_look(study, trial.number)
        finally:
            self._one_at_a_time.release()

    def _is_another(self, study: Study) -> bool:
        """Return whether a study is not that of the last call.

        Several objects may stand for one study, and several studies may have one name: a study is
        known by its name and the start of its first trial.
        """
        if self._study is not None and self._study() is study:
            return False
        first = study.get_trials(deepcopy=False)[0]
        about = study.study_name, first.datetime_start
        another, self._about = about != self._about, about
        self._study = weakref.ref(study)
        return another

    def _has_time(self, seconds: float) -> bool:
        """Return whether this many seconds are within its share of the study's time."""
        return seconds <= _SHARE * (time.perf_counter() - self._begun)

    def _expected_seconds(self, trials: int) -> float:
        """Return how long a look at this many trials is expected to take."""
        return self._look_took + _LOOK_PER_TRIAL * (trials - self._looked)

    def _guarded_look(self, study: Study, number: int) -> None:
        """Look; a study must not fail because it is being watched."""
        started, tested = time.perf_counter(), self._testing
        try:
            self._look(study, number)
        except Exception as error:
            self._warn(error)
        took = time.perf_counter() - started - (self._testing - tested)
        self._looking += took
        self._look_took = took

    def _look(self, study: Study, number: int) -> None:
        # Optuna keeps finished trials in memory, so that only new ones come from the storage.
        table = read(study, **self._reading)
        finished = table.finished  # of the whole study, as looks are scheduled
        missing = self._looked + self.every - finished
        if missing > 0:  # trials that other threads or processes have not finished yet
            self._look_at = number + 1 + missing
            return
        self._look_at, self._looked = finished + self.every, finished
        self.result = result = importance(table, **self._options)
        self._test(result, table, finished)
        if self.out is None:
            sys.stderr.write(f"condped: {self._line(result, table)}\n")
        elif isinstance(self.out, logging.Logger):
            self.out.info("%s", self._line(result, table))
        else:
            self.out(result)

    def _test(self, result: ImportanceResult, table: TrialTable, finished: int) -> None:
        """Compute the verdicts of scheduled looks, one after the other, as far as there is time.

        What was tested at a look is kept, so that the next one costs only its own trials.
        """
        if not result.has_evidence:
            return
        for look in looks_until(finished):
            cells = look * max(len(result), 1)
            if look <= self._tested:
                continue
            if not self._has_time(self._testing + self._test_takes * cells):
                return
            started = time.perf_counter()
            self._evidence = importance(table.first(look), **self._options).evidence
            self._tested = look
            took = time.perf_counter() - started
            self._test_takes = took / cells
            self._testing += took

    def _line(self, result: ImportanceResult, table: TrialTable) -> str:
        """Return how many trials there are, the best one, and the importances with verdicts."""
        of = ""
        if result.has_evidence:
            tested = self._evidence is not None
            of = f", verdicts as of trial {self._tested}" if tested else ", not tested yet"
        line = result.to_line(evidence=self._evidence)
        return f"{self._looked:,} trials{_best(table)}: {line}{of}."

    def _warn(self, error: Exception) -> None:
        if self._warned:
            return
        self._warned = True
        message = (
            f"Watch: {type(error).__name__}: {error} The study continues; this is reported only "
            "once."
        )
        try:
            warnings.warn(message, stacklevel=4)
        except Warning:  # if warnings are errors, which must not end the study either
            logging.getLogger("condped").warning("%s", message)


def _best(table: TrialTable) -> str:
    """Return the best value as words; empty without one or with several objectives."""
    if len(table.objectives) != 1:
        return ""
    (objective,) = table.objectives
    complete = (table.states == State.COMPLETE) & np.isfinite(objective.losses)
    if table.infeasible is not None:
        complete &= ~table.infeasible
    if not complete.any():
        return ""
    value = objective.values[complete][np.argmin(objective.losses[complete])]
    return f", best {shortened(objective.name)} {number_text(float(value), 5)}"
