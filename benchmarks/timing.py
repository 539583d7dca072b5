"""How a call is timed."""

from __future__ import annotations

import gc
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
