"""§6.2 and appendix G.1: which hyperparameters are important (Figures 5 and 15)."""

from __future__ import annotations

from experiments.claims.registry import Finding, Runs, claim
from experiments.yahpo.claims.measures import (
    SECTION,
    Shown,
    all_instances,
    finding,
    other_instances,
)


@claim(
    "yahpo-1053-influential",
    section=SECTION,
    place="§6.2, Figure 5",
    statement="On 1053 trainsize, learner_id and the hyperparameters of svm and xgboost are the "
    "most important.",
)
def influential(runs: Runs) -> Finding:
    """Rank the two common ones and the first of each learner; large: above the mean of all."""
    shown = Shown(runs, "1053")
    mean = 1 / len(shown.learner_of)
    names = ["trainsize", "learner_id", shown.first("svm"), shown.first("xgboost")]
    values = {name: shown.importance["paper"][name].value for name in names}
    told = ", ".join(f"{name} {values[name]:.3f} (rank {shown.rank(name)})" for name in names)
    calibrated = ", ".join(
        f"{name} {shown.importance['calibrated'][name].value:.3f}" for name in names
    )
    return finding(
        shown.rows,
        [value > mean for value in values.values()],
        f"{told}; the mean of {len(shown.learner_of)} is {mean:.3f}",
        f"By calibrated: {calibrated}.",
        values,
    )


@claim(
    "yahpo-1053-gate",
    section=SECTION,
    place="§6.2, Table 1",
    statement="Learners differ widely in what they can reach on 1053, so learner_id is important.",
)
def gate(runs: Runs) -> Finding:
    """Compare the spread of the learners' best with the gate's rank."""
    shown = Shown(runs, "1053")
    best = [numbers["high"] for numbers in shown.objective.values()]
    spread = best[0].value - best[-1].value
    error = max(value.error for value in best)
    ranks = {method: shown.rank("learner_id", method) for method in shown.importance}
    return finding(
        shown.rows,
        [spread > 5 * error, ranks["paper"] <= 3],
        f"best to worst learner {spread:.3f} apart (largest standard error {error:.3f}); "
        f"learner_id has rank {ranks['paper']}, by calibrated {ranks['calibrated']}",
        numbers={"spread": spread, "rank": ranks["paper"]},
    )


@claim(
    "yahpo-1053-order-of-learners",
    section=SECTION,
    place="§6.2, Figure 5 and Table 1",
    statement="On 1053 the order of learners by importance largely matches their performance: svm "
    "high, aknn low.",
)
def order(runs: Runs) -> Finding:
    """Rank learners by highest importance and by highest objective."""
    shown = Shown(runs, "1053")
    agreement = shown.order_agreement()
    ranked = shown.order()
    return finding(
        shown.rows,
        [agreement >= 0.7, ranked[0] == "svm", ranked[-1] == "aknn"],
        f"by importance {' > '.join(ranked)}, by objective {' > '.join(shown.objective)}: "
        f"Spearman {agreement:.2f}, by calibrated {shown.order_agreement('calibrated'):.2f}",
        numbers={"agreement": agreement},
    )


@claim(
    "yahpo-1053-known-hyperparameters",
    section=SECTION,
    place="§6.2, Figure 5",
    statement="Within their learner xgboost's booster, nrounds and subsample and svm's cost are "
    "high.",
)
def known_first(runs: Runs) -> Finding:
    """Rank each within its learner; high: in the upper half."""
    return _known(
        runs,
        ["1053"],
        ("xgboost.booster", "xgboost.nrounds", "xgboost.subsample", "svm.cost"),
    )


@claim(
    "yahpo-known-hyperparameters",
    section=SECTION,
    place="App. G.1, Figure 15",
    statement="Across all instances ranger's sample.fraction and min.node.size, svm's cost and "
    "kernel and aknn's k are high within their learner.",
)
def known(runs: Runs) -> Finding:
    """Rank each within its learner; high: in the upper half."""
    names = (
        "ranger.sample.fraction",
        "ranger.min.node.size",
        "svm.cost",
        "svm.kernel",
        "aknn.k",
    )
    return _known(runs, all_instances(runs), names)


