"""
How close are the estimates to the truth?
=========================================

For the paper's problems the importances can be computed exactly. How far off are estimates from
1,000 trials?
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
# **How to read it.** Solid lines are estimates, with simultaneous bands for all of them; dotted
# lines are the truth.
#
# At one target quantile
# ----------------------

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
# Which hyperparameters act together
# ----------------------------------
# How much each pair explains beyond what its hyperparameters explain alone. Only values beyond
# chance level are coloured.

condped.plot.joint(condped.joint_effects(table), backend="matplotlib")

# %%
# **What to do.** Use such a problem to find out what your number of trials can show:
# ``problem.sample(100)``. :doc:`/trust/statistics` has error rates, coverage and power.
