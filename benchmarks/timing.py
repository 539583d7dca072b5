"""How a call is timed, and measured in a process of its own."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable


def best_of(call: Callable[[], object], repeats: int, least: float = 0.2) -> float:
    """Return the fastest of several runs, in seconds.

    The fastest, because other work on a machine can only make a run slower. Short calls are
    repeated until ``least`` seconds have passed.
    """
    call()  # caches, lazy imports
    gc.collect()
    fastest, begun, runs = float("inf"), time.perf_counter(), 0
    while runs < repeats or time.perf_counter() - begun < least:
        start = time.perf_counter()
        call()
        fastest = min(fastest, time.perf_counter() - start)
        runs += 1
        if runs >= 200:
            break
    return fastest


def measured_apart(module: str, *arguments: str) -> dict[str, float]:
    """Run a module in a fresh process; return the numbers that it prints last, as JSON."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
