"""Processes that try inputs one after another, and may die of one without ending the campaign."""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
import os
import resource
import select
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO

from fuzz.case import Case, Ending, Outcome
from fuzz.door import Door, judged

# Shared with the worker: the input it is on (-1: none yet), when it began, its processor time then,
# what is being done with it, the longest input in processor seconds, and which it was.
_HEAD = struct.Struct("=qddBdq")
_MAKING, _ASKING, _COMPARING = range(3)
_OUTCOMES = 64  # where one byte per input begins
_RECYCLED = 77  # exit code of a worker that has grown and must be replaced
# Modules that all doors need.
_ALL = ("condped.analyse.importance.importance", "condped.show.text.tables", "numpy.ma")
_LOOK = 0.25  # seconds between two looks at a worker


@dataclass(frozen=True, slots=True)
class Limits:
    """What one input may take, and a worker.

    Attributes
    ----------
    cpu, wall
        Seconds of the processor and of the clock; waiting for something takes no processor.
    memory
        Bytes of address space on top of what the worker has when it begins.
    grown
        Bytes of memory at which a worker is replaced between two inputs.
    """

    cpu: float = 20.0
    wall: float = 90.0
    memory: int = 4 << 30
    grown: int = 2 << 30


DEFAULT_LIMITS = Limits()


class WorkerMemory:
    """Memory shared by a worker and its parent."""

    def __init__(self, inputs: int) -> None:
        self.memory = mmap.mmap(-1, _OUTCOMES + inputs)
        self.cpu = 0.0  # seconds of the processor of all workers that have ended
        self.begin(-1)

    def begin(self, place: int, doing: int = _MAKING) -> None:
        """Record which input comes next, and what is done with it."""
        *_, longest, which = _HEAD.unpack_from(self.memory)
        self._tell(place, time.monotonic(), time.process_time(), doing, longest, which)

    def end(self, place: int, outcome: Outcome) -> None:
        """Record how an input ended."""
        self._measure()
        self.memory[_OUTCOMES + place] = outcome

    def compare(self) -> None:
        """Record that condped has answered, and that the oracle is next."""
        self._measure()
        place, *_ = _HEAD.unpack_from(self.memory)
        self.begin(place, _COMPARING)

    def _measure(self) -> None:
        """Keep how long condped took, if that is the longest so far."""
        place, began, cpu, doing, longest, _ = _HEAD.unpack_from(self.memory)
        took = time.process_time() - cpu
        if doing == _ASKING and took > longest:
            self._tell(place, began, cpu, doing, took, place)

    def _tell(self, *state: float) -> None:
        # Not by pack_into, which fills the place with zeros first: the parent may look just then.
        self.memory[: _HEAD.size] = _HEAD.pack(*state)

    @property
    def state(self) -> tuple[int, float, float, int]:
        """The input, when it began by both clocks, and what is being done with it."""
        place, began, cpu, doing, *_ = _HEAD.unpack_from(self.memory)
        return place, began, cpu, doing

    @property
    def longest(self) -> tuple[float, int]:
        """The longest input in processor seconds, and which it was."""
        *_, longest, which = _HEAD.unpack_from(self.memory)
        return longest, which

    def outcomes(self) -> list[Outcome]:
        """Return how each input ended."""
        return [Outcome(value) for value in self.memory[_OUTCOMES:]]


def tried(
    door: type[Door],
    cases: Sequence[Callable[[Door], Case]],
    limits: Limits = DEFAULT_LIMITS,
    keep: Callable[[int, Case, Ending], None] = lambda *_: None,
) -> tuple[WorkerMemory, list[tuple[int, Ending]]]:
    """Try cases in workers; return how all ended, and more about what must not happen.

    The worker passes such cases to ``keep``, unless it died of them.
    """
    shared = WorkerMemory(len(cases))
    failures: list[tuple[int, Ending]] = []
    place = 0
    while place < len(cases):
        folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        try:
            with (folder / "log").open("w+b") as log:
                shared.begin(-1)
                read, write = os.pipe()
                pid = os.fork()
                if pid == 0:
                    os.close(read)
                    _work(
                        door,
                        cases,
                        place=place,
                        shared=shared,
                        folder=folder,
                        log=log,
                        told=write,
                        limits=limits,
                        keep=keep,
                    )
                os.close(write)
                ending = _wait_for_worker(
                    pid, told=read, shared=shared, log=log, limits=limits, failures=failures
                )
                at, *_, doing = shared.state
                if ending is None:
                    place = at + 1
                    continue
                if at < place:
                    raise RuntimeError(f"The worker died before it began: {ending.detail}")
                if doing != _ASKING:  # not a failure of condped
                    ending = Ending(Outcome.ANSWER if doing == _COMPARING else Outcome.NONE)
                else:
                    failures.append((at, ending))
                shared.memory[_OUTCOMES + at] = ending.outcome
                place = at + 1
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return shared, failures


