"""Sentences about the paper's own tables, checked on the numbers that it prints."""

from __future__ import annotations

import math
from itertools import pairwise

from experiments.claims.registry import Finding, Runs, claim
from experiments.yahpo import summary
from experiments.yahpo.claims.measures import SECTION, judged
from experiments.yahpo.published import CORRELATIONS, MEANS, METHODS, OBJECTIVES

PRINTED = "Checked on the numbers that the paper prints."
ROUNDING = 0.0101  # of a mean of numbers with two digits, printed with two digits


@claim(
    "yahpo-tables-sorted",
    section=SECTION,
    place="Tables 1 and 3",
    statement="Learners are sorted from the best to the worst maximum.",
)
def sorted_tables(runs: Runs) -> Finding:
    """Compare each maximum with the next."""
    del runs
    wrong = []
    for instance, rows in OBJECTIVES.items():
        for one, other in pairwise(rows):
            if one.high.value < other.high.value:
                wrong.append(
                    f"{one.name} {one.high.value} above {other.name} {other.high.value} on "
                    f"{instance}"
                )
    right = [not any(line.endswith(f"on {name}") for line in wrong) for name in OBJECTIVES]
    return Finding(
        judged(right),
        f"{sum(right)} of {len(right)} are; {'; '.join(wrong)}",
        PRINTED,
        basis="printed",
    )


@claim(
    "yahpo-1468-maxima",
    section=SECTION,
    place="App. G.1, Table 3",
    statement="On 1468 aknn has the highest mean, but svm and ranger the higher maxima.",
)
def maxima(runs: Runs) -> Finding:
    """Compare means and maxima of the three."""
    del runs
    rows = {row.name: row for row in OBJECTIVES["1468"]}
    first = max(rows.values(), key=lambda row: row.mean.value)
    higher = [rows[name].high.value > rows["aknn"].high.value for name in ("svm", "ranger")]
    told = ", ".join(
        f"{name} {rows[name].mean.value:.3f} and {rows[name].high.value:.3f}"
        for name in ("aknn", "svm", "ranger")
    )
    return Finding(
        judged([first.name == "aknn", *higher]),
        f"mean and maximum: {told}",
        PRINTED,
        basis="printed",
    )


@claim(
    "yahpo-smaller-gaps",
    section=SECTION,
    place="App. G.1, Table 3",
    statement="The gaps among the top learners are smaller on 1063 and 1468 than on 1457.",
)
def gaps(runs: Runs) -> Finding:
    """Compare the first two and the first three maxima, and the spread of the three best means."""
    del runs
    found = {}
    for instance in ("1063", "1468", "1457"):
        high = sorted((row.high.value for row in OBJECTIVES[instance]), reverse=True)
        mean = sorted((row.mean.value for row in OBJECTIVES[instance]), reverse=True)
        found[instance] = (high[0] - high[1], high[0] - high[2], mean[0] - mean[2])
    parts = [
        found[instance][place] < found["1457"][place]
        for instance in ("1063", "1468")
        for place in range(3)
    ]
    told = "; ".join(
        f"{instance}: {two:.3f}, {three:.3f}, {mean:.3f}"
        for instance, (two, three, mean) in found.items()
    )
    return Finding(
        judged(parts),
        f"maxima first to second, first to third, means first to third: {told}",
        PRINTED,
        basis="printed",
    )


@claim(
    "yahpo-means-of-tables",
    section=SECTION,
    place="Tables 2 and 4",
    statement="The last rows are means and standard errors of the rows above.",
)
def last_rows(runs: Runs) -> Finding:
    """Compute them again, the variance divided by n and by n − 1."""
    del runs
    apart: dict[str, list[float]] = {"mean": [], "n": [], "n − 1": []}
    for family, instances in CORRELATIONS.items():
        for method in METHODS:
            found = summary.mean_of([row[method] for row in instances.values()])
            told = MEANS[family][method]
            wider = found.error * math.sqrt(len(instances) / (len(instances) - 1))
            apart["mean"].append(abs(found.value - told.value))
            apart["n"].append(abs(found.error - told.error))
            apart["n − 1"].append(abs(wider - told.error))
    worst = {key: max(values) for key, values in apart.items()}
    return Finding(
        judged([worst["mean"] < ROUNDING, worst["n"] < ROUNDING]),
        f"largest distance of a mean {worst['mean']:.3f}, of an error {worst['n']:.3f} with the "
        f"variance divided by n, {worst['n − 1']:.3f} divided by n − 1",
        f"The errors are those of np.std without a correction for the mean. {PRINTED}",
        worst,
        basis="printed",
    )
