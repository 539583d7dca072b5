"""
How close are the estimates to the truth?
=========================================

For the problems of the paper the importances can be computed exactly. How far off are
estimates from 1,000 trials?
"""

import condped

problem = condped.problems.get("regime-dependent")
table = problem.sample(1000, seed=0)

# %%
# At every target quantile
# ------------------------

curve = condped.sweep(table, intervals="half-sampling")
condped.plot.sweep(curve, truth=problem, backend="matplotlib")

# %%
# **How to read it.** Solid lines are estimates, with bands that hold for all of them together;
# dotted lines are the truth.
#
# At one of them
# --------------

result = condped.importance(table, intervals="half-sampling")
condped.plot.importance(result, backend="matplotlib")

# %%
# Where the importance comes from
# -------------------------------
# ``x`` has a different range in each branch, hence several regimes. Low values are good in every
# branch that reaches the target set.

wider = condped.importance(table, target_quantile=0.3)
condped.plot.regimes(wider, backend="matplotlib")

# %%

condped.plot.densities(wider, backend="matplotlib")

# %%
# And what acts together
# ----------------------
# How much each pair explains beyond what its hyperparameters explain alone. Colours begin beyond
# what chance alone reaches.

condped.plot.joint(condped.joint_effects(table), backend="matplotlib")

# %%
# **What to do.** Take such a problem to try what your own number of trials can show:
# ``problem.sample(100)``. :doc:`/trust/statistics` has error rates, coverage and power.
