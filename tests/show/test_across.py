"""Several studies in sentences, as text and in a notebook."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import condped
from condped.analyse.across.result import Across
from condped.show.across_answer import answer_of
from condped.show.across_branches import standings
from condped.show.text.layout import width_of
from tests.analyse.across.families import OPTIONS, family, trials
from tests.show.across_results import compared, made_up


def test_the_first_sentence_counts_where_each_parameter_matters() -> None:
    """The counts are those of the cells, and few studies are named."""
    across = compared()
    said = answer_of(across).matters
    for parameter in across:
        own = [
            c.study for c in across.cells if (c.parameter, c.verdict) == (parameter.name, "matters")
        ]
        if not own:
            continue
        (number,) = re.findall(rf"\b{parameter.name} (?:matters )?in (all )?(\d+)", said)
        assert int(number[1]) == len(own)
        if len(own) <= 2:
            assert f"({', '.join(own)})" in said
    silent = sum(not parameter.matters_in for parameter in across)
    others = "other parameters matter" if silent > 1 else "other parameter matters"
    assert f"; {silent} {others} in none." in said


def test_who_wins_where_is_said_of_every_study() -> None:
    """The SVM wins in one study, the network in the others; the heading says the same."""
    answer = answer_of(compared())
    assert answer.branches == (
        "Branches of model: network wins in adult, cifar, higgs; svm wins in covertype.",
    )
    assert answer.branch_heading == "network wins in adult, cifar, higgs, svm wins in covertype"


def test_where_none_wins_the_leading_branch_is_said_with_the_winners() -> None:
    """A winner in one study says nothing of the others: these have their own words."""
    across = compared()
    some = tuple(
        one if one.study == "covertype" else replace(one, standing="no evidence")
        for one in across.branches
    )
    learnt = tuple(replace(study, learnt=True) for study in across.studies)
    answer = answer_of(replace(across, branches=some, studies=learnt))
    assert answer.branches == (
        "Branches of model: svm wins in covertype; no clear winner in the other 3, where most "
        "target trials are in network, which may be the sampler's luck.",
    )
    assert answer.branch_heading == "svm wins in covertype, no clear winner in the other 3"
    random = answer_of(replace(across, branches=some)).branches[0]
    assert "luck" not in random


def test_a_study_that_settled_in_another_branch_is_named() -> None:
    """With counts that are those of the cells; not where two studies did."""
    across = compared()
    hits = {(one.branch, one.study == "covertype"): 0 for one in across.branches}
    for one in across.branches:
        hits[one.branch, one.study == "covertype"] += one.target_trials
    said = answer_of(across).odd or ""
    assert (
        f"covertype alone has most target trials in svm ({hits['svm', True]} of 20); in the other "
        f"3 they are in network ({hits['network', False]} of 60)."
    ) in said
    both = tuple(
        replace(one, branch={"svm": "network", "network": "svm"}.get(one.branch, one.branch))
        if one.study == "adult"
        else one
        for one in across.branches
    )
    assert "alone" not in (answer_of(replace(across, branches=both)).odd or "")


def test_without_evidence_the_leading_branches_are_named() -> None:
    """A sampler that kept to one branch shows no winner, but where its target trials are."""
    across = compared()
    open_ones = tuple(replace(one, standing="no evidence") for one in across.branches)
    (said,) = answer_of(replace(across, branches=open_ones)).branches
    assert said == (
        "Branches of model: no evidence that one wins; most target trials are in network (adult, "
        "cifar, higgs), svm (covertype)."
    )


def test_what_differs_and_what_is_odd_is_said() -> None:
    """By name, with the p-value; and that there is nothing where there is nothing."""
    answer = answer_of(made_up(4, 6, odd=(2, 3)))
    assert answer.differ == (
        "The studies differ by more than chance explains in parameter 1 (adjusted p = 0.002)."
    )
    assert answer.odd is not None
    assert answer.odd.startswith("Odd: parameter 2 in study 3 (explains ")
    assert answer_of(made_up(1, 5)).odd == "No study is odd in what its parameters explain."
    assert answer_of(made_up(1, 5)).differ == (
        "No parameter differs between the studies by more than chance explains."
    )


def test_what_cannot_be_compared_is_not_said_to_agree() -> None:
    """Parameters that no target trial of a study has are named, with the study."""
    pair = {"alpha": trials(0, "svm"), "beta": trials(1, "network")}
    said = answer_of(condped.across(pair, **OPTIONS))
    untested = said.differ or ""
    assert "No parameter differs" not in untested
    assert "No evidence that model and dropout differ" in untested
    assert "rate (in alpha no target trial has it)" in untested
    assert "C (in beta no target trial has it)" in untested
    assert said.matters.startswith("model matters in both studies")
    made = made_up(3, 5)
    one, *rest = made.parameters
    cells = tuple(
        replace(cell, odd_p_value=None) if cell.parameter == one.name else cell
        for cell in made.cells
    )
    silent = replace(one, agreement="not testable", reason="in a no target trial has it")
    some = answer_of(replace(made, parameters=(silent, *rest), cells=cells))
    assert some.odd == f"No study is odd in what {rest[0].name} and {rest[1].name} explain."


def test_a_random_study_and_one_that_learnt_are_not_compared() -> None:
    """The reason is how they were drawn, not a lack of errors."""
    across = made_up(2, 2)
    none = tuple(replace(one, agreement="not testable") for one in across)
    first, second = across.studies
    mixed = replace(across, parameters=none, studies=(first, replace(second, learnt=True)))
    assert answer_of(mixed).differ == (
        "Whether the studies differ cannot be tested: study 0 was drawn at random, study 1 by a "
        "sampler that learns from results, and what a parameter explains depends on it."
    )


def test_a_study_listed_twice_comes_first() -> None:
    """Before any other sentence: every number counts it twice."""
    study = trials(0, "network")
    across = condped.across({"a": study, "b": trials(1, "svm"), "again": list(study)}, **OPTIONS)
    first = answer_of(across).sentences[0]
    assert first.startswith("a and again have the same trials")
    assert first in " ".join(str(across).split())
    assert [one.same_as for one in across.studies] == [None, None, "a"]


def test_one_study_is_spoken_of_as_one() -> None:
    """Nothing is said of differences, and no study is counted."""
    said = answer_of(condped.across([trials(0, "network")], **OPTIONS))
    assert (said.differ, said.odd, said.branches) == (None, None, ())
    assert "studies" not in said.matters
    assert "in none" not in said.matters
    assert re.search(r"; \d others show no effect\.$", said.matters)


def test_standings_count_every_study_once() -> None:
    """Each branch has each study among those in which it wins, loses, or neither."""
    across = made_up(2, 9)
    for one in standings(across.branches):
        assert sorted((*one.wins, *one.loses, *one.open)) == sorted(s.name for s in across.studies)
        assert one.wins
        assert one.loses


def test_the_tables_hold_the_numbers() -> None:
    """Pooled importances with intervals, and each study's numbers with their marks."""
    across = compared()
    text = str(across)
    for parameter in across:
        (row,) = re.findall(rf"^{parameter.name} .*–.* of 4.*$", text, re.MULTILINE)
        assert f"{parameter.low:.3f}–{parameter.high:.3f}" in row
        assert f"{parameter.matters_in} of {parameter.studies}" in row
        cells = [across.cell(parameter.name, study.name) for study in across.studies]
        numbered = (line for line in text.splitlines() if re.search(r"\d\.\d\d [●◐○–]", line))
        own = next(line for line in numbered if line.startswith(f"{parameter.name} "))
        marks = {"matters": "●", "unclear": "◐", "no evidence": "○", "not testable": "–"}
        told = re.findall(r"(\d\.\d\d) ([●◐○–])", own)
        assert told == [(f"{c.importance:.2f}", marks[c.verdict]) for c in cells if c is not None]


