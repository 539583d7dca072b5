"""A small Gaussian process with expected improvement over random candidates, for Optuna."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial, TrialState
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from benchmarks.studies.spaces import Params, Space, drawn

STARTUP = 15  # random trials before the first model
CANDIDATES = 400
REFIT = 15  # trials between fits of the kernel


class GaussianProcessSampler(optuna.samplers.BaseSampler):
    """Draws whole configurations of a conditional space; absent numbers lie at the middle."""

    def __init__(self, space: Space, seed: int) -> None:
        self.space = space
        self.rng = np.random.default_rng(seed)
        self.kernel: Any = None
        self.random = optuna.samplers.RandomSampler(seed=seed)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return all parameters; those that are switched off are never suggested."""
        return {parameter.name: parameter.distribution for parameter in self.space}

    def sample_relative(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        search_space: dict[str, BaseDistribution],
    ) -> dict[str, Any]:
        """Return the candidate with the largest expected improvement."""
        states = (TrialState.COMPLETE, TrialState.PRUNED)
        seen = study.get_trials(deepcopy=False, states=states)
        if len(seen) < STARTUP:
            return drawn(self.space, self.rng)
        inputs = np.array([self.encode(own.params) for own in seen])
        # Ranks in place of values: one bad loss must not flatten all others.
        losses = np.array([own.values[0] for own in seen])
        places = (losses.argsort(kind="stable").argsort() + 0.5) / len(losses)
        targets = norm.ppf(places)
        model = self.fitted(inputs, targets)
        candidates = [drawn(self.space, self.rng) for _ in range(CANDIDATES)]
        mean, deviation = model.predict(
            np.array([self.encode(own) for own in candidates]), return_std=True
        )
        deviation = np.maximum(deviation, 1e-9)
        better = (targets.min() - mean) / deviation
        gain = deviation * (better * norm.cdf(better) + norm.pdf(better))
        return candidates[int(np.argmax(gain))]

    def fitted(self, inputs: npt.NDArray[Any], targets: npt.NDArray[Any]) -> Any:
        """Return a model; the kernel is fitted now and then."""
        again = self.kernel is None or len(inputs) % REFIT == 0
        kernel = self.kernel or (
            ConstantKernel(1.0) * Matern(np.ones(inputs.shape[1]), (0.05, 30.0), nu=2.5)
            + WhiteKernel(0.1, (1e-4, 1.0))
        )
        model = GaussianProcessRegressor(kernel, optimizer="fmin_l_bfgs_b" if again else None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of scales at their bounds
            model.fit(inputs, targets)
        self.kernel = model.kernel_
        return model

    def encode(self, params: Params) -> list[float]:
        """Return a configuration as numbers in [0, 1]."""
        code: list[float] = []
        for own in self.space:
            value = params.get(own.name)
            if own.kind == "choice":
                code += [float(value == option) for option in own.choices]
            else:
                code.append(0.5 if value is None else own.place(value))
        return code

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Draw a value at random."""
        return self.random.sample_independent(study, trial, param_name, param_distribution)
