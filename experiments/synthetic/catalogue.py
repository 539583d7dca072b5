"""The experiments on synthetic problems, by the paper's figures."""

from __future__ import annotations

from condped import baselines
from experiments.registry import Experiment
from experiments.synthetic.naive import baseline_figure
from experiments.synthetic.runtime import RUNTIME
from experiments.synthetic.sweeps import SHORT, THREE, Panel, sweep_figure

BOTH = baselines.ABSENT

EXPERIMENTS: tuple[Experiment, ...] = (
    sweep_figure(
        1,
        "condPED-ANOVA over γ' on the three problems, γ = 1",
        [[Panel(problem) for problem in THREE]],
    ),
    baseline_figure(
        2, "activation-disjoint", BOTH, "existing methods where c chooses x or y, disjoint domains"
    ),
    sweep_figure(
        3,
        "ablation: the standard local importance, which counts differences between regimes",
        [[Panel(problem, measure="standard") for problem in THREE]],
    ),
    sweep_figure(
        4,
        "ablation: divergences summed without regime shares; below, before normalisation",
        [
            [Panel(problem, measure="unweighted") for problem in THREE],
            [
                Panel(
                    problem,
                    measure="unweighted",
                    value="variance",
                    title=f"{SHORT[problem]}, not normalised",
                )
                for problem in THREE
            ],
        ],
    ),
    RUNTIME,
    sweep_figure(
        7,
        "condPED-ANOVA inside the better trials, γ = 0.75 and 0.5",
        [
            [
                Panel(problem, region_quantile=region, title=f"{SHORT[problem]}, γ = {region}")
                for problem in THREE
            ]
            for region in (0.75, 0.5)
        ],
    ),
    sweep_figure(
        8,
        "condPED-ANOVA with N = 100 and 500 trials",
        [
            [
                Panel(problem, trials=trials, title=f"{SHORT[problem]}, N = {trials}")
                for problem in THREE
            ]
            for trials in (100, 500)
        ],
    ),
    baseline_figure(
        9,
        "activation-overlap",
        BOTH,
        "existing methods where c chooses x or y, overlapping domains",
    ),
    baseline_figure(
        10,
        "regime-dependent",
        ("imputation",),
        "existing methods where c switches domains: one domain expanded over all",
    ),
    sweep_figure(
        11,
        "condPED-ANOVA before normalisation",
        [[Panel(problem, value="variance") for problem in THREE]],
    ),
    sweep_figure(
        12,
        "condPED-ANOVA on trials that TPE chose",
        [[Panel(problem, sampling="tpe") for problem in THREE]],
    ),
    sweep_figure(13, "condPED-ANOVA where gates are nested", [[Panel("nested")]]),
    sweep_figure(14, "condPED-ANOVA where one gate has three branches", [[Panel("three-way")]]),
)
