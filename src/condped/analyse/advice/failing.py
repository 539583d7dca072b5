"""Choices with which no trial ever ended well: they have no say in what is good."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from condped.space.domain import Categorical
from condped.trials.table import State, TrialTable

_FEWEST = 5  # trials with a choice, all of which failed, from which on it is named


def failing_notes(table: TrialTable) -> Iterator[str]:
    """Iterate over a sentence for each choice that always failed, while others did not."""
    ended = table.states != State.RUNNING
    failed = ended & ((table.states == State.FAILED) | ~table.finite)
    failed = failed & (table.states != State.PRUNED)
    if 2 * np.count_nonzero(failed) > np.count_nonzero(ended):
        return  # failing is the rule: no single choice is to blame
    for parameter in table.parameters:
        for place, domain in enumerate(parameter.domains):
            if not isinstance(domain, Categorical):
                continue
            there = ended & (parameter.domain_ids == place)
            if not np.any(there & ~failed):
                continue  # whatever it is: what switches it on is to blame
            for index, choice in enumerate(domain.choices):
                has = there & (parameter.values == index)
                trials = int(np.count_nonzero(has))
                if trials >= _FEWEST and not np.any(has & ~failed):
                    yield (
                        f"All {trials} trials with {parameter.name} == {choice!r} failed, so they "
                        "say nothing of good values. Repair it, or leave it out."
                    )
