"""The branches of a tree are looked at together, so their p-values are adjusted together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from condped.analyse.importance.evidence import Evidence, readjusted
from condped.analyse.importance.result import ImportanceResult
from condped.estimate.independence import adjusted

_Find = Callable[[], ImportanceResult]


@dataclass(eq=False)
class TestedTogether:
    """Results whose verdicts are adjusted for all of their parameters; each is found once.

    Results of very many trials, whose test would take long, join only when they are asked.
    """

    _finders: list[_Find] = field(default_factory=list)
    _found: dict[int, ImportanceResult] = field(default_factory=dict)

    def member(self, find: _Find) -> _Find:
        """Take in one more, and return how to find it with the verdicts of all."""
        self._finders.append(find)
        return partial(self._result, len(self._finders) - 1)

    def _result(self, place: int) -> ImportanceResult:
        alone = self._alone(place)
        return replace(alone, find_evidence=partial(self._evidence, place))

    def _alone(self, place: int) -> ImportanceResult:
        if place not in self._found:
            self._found[place] = self._finders[place]()
        return self._found[place]

    def _evidence(self, place: int) -> Evidence:
        """Return the evidence of one, adjusted by Benjamini and Hochberg over all."""
        own = self._alone(place).evidence
        p_values = [evidence.p_value for evidence in own]
        for other in range(len(self._finders)):
            alone = self._alone(other)
            if other != place and alone.quickly_tested:
                p_values += [evidence.p_value for evidence in alone.evidence]
        corrected = adjusted(np.array(p_values, dtype=float))
        return readjusted(own, corrected[: len(own.parameters)].tolist())
