"""
How do I put it into a paper?
=============================

One figure, as wide as a column or page, with fonts that match the text, as PDF.
"""

import matplotlib.pyplot as plt

import condped

studies = {
    name: condped.problems.get(name).sample(500, seed=0) for name in condped.problems.names()
}
table = studies["regime-dependent"]

# %%
# Two panels of one figure
# ------------------------
# Every function of ``condped.plot`` can draw on your own axes or figure (``on=``). Sizes and fonts
# are set in matplotlib, as for any other figure.

result = condped.importance(table, intervals="half-sampling")
curve = condped.sweep(table, intervals="half-sampling")
with plt.rc_context({"font.family": "serif", "font.size": 8, "axes.titlesize": 8}):
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.0, 2.6), layout="constrained")
    condped.plot.importance(result, backend="matplotlib", on=left)
    condped.plot.sweep(curve, backend="matplotlib", on=right)
    left.set(xlabel="importance", xlim=(0, 1.3))
    right.set(xlabel="target quantile γ'")
    for axes, title in [(left, "(a) the best 10 %"), (right, "(b) every target quantile")]:
        axes.set_title(title, loc="left")

# %%
# Several studies
# ---------------
# All problems of the paper, treated as studies of one system.

across = condped.across(studies)
condped.plot.across(across, backend="matplotlib")

# %%
# **What to do.** ``figure.savefig("importance.pdf")`` writes vector graphics. The numbers behind
# a picture are in ``result.rows()``. Say in the caption which share of the trials counts as good
# (γ'), how many trials there were, and what the intervals are.
