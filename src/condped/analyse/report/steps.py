"""The study at every target quantile of the slider, by both methods."""

from __future__ import annotations

from dataclasses import dataclass

from condped.analyse.importance.analysis import Analysis, answered, count_sets
from condped.analyse.importance.evidence import Verdict, verdict_of
from condped.analyse.importance.set_counts import SetCounts
from condped.analyse.question import Question
from condped.arrays import FloatArray
from condped.count.trials import Trials
from condped.estimate.settings import Method

_STEPS = (
    0.01, 0.02, 0.03, 0.05, 0.07, *(percent / 100 for percent in range(10, 100, 5)), 0.99,
)  # fmt: skip
VERDICTS: dict[str, Verdict] = {"m": "matters", "u": "unclear", "n": "no evidence", "-": "untested"}
_LETTERS = {verdict: letter for letter, verdict in VERDICTS.items()}
_NARROW = 0.3  # region quantiles up to which steps are 0.01 apart


def slider_quantiles(asked: float, region_quantile: float) -> tuple[float, ...]:
    """Return the target quantiles that the slider stops at, the requested one included.

    Examples
    --------
    >>> slider_quantiles(0.04, region_quantile=1.0)[:6]
    (0.01, 0.02, 0.03, 0.04, 0.05, 0.07)
    """
    steps = _STEPS
    if region_quantile <= _NARROW:
        steps = tuple(percent / 100 for percent in range(1, 30))
    return tuple(sorted({float(asked), *(step for step in steps if step < region_quantile)}))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Analyses of T target sets and P parameters by each method, from the same counts."""

    counts: SetCounts
    by_method: dict[Method, Analysis]

    @property
    def paper(self) -> Analysis:
        """The analysis whose counts have the units of the values."""
        return self.by_method["paper"]


def answers_of(trials: Trials, question: Question) -> Answers:
    """Analyse trials at every step by every method."""
    counts = count_sets(trials, question)
    return Answers(counts, {m: answered(counts, question.by(m)) for m in question.methods})


def verdicts_of(p_values: FloatArray, adjusted: FloatArray) -> list[list[Verdict]]:
    """Return (T, P) verdicts."""
    pairs = zip(p_values.tolist(), adjusted.tolist(), strict=True)
    return [[verdict_of(p, corrected) for p, corrected in zip(*row, strict=True)] for row in pairs]


def letters(verdicts: list[Verdict]) -> str:
    """Return verdicts as a letter each."""
    return "".join(_LETTERS[verdict] for verdict in verdicts)