def _work(
    door: type[Door],
    cases: Sequence[Callable[[Door], Case]],
    *,
    place: int,
    shared: WorkerMemory,
    folder: Path,
    log: IO[bytes],
    told: int,
    limits: Limits,
    keep: Callable[[int, Case, Ending], None],
) -> None:
    """Try cases from a place on as the worker, and end the process."""
    code = 1
    try:
        os.setpgid(0, 0)
        for number in (0, 1, 2):
            os.dup2(log.fileno() if number else os.open(os.devnull, os.O_RDONLY), number)
        faulthandler.enable(log)
        faulthandler.register(signal.SIGUSR1, log, all_threads=True)
        own = folder / "own"
        own.mkdir()
        os.chdir(own)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        warnings.simplefilter("ignore")
        opened = door(own)
        opened.prepare()
        most = _address_space() + limits.memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        for at in range(place, len(cases)):
            shared.begin(at)
            try:
                case = cases[at](opened)
            except Exception:  # such an input cannot be made
                traceback.print_exc()
                continue
            shared.begin(at, _ASKING)
            ending = judged(opened, case, shared.compare)
            shared.end(at, ending.outcome)
            if ending.outcome.bad:
                line = f"{at}\x1f{ending.outcome.value}\x1f{ending.detail}"
                text = line.replace("\x1e", " ").encode("utf-8", "backslashreplace")
                os.write(told, text + b"\x1e")
                keep(at, case, ending)
            if _address_space() > most - limits.memory // 4 or (
                at % 50 == 49 and _resident_bytes() > limits.grown
            ):
                code = _RECYCLED
                break
            if at % 500 == 499:
                log.truncate(0)
        else:
            code = 0
        with contextlib.suppress(Exception):
            opened.close()
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}".encode())
        faulthandler.dump_traceback(log)
    finally:
        os._exit(code)


def _wait_for_worker(
    pid: int,
    *,
    told: int,
    shared: WorkerMemory,
    log: IO[bytes],
    limits: Limits,
    failures: list[tuple[int, Ending]],
) -> Ending | None:
    """Wait until a worker ends, or end it; return how, unless it had finished its work."""
    hung, parts = False, b""
    with os.fdopen(told, "rb", buffering=0) as pipe:
        while True:
            if select.select([pipe], [], [], _LOOK)[0]:
                part = pipe.read(65536)
                if not part:
                    break
                parts += part
                continue
            _, began, cpu, _ = shared.state
            waited = time.monotonic() - began
            if _processor_time(pid) - cpu > limits.cpu or waited > limits.wall:
                hung = True
                os.kill(pid, signal.SIGUSR1)
                time.sleep(0.5)
                os.kill(pid, signal.SIGKILL)
                break
    _, status, usage = os.wait4(pid, 0)
    shared.cpu += usage.ru_utime + usage.ru_stime
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what an input may have started
    for line in parts.decode("utf-8").split("\x1e")[:-1]:
        at, outcome, detail = line.split("\x1f", 2)
        failures.append((int(at), Ending(Outcome(int(outcome)), detail)))
    code = os.waitstatus_to_exitcode(status)
    if not hung and code in (0, _RECYCLED):
        return None
    log.seek(0)
    trace = log.read().decode("utf-8", "replace")[-6000:]
    where = next((line.strip() for line in trace.splitlines() if "/condped/" in line), "")
    if hung:
        return Ending(Outcome.HANG, f"in {where} | {trace}", by_force=True)
    shown = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return Ending(Outcome.DEATH, f"{shown} in {where} | {trace}", by_force=True)


def preload(doors: Iterable[type[Door]]) -> None:
    """Import what workers need; a process that forks must have one thread."""
    for name in dict.fromkeys((*_ALL, *(name for door in doors for name in door.imports))):
        import_module(name)
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads > 1:
        raise RuntimeError(f"Workers are forked, which is not safe with {threads} threads.")


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _processor_time(pid: int) -> float:
    """Return the processor seconds of a process; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if sys.platform != "linux":
    raise SystemExit("The campaign needs Linux: it looks at processes in /proc.")