def test_every_width_is_kept() -> None:
    """No line is wider than asked for, with few and with many studies."""
    for across in (compared(), made_up(40, 3), made_up(5, 25), made_up(3, 400)):
        for width in (60, 80, 100, 140):
            assert max(map(width_of, across.to_text(width).splitlines())) <= width


def test_many_studies_and_parameters_stay_readable() -> None:
    """1,000 studies of 300 parameters: the most important first, the rest counted."""
    text = str(made_up(300, 1_000))
    assert len(text.splitlines()) < 120
    assert "… and 270 more parameters" in text
    assert re.search(r"\b\d+ more studies are in result.rows\(\)", text)
    strip = next(
        line for line in text.splitlines() if line.startswith("parameter 0 ") and "●" in line
    )
    assert len(strip) <= 100


def test_names_cannot_control_the_terminal() -> None:
    """Whatever studies and parameters are called."""
    text = str(made_up(3, 3, prefix="\x1b[31m\n"))
    assert "\x1b" not in text


class _Cells(HTMLParser):
    """Collects the titles of squares, and tags."""

    def __init__(self) -> None:
        super().__init__()
        self.titles: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.titles += [value for name, value in attrs if name == "title" and value]


def test_a_notebook_shows_a_square_for_each_study() -> None:
    """With its importance and verdict for who points at it; names stay text."""
    across = made_up(4, 5, prefix="<img src=x>")
    parsed = _Cells()
    parsed.feed(across._repr_html_())
    assert "img" not in parsed.tags
    for cell in across.cells:
        assert f"{cell.study}: {_share(cell.importance)}, {cell.verdict}" in parsed.titles
    assert sum("not a parameter" in title for title in parsed.titles) == 20 - len(across.cells)


def _share(value: float) -> str:
    return "< 0.001" if 0 < value < 0.0005 else f"{value:.3f}"


def test_an_empty_study_among_others_is_marked() -> None:
    """A study of which nothing can be told has a question mark, not a number."""
    few = [dict.fromkeys(OPTIONS["space"]) | trials(0, "network")[0]]
    across = condped.across({**family(), "tiny": few}, **OPTIONS)
    assert isinstance(across, Across)
    row = [line for line in str(across).splitlines() if line.startswith("dropout ")][1]
    assert row.rstrip().endswith("?")
    assert "No conclusion is possible for the study tiny" in " ".join(str(across).split())
