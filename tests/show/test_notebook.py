"""What a notebook shows: well-formed, small, and safe whatever the names are."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import condped

NAMES = ("<img src=x onerror=alert(1)>", "</script>", '" onmouseover="alert(1)', "a&amp;b", "$x$")


class Reader(HTMLParser):
    """Collects tags, attributes and texts, and checks that what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.pairs: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.pairs += attrs
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(result: Any) -> Reader:
    """Return what a browser would see."""
    reader = Reader()
    reader.feed(result._repr_html_())
    reader.close()
    assert reader.open == []
    return reader


def trials() -> dict[str, Any]:
    """Return trials of parameters with hostile names, one of them with hostile choices."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {name: rng.random(200) for name in NAMES}
    codes = rng.integers(0, 2, 200)
    columns["choice"] = [("<script>alert(1)</script>", "<b>")[code] for code in codes]
    return {**columns, "<i>loss</i>": columns[NAMES[0]] + codes}


# Of trials(), which are drawn at random.
OPTIONS: dict[str, Any] = {"objective": "<i>loss</i>", "sampling": "random"}


@pytest.mark.parametrize("intervals", [None, "jackknife"])
def test_hostile_names_are_shown_as_text(intervals: Any) -> None:
    """No tag and no attribute comes from a name, a choice or an objective."""
    source = trials()
    for result in (
        condped.importance(source, intervals=intervals, **OPTIONS),
        condped.sweep(source, **OPTIONS),
    ):
        reader = read(result)
        assert not reader.tags & {"img", "script", "i"}
        assert not {name for name in reader.attributes if name.startswith("on")}
        assert not reader.attributes & {"src", "href"}
        for name in NAMES:
            assert name in reader.texts


def test_numbers_verdicts_and_good_values_stand_in_the_table() -> None:
    """The same as printed."""
    result = condped.importance(condped.problems.get("nested").sample(500, seed=0))
    texts = read(result).texts
    for parameter in result:
        assert parameter.name in texts
        assert f"{parameter.importance:.3f}" in texts
        assert result.evidence[parameter.name].verdict in texts
    (good,) = result.densities["x"][0].good
    assert good.label in texts


def test_many_parameters_are_counted() -> None:
    """A notebook is not flooded."""
    rng = np.random.default_rng(0)
    source = {f"{'long' * 30}{i}": rng.random(50) for i in range(300)} | {"loss": rng.random(50)}
    result = condped.importance(source, objective="loss", sampling="random")
    html = result._repr_html_()
    assert len(html) < 60_000
    assert any("270 more parameters" in text for text in read(result).texts)
    assert any("288 more" in text for text in read(condped.sweep(source, objective="loss")).texts)


def test_undetermined_results_say_why() -> None:
    """Also where there is no parameter at all."""
    for source in ({"x": [0.1, 0.2], "loss": [1.0, 1.0]}, {"loss": [1.0, 2.0]}):
        for result in (
            condped.importance(source, objective="loss"),
            condped.sweep(source, objective="loss"),
        ):
            assert any("Undetermined" in text for text in read(result).texts)


def test_every_answer_has_its_text_in_a_notebook() -> None:
    """Branches, advice and comparisons: what print shows, whatever the names are."""
    answers = [
        condped.branches(trials(), **OPTIONS),
        condped.advise(trials(), **OPTIONS),
        condped.compare(trials(), methods=["paper", "calibrated"], **OPTIONS),
    ]
    for answer in answers:
        seen = read(answer)
        assert seen.tags == {"pre"}
        assert seen.attributes == {"class"}
        assert "".join(seen.texts) == str(answer)


def test_a_report_is_framed_in_a_notebook() -> None:
    """The same page, in a frame that keeps to itself."""
    report = condped.report(trials(), **OPTIONS)
    seen = read(report)
    assert seen.tags == {"iframe"}
    assert seen.texts == []
    assert seen.attributes == {"sandbox", "style", "title", "srcdoc"}
    (page,) = [value for name, value in seen.pairs if name == "srcdoc"]
    assert page == report.html
    assert ("sandbox", "allow-scripts allow-downloads") in seen.pairs
