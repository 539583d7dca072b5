"""p-values that hold however often a running study is looked at.

At scheduled looks, the trials that had finished by then are tested as the study that they were.
Nothing is kept between calls except a cache of tests that the same trials would give again.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from condped.analyse.evidence.sampling import SamplingDecision
from condped.analyse.evidence.significance import Significance
from condped.arrays import FloatArray
from condped.count.counts import StudyCounts
from condped.count.ranking import ranked
from condped.errors import SettingsError
from condped.estimate.looks import FIRST_LOOK, look_weights, looks_until, over_looks
from condped.space.domain import Domain
from condped.trials.batch import Batch
from condped.trials.table import State, TrialTable

if TYPE_CHECKING:  # it imports this module
    from condped.analyse.importance.set_counts import SetTrials

TOO_EARLY = f"fewer than {FIRST_LOOK} trials have finished, too few for a first look"
NO_TIMES = (
    "the rows are sorted by the objective, so which trials came first is not known. Set order to a "
    "column with the trials' numbers, or looks to 'once'"
)
_MOST = 1_024  # tests in the cache, of all studies
_look_tests: OrderedDict[Hashable, LookTest] = OrderedDict()
_lock = Lock()
_prefixes: WeakKeyDictionary[TrialTable, dict[int, TrialTable]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class LookTest:
    """The test at one look.

    Attributes
    ----------
    parameters
        (T,) p-values by name.
    regimes
        The same by name and domain.
    bias
        (T,) by name and domain: what the sampler alone gives; None for nothing.
    """

    parameters: Mapping[str, FloatArray]
    regimes: Mapping[tuple[str, Domain | None], FloatArray]
    bias: Mapping[tuple[str, Domain | None], FloatArray] | None
    decision: SamplingDecision


@dataclass(frozen=True, slots=True, eq=False)
class LookTests:
    """The tests of all looks.

    Attributes
    ----------
    looks
        Finished trials at each.
    p_values
        (looks, T, P): at each look by itself; NaN if not testable then.
    significance
        What all looks say together.
    """

    looks: tuple[int, ...]
    p_values: FloatArray
    significance: Significance


def prefix_of(table: TrialTable, finished: int) -> TrialTable:
    """Return the trials that finished first; selections of one study share their replays."""
    whole = table.study
    if finished >= len(whole):  # nothing else has begun
        return table
    kept = _prefixes.setdefault(whole, {})
    if finished not in kept:
        kept[finished] = whole.first(finished)
    early = kept[finished]
    return early if table.whole is None else replace(table.first(finished), whole=early)


def scheduled(own: SetTrials) -> tuple[int, ...]:
    """Return the looks, in finished trials, that a study has reached."""
    table = own.given.in_memory
    if table is None or own.given.only_counted:
        raise SettingsError(
            "looks='repeated' needs the trials in memory, to test them as they were at earlier "
            "times; these are only counted. Set engine to 'memory' if they fit, or looks to 'once'."
        )
    looks = looks_until(table.finished)
    if looks and own.top.sorted_by_objective and not _has_end_times(table):
        return ()  # without an order, the test would change with every number of trials
    return looks


def _has_end_times(table: TrialTable) -> bool:
    """Return whether the end times of all of the study's finished trials are recorded."""
    whole = table.study
    ended = whole.states != State.RUNNING
    return whole.times is not None and bool(np.isfinite(whole.times.ended[ended]).all())


def known_look(own: SetTrials, test: Callable[[], LookTest]) -> LookTest:
    """Return the test of one look's trials, from the cache if the same were tested before."""
    settings = replace(own.settings, method="paper")
    sets = own.quantiles, own.top.cutoffs.tobytes(), own.top.region
    key = _fingerprint(own), sets, own.handling, settings
    with _lock:
        if key in _look_tests:
            _look_tests.move_to_end(key)
            return _look_tests[key]
    found = test()
    with _lock:
        _look_tests[key] = found
        while len(_look_tests) > _MOST:
            _look_tests.popitem(last=False)
    return found


def nothing_testable() -> LookTest:
    """Return the test of a look at which no trial could be used."""
    return LookTest({}, {}, None, SamplingDecision("none", "No trial could be used by then."))


