"""Which methods there are, and what each can do where a parameter is absent."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Literal, TypeAlias, TypedDict, get_args

from condped.errors import SettingsError
from condped.estimate.settings import (
    BaselineMethod,
    BaselineSettings,
    Method,
    check_region,
    check_target,
)
from condped.options import option

Absent: TypeAlias = Literal["filtering", "imputation"]
METHODS: tuple[BaselineMethod, ...] = get_args(BaselineMethod)
ABSENT: tuple[Absent, ...] = get_args(Absent)


def ped_anova_settings(
    absent: Absent, target_quantile: float | None, region_quantile: float
) -> BaselineSettings:
    """Return the settings of PED-ANOVA, or raise; no target quantile means a sweep."""
    _require("absent", absent, ABSENT)
    check_region(region_quantile)
    if target_quantile is not None:
        check_target(target_quantile, region_quantile)
    return BaselineSettings("ped-anova", absent, region_quantile=region_quantile)


class ForestOptions(TypedDict, total=False):
    """The fields of :class:`Forest`, for functions that take them."""

    trees: int
    max_depth: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class Forest:
    """The forest that f-ANOVA, MDI and SHAP explain."""

    trees: int = option(64, "Trees of a forest.")
    max_depth: int = option(64, "Depth of its trees.")
    seed: int | None = option(0, "Fixes the forests; None: other ones every time.")

    def __post_init__(self) -> None:
        for name, value in (("trees", self.trees), ("max_depth", self.max_depth)):
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
                raise SettingsError(f"{name} must be a whole number above 0 (got {value!r}).")
        seed = self.seed
        whole = isinstance(seed, Integral) and not isinstance(seed, bool)
        if seed is not None and not (whole and 0 <= seed < 2**32):
            raise SettingsError(
                f"seed must be a whole number from 0 to 4294967295, or None (got {seed!r})."
            )


def forest_settings(method: BaselineMethod, absent: Absent, forest: Forest) -> BaselineSettings:
    """Return the settings of a method that explains a forest, or raise."""
    _require("method", method, METHODS)
    _require("absent", absent, ABSENT)
    seed = None if forest.seed is None else int(forest.seed)
    return BaselineSettings(
        method, absent, trees=int(forest.trees), max_depth=int(forest.max_depth), seed=seed
    )


def _require(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        hint = " condped.importance has it." if value in get_args(Method) else ""
        raise SettingsError(f"{name} must be one of {', '.join(allowed)} (got {value!r}).{hint}")
