"""Colours of both libraries, distinguishable by colour-blind readers and in grey."""

from __future__ import annotations

# Okabe and Ito's colours.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#888888")
# From dark to light: the parts of a bar.
SHADES = ("#004C7A", "#3B8FC2", "#8FC3E3", "#D3E7F3")
# The same for what has no evidence of an effect.
GREYS = ("#555555", "#8a8a8a", "#b5b5b5", "#dddddd")
# From light to dark: cells by importance.
BLUES = ("#E4F0F8", "#8FC3E3", "#3B8FC2", "#004C7A")
# At two fifths of the strength: cells whose verdict is unclear.
UNCLEAR_BLUES = ("#F4F9FC", "#D2E7F4", "#B1D2E7", "#99B7CA")
ABSENT_EVIDENCE = "#e3e3e3"  # cells without evidence
INK, PALE, GREY = "#222222", "#dddddd", "#9a9a9a"
GOOD = "#009E73"
WARNING = "#D55E00"  # values that lead to failing and other outcomes
# A verdict's fill; hatching and name say the same.
VERDICTS = {
    "matters": "#0072B2",
    "unclear": "#8FC3E3",
    "no evidence": "#eeeeee",
    "not testable": "#ffffff",
    None: "#bbbbbb",
}
# Single trials; their marks say the same.
DOTS = {
    "other": "#9a9a9a",
    "target": "#0072B2",
    "pruned": "#E69F00",
    "infeasible": "#CC79A7",
    "failed": "#D55E00",
}
