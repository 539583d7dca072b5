"""What an analysis computes: the methods and their options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from condped.errors import SettingsError
from condped.options import check_choices, is_number, is_whole_number, option
from condped.safe_text import brief

# ``method`` is the name of an estimator, the same in every function and in every result.
Method = Literal["paper", "calibrated"]  # condped's own
BaselineMethod = Literal["ped-anova", "f-anova", "mdi", "shap"]  # without conditions
Measure = Literal["within", "standard", "unweighted", "unconditional"]
Reference = Literal["region", "space"]
Sampling = Literal["auto", "tpe", "random", "ordered"]
Pooling = Literal["auto", "never", "always"]
Looks = Literal["once", "repeated"]


class TrialSettings(TypedDict, total=False):
    """Settings about the trials, shared by several methods."""

    region_quantile: float
    sampling: Sampling
    startup: int | None
    pooling: Pooling


class EstimatorOptions(TrialSettings, total=False):
    """The fields of :class:`Settings`, for functions that take them."""

    method: Method
    measure: Measure
    reference: Reference
    looks: Looks


@dataclass(frozen=True, slots=True)
class Settings:
    """The estimator's options.

    Attributes
    ----------
    region_quantile
        γ: the importance is measured inside the best trials of this share.
    method
        ``paper``: the estimator of the condPED-ANOVA paper, equal to Optuna 5.0.0's.
        ``calibrated``: by ranks, each trial left out of its own neighbourhood, 0 without evidence
        of an effect.
    measure
        ``within``: Theorem 4.2, the effect of the value inside its regime.
        ``standard``: within and inter-regime variance together (the paper's first ablation).
        ``unweighted``: the sum of divergences without regime shares (its second).
        ``unconditional``: PED-ANOVA as if there were no conditions: one domain that spans all,
        absent values left out.
    reference
        ``region``: compare the target set with the region set. ``space``: with a uniform
        distribution over the domain (Optuna's ``evaluate_on_local=False``).
    sampling
        How the trials were drawn, which the test needs to know. ``auto``: as the source records it
        and the trials show it; the evidence says what was decided and why. ``tpe``: by TPE, or
        by something else that learns from results; parameters are compared with replays of the
        sampler alone. ``random``: at random, by a grid or a quasi-random sequence.
        ``ordered``: by something that changes over time in another way; only trials drawn one
        after the other are compared.
    startup
        How many trials TPE draws at random before it learns.
    pooling
        What to do with domains that vary smoothly with other parameters, such as [0, c]. ``auto``:
        where a parameter has at least 8 domains of fewer than 5 trials on average, domains near
        each other are pooled into one to three regimes.
        ``always``: wherever a number has several domains. ``never``: as in the reference.
    looks
        How often the verdicts of this study are looked at. ``once``: when it is over. ``repeated``:
        any number of times while it runs; p-values remain valid. Trials are tested when 40, 50, 60,
        80, 100, … have finished, and each of these looks may spend a share of the error, which
        costs some power.
    """

    region_quantile: float = option(
        1.0, "γ: the importance is measured inside the best trials of this share."
    )
    method: Method = option(
        "paper", "The estimator of the paper, or by ranks and without its biases (calibrated)."
    )
    measure: Measure = option(
        "within", "The variance that counts as importance; the others are the paper's ablations."
    )
    reference: Reference = option(
        "region", "Compare the target set with the region set or with the whole space."
    )
    sampling: Sampling = option(
        "auto",
        "How the trials were drawn, which the test needs to know; auto: detected from the trials.",
    )
    startup: int | None = option(
        None, "Number of random trials before TPE starts to learn; default: as recorded, or 10."
    )
    pooling: Pooling = option(
        "auto", "Whether to pool domains that vary smoothly with other parameters."
    )
    looks: Looks = option(
        "once", "Whether verdicts are looked at once, or repeatedly while the study runs."
    )

    def __post_init__(self) -> None:
        if self.method in get_args(BaselineMethod):
            raise SettingsError(
                f"method must be one of {', '.join(get_args(Method))} (got {brief(self.method)}). "
                "condped.baselines.importance has it."
            )
        check_choices(self)
        _require_quantile("region_quantile", self.region_quantile)
        if self.startup is not None and not is_whole_number(self.startup, 0):
            raise SettingsError(
                f"startup must be a number of trials, 0 or more (got {brief(self.startup)})."
            )
        if self.method == "calibrated" and (
            self.measure in ("standard", "unweighted") or self.reference == "space"
        ):
            raise SettingsError(
                "The calibrated method compares values within regimes, with the region set as the "
                f"reference (got measure={brief(self.measure)} and "
                f"reference={brief(self.reference)}). Use method='paper' for these."
            )


@dataclass(frozen=True, slots=True)
class BaselineSettings:
    """The settings of a method that does not know conditions.

    Attributes
    ----------
    method
        ``ped-anova``, ``f-anova``, ``mdi`` or ``shap``.
    absent
        What it used where a parameter is absent. ``filtering``: for each parameter the trials in
        which it is present, with the parameters that all of those have. ``imputation``: the middle
        of the domain, or the first choice.
    region_quantile
        γ of PED-ANOVA; None for the others, which do not select the best trials.
    trees, max_depth, seed
        Of the forest that f-ANOVA, MDI and SHAP explain; None for PED-ANOVA, and without a seed.
    """

    method: BaselineMethod
    absent: str
    region_quantile: float | None = None
    trees: int | None = None
    max_depth: int | None = None
    seed: int | None = None

    @property
    def forest(self) -> bool:
        """Whether it explains a forest's prediction of the objective, not the best trials."""
        return self.region_quantile is None

    @property
    def label(self) -> str:
        """A short text for people."""
        titles = {"ped-anova": "PED-ANOVA", "f-anova": "f-ANOVA", "mdi": "MDI", "shap": "SHAP"}
        return f"{titles[self.method]}, {self.absent}"

    @property
    def explains(self) -> str:
        """A sentence or two on what the numbers explain, and what not."""
        if not self.forest:
            return "This method ignores regimes, and nothing here was tested for significance."
        return (
            f"It explains the whole objective, as learnt by {self.trees} random trees, not what "
            "leads to the best trials. It ignores regimes and tests nothing for significance."
        )


def check_region(region_quantile: float) -> None:
    """Raise if a region quantile is not a share."""
    _require_quantile("region_quantile", region_quantile)


def check_target(target_quantile: float, region_quantile: float) -> None:
    """Raise if a target quantile is not between 0 and the region quantile."""
    _require_quantile("target_quantile", target_quantile)
    if not 0 < target_quantile < region_quantile:
        raise SettingsError(
            f"target_quantile must be above 0 and below region_quantile (got {target_quantile} "
            f"and {region_quantile}). Lower target_quantile or raise region_quantile."
        )


def check_level(level: float) -> None:
    """Raise if the level of an interval is not between 0 and 1."""
    if not is_number(level) or not 0 < level < 1:
        raise SettingsError(f"level must be a number between 0 and 1 (got {brief(level)}).")


def _require_quantile(name: str, value: object) -> None:
    if not is_number(value) or not 0 < value <= 1:
        hint = ""
        if is_number(value) and 1 < value < 100:
            share = float(value) / 100
            hint = f" Did you mean {share:g} ({100 * share:g} %)?"
        raise SettingsError(
            f"{name} must be a number above 0 and at most 1 (got {brief(value)}).{hint}"
        )
