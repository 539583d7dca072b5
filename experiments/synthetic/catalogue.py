"""The experiments on synthetic problems."""

from __future__ import annotations

from experiments.registry import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
