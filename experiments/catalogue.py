"""All experiments, in the paper's order."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from experiments.registry import Experiment

# Each has a tuple EXPERIMENTS. A missing module adds nothing.
_MODULES = ("experiments.synthetic.catalogue", "experiments.yahpo.catalogue")


def all_experiments() -> tuple[Experiment, ...]:
    """Return every experiment, figures before tables, by number."""
    found: list[Experiment] = []
    for module in _MODULES:
        if _exists(module):
            found += import_module(module).EXPERIMENTS
    return tuple(sorted(found, key=_place))


def _exists(module: str) -> bool:
    package = module.rpartition(".")[0]
    return find_spec(package) is not None and find_spec(module) is not None


def _place(experiment: Experiment) -> tuple[str, int]:
    """Order "Figure 2" before "Figure 10" and before "Table 1"."""
    kind, _, number = experiment.place.partition(" ")
    digits = "".join(sign for sign in number.split(",")[0].split("–")[0] if sign.isdigit())
    return kind, int(digits or 0)