def _known(runs: Runs, instances: list[str], names: tuple[str, ...]) -> Finding:
    parts, told, missed = [], [], []
    for instance in instances:
        shown = Shown(runs, instance)
        ranks = {name: shown.rank_inside(name) for name in names}
        for name, (rank, among) in ranks.items():
            parts.append(rank <= (among + 1) // 2)
            if not parts[-1]:
                missed.append(f"{name} on {instance}")
        listed = ", ".join(f"{name} {rank} of {among}" for name, (rank, among) in ranks.items())
        told.append(f"{instance}: {listed}")
    note = f"Not in the upper half: {', '.join(missed)}." if missed else ""
    return finding(shown.rows, parts, "; ".join(told), note, _count(parts))


@claim(
    "yahpo-top-ranks",
    section=SECTION,
    place="App. G.1, Figure 15",
    statement="learner_id, trainsize and hyperparameters of the best learners have the top ranks.",
)
def top_ranks(runs: Runs) -> Finding:
    """Look at the five most important of each instance; best learners: the first two by maximum."""
    parts, told = [], []
    for instance in other_instances(runs):
        shown = Shown(runs, instance)
        best = list(shown.objective)[:2]
        first = list(shown.importance["paper"])[:5]
        allowed = [
            name in ("learner_id", "trainsize") or shown.learner_of[name] in best for name in first
        ]
        parts += allowed
        told.append(
            f"{instance} (best: {', '.join(best)}): {sum(allowed)} of {len(first)} "
            f"({', '.join(first)})"
        )
    note = "Checked for the top five; best learners are the first two by their highest objective."
    return finding(shown.rows, parts, "; ".join(told), note, _count(parts))


@claim(
    "yahpo-order-of-learners",
    section=SECTION,
    place="App. G.1, Figure 15 and Table 3",
    statement="On the other instances, too, importances broadly match the order of the learners.",
)
def order_elsewhere(runs: Runs) -> Finding:
    """Rank learners by highest importance and by highest objective; broadly: Spearman ≥ 0.5."""
    parts, told, numbers = [], [], {}
    for instance in other_instances(runs):
        shown = Shown(runs, instance)
        agreement = shown.order_agreement()
        parts.append(agreement >= 0.5)
        numbers[instance] = agreement
        told.append(
            f"{instance}: Spearman {agreement:.2f} ({shown.order_agreement('calibrated'):.2f} by "
            "calibrated)"
        )
    return finding(shown.rows, parts, "; ".join(told), numbers=numbers)


@claim(
    "yahpo-1063-gate",
    section=SECTION,
    place="App. G.1, Figure 15",
    statement="On 1063 the gaps among the best learners are smaller than on 1457, and learner_id "
    "is slightly less important than the best learners' hyperparameters.",
)
def smaller_gaps(runs: Runs) -> Finding:
    """Compare gaps of the first three and the gate with the first of the best two learners."""
    close, far = Shown(runs, "1063"), Shown(runs, "1457")
    gaps = {}
    for instance, shown in (("1063", close), ("1457", far)):
        best = list(shown.objective.values())
        gaps[instance] = best[0]["high"].value - best[2]["high"].value
    first = max(list(close.objective)[:2], key=close.highest)
    gate_value = close.importance["paper"]["learner_id"].value
    return finding(
        close.rows,
        [gaps["1063"] < gaps["1457"], gate_value < close.highest(first)],
        f"first to third learner {gaps['1063']:.3f} apart on 1063, {gaps['1457']:.3f} on 1457; on "
        f"1063 learner_id {gate_value:.3f}, {close.first(first)} {close.highest(first):.3f}",
        f"By calibrated learner_id has rank {close.rank('learner_id', 'calibrated')} on 1063.",
        gaps,
    )


def _count(parts: list[bool]) -> dict[str, float]:
    return {"holding": sum(parts), "of": len(parts)}