def look_test(found: Significance, counts: StudyCounts) -> LookTest:
    """Return what a look found, by parameters' names; later looks may have more parameters."""
    names = [one.name for one in counts.parameters]
    places = [(one.name, regime.domain) for one in counts.parameters for regime in one.regimes]
    every = [p_values for regimes in found.regimes for p_values in regimes]
    bias = None if found.bias is None else dict(zip(places, found.bias, strict=True))
    return LookTest(
        dict(zip(names, found.p_values.T, strict=True)),
        dict(zip(places, every, strict=True)),
        bias,
        found.decision,
    )


def tests_of_looks(
    own: SetTrials, looks: tuple[int, ...], tests: Sequence[LookTest], counts: StudyCounts
) -> LookTests:
    """Return what all looks say together, for the parameters and regimes of the current counts."""
    table = own.given.in_memory
    assert table is not None
    nothing = np.full(len(own.top.target_sizes), np.nan)
    weights = look_weights(len(looks))

    def each(values: Callable[[LookTest], FloatArray]) -> FloatArray:
        return np.array([values(test) for test in tests]).reshape(len(tests), len(nothing))

    def regime(name: str, domain: Domain | None) -> FloatArray:
        return over_looks(each(lambda test: test.regimes.get((name, domain), nothing)), weights)

    by_name = [
        each(lambda test, own=one: test.parameters.get(own.name, nothing))  # type: ignore[misc]
        for one in counts.parameters
    ]
    p_values = np.stack(by_name, axis=-1) if by_name else np.empty((len(tests), len(nothing), 0))
    regimes = [[regime(one.name, r.domain) for r in one.regimes] for one in counts.parameters]
    last = tests[-1] if tests else None
    bias = None
    if last is not None and last.bias is not None:
        places = [(one.name, r.domain) for one in counts.parameters for r in one.regimes]
        zeros = np.zeros(len(nothing))
        bias = np.array([last.bias.get(p, zeros) for p in places]).reshape(-1, len(nothing))
    return LookTests(
        looks,
        p_values,
        Significance(
            over_looks(p_values, weights), regimes, bias, _decision(last, looks, table.finished)
        ),
    )


def _decision(last: LookTest | None, looks: tuple[int, ...], finished: int) -> SamplingDecision:
    if last is None and finished < FIRST_LOOK:
        return SamplingDecision("none", f"Not tested yet: {TOO_EARLY}.")
    if last is None:
        return SamplingDecision("none", f"Not testable: {NO_TIMES}.")
    several = "1 look, for which" if len(looks) == 1 else f"{len(looks)} looks, for which"
    return replace(
        last.decision,
        reason=f"As of trial {looks[-1]:,} of {finished:,}; tested at {several} the p-values are "
        f"corrected. {last.decision.reason}",
    )


def _fingerprint(own: SetTrials) -> bytes:
    """Return a digest that only trials share that the test cannot distinguish."""
    table = own.given.in_memory
    assert table is not None
    digest = hashlib.blake2b(digest_size=20)
    whole = table.study
    tables = (whole,) if whole is table else (whole, table)
    for part in chain.from_iterable(map(_contents, tables)):
        digest.update(part)
    ranks = ranked(Batch(table), own.top.ranking)
    for array in (ranks.levels, ranks.used, table.rows):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.digest()


def _contents(table: TrialTable) -> Iterator[bytes]:
    yield repr((len(table), table.some_parameters, sorted(table.groups))).encode()
    for entry in table.parameters:
        yield repr((entry.name, entry.domains)).encode("utf-8", "surrogatepass")
        active = np.asarray(entry.domain_ids >= 0)
        yield np.ascontiguousarray(entry.domain_ids, dtype=np.int64).tobytes()
        yield np.where(active, entry.values, 0).astype(np.float64).tobytes()
    arrays: list[npt.NDArray[np.generic] | None] = [
        table.states,
        table.violations,
        *(one.losses for one in table.objectives),
    ]
    if table.times is not None:
        arrays += [table.times.started, table.times.ended]
    drawing = table.drawing
    if drawing is not None:
        yield repr(drawing.samplers).encode()
        arrays += [drawing.steps, drawing.last_losses, drawing.losses, drawing.independent]
        for name in sorted(drawing.fixed):
            yield name.encode("utf-8", "surrogatepass")
            arrays.append(drawing.fixed[name])
    for array in arrays:
        yield b"-" if array is None else np.ascontiguousarray(array).tobytes()
