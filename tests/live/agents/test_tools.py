"""Tools: typed answers with the account and the verdicts, bounded, the same as condped's own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema
import mcp_types as types
import numpy as np
import pytest

import condped
from condped.live.agents.answers.fields import MOST_PARAMETERS, MOST_ROWS
from condped.live.agents.desk import TOOLS, Desk
from condped.live.agents.one_study import StudyQuery
from condped.live.agents.server import make_server
from tests.live.agents.asking import Asking, asking, text_of

STUDIES = ("maximised", "tied", "noisy", "pruned", "losing", "again")
ONE = ("importance", "effects", "branches", "advise", "forecast", "report")


@dataclass(frozen=True)
class Case:
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any]


CASES = [
    Case("list_studies", {}),
    *(Case(tool, {"study": f"tuning:{study}"}) for tool in ONE for study in STUDIES),
    *(Case(tool, {"study": "now:running"}) for tool in ONE),
    Case("importance", {"study": "tuning:pruned", "target": "pruned"}),
    Case("effects", {"study": "tuning:losing", "where": "model == 'svm'", "parameter": "C"}),
    Case("report", {"study": "tuning:tied", "page": True}),
    Case("across", {"studies": ["tuning:maximised", "tuning:again"]}),
    Case("difference", {"before": "tuning:maximised", "after": "tuning:again"}),
    Case("difference", {"before": "tuning:again", "after": "tuning:maximised", "cutoff": "common"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tool}-{case.arguments}"[:60])
def test_every_answer_is_valid_by_the_declared_schema(case: Case, client: Asking) -> None:
    """Answers validate against the schema that the tool declares, as data and as text."""
    schema = {tool.name: tool.output_schema for tool in client.tools()}[case.tool]
    assert schema is not None
    found = client.result(case.tool, **case.arguments)
    assert not found.is_error, text_of(found)
    jsonschema.Draft202012Validator(schema).validate(found.structured_content)
    (text, *_) = [one.text for one in found.content if one.type == "text"]
    assert json.loads(text) == found.structured_content


def test_tools_are_declared_read_only(client: Asking) -> None:
    """Each tool says that it changes nothing, and takes no argument that it does not declare."""
    tools = client.tools()
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint
        assert not tool.annotations.open_world_hint
        assert tool.input_schema["additionalProperties"] is False
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)


def test_studies_are_listed_by_the_names_that_tools_take(client: Asking, journal: Path) -> None:
    """The list has the studies of all sources with their states, as condped counts them."""
    found = client("list_studies")
    assert [one["study"] for one in found["studies"]] == [
        *(f"tuning:{study}" for study in STUDIES),
        "now:running",
    ]
    assert found["studies"][-1]["running"] == 2
    rows = condped.studies(str(journal)).rows()
    told = ("trials", "complete", "pruned", "failed", "running", "best", "last_finished")
    for own, row in zip(found["studies"], rows, strict=False):
        assert {name: own[name] for name in told} == {name: row[name] for name in told}


@pytest.mark.parametrize("study", STUDIES)
def test_importances_and_verdicts_are_condpeds_own(
    study: str, client: Asking, journal: Path
) -> None:
    """A tool says what the function says: numbers, verdicts, the account and ties."""
    expected = condped.importance(str(journal), study=study)
    found = client("importance", study=f"tuning:{study}")
    assert {one["parameter"]: one["importance"] for one in found["parameters"]} == (
        expected.to_dict()
    )
    assert {one["parameter"]: one["verdict"] for one in found["parameters"]} == {
        one.name: one.verdict for one in expected.evidence
    }
    assert found["status"] == expected.status
    assert found["trials"]["used"] == expected.account.trials.used
    assert found["trials"]["pruned"] == expected.account.trials.pruned
    assert found["target"]["trials"] == expected.target_size
    assert found["sampling"] == expected.evidence.sampling
    notable = expected.tie is not None and expected.tie.notable
    assert (found["target"]["tie"] is not None) == notable


def test_too_few_trials_are_undetermined_with_a_reason(tmp_path: Path) -> None:
    """Of a study with one trial nothing is told but why."""
    file = tmp_path / "one.csv"
    file.write_text("x,loss\n0.5,1.0\n")
    with asking(make_server(Desk([str(file)], objective="loss"))) as client:
        for tool in ONE:
            found = client(tool, study="one")
            assert found["status"] == "undetermined", tool
            assert "only one trial" in found["reason"], tool
            assert found["next_step"]["action"] == "gather more trials", tool


def test_verdicts_of_a_running_study_hold_for_repeated_looks(client: Asking, running: Path) -> None:
    """While trials run, verdicts are those of scheduled looks, unless the agent says otherwise."""
    found = client("importance", study="now:running")
    assert found["as_of"]["running"] == 2
    assert found["as_of"]["looks"] == "repeated"
    assert found["as_of"]["verdicts_at"] == condped.last_look(45)
    assert any("repeated looks" in note for note in found["notes"])
    expected = condped.importance(f"sqlite:///{running}", looks="repeated").evidence["x"]
    assert found["parameters"][0]["p_value"] == expected.p_value
    once = client("importance", study="now:running", looks="once")
    assert once["parameters"][0]["p_value"] < expected.p_value
    assert once["as_of"]["verdicts_at"] is None


def test_a_study_that_has_grown_stays_one_of_repeated_looks(tmp_path: Path) -> None:
    """Who has looked before looks again, also if no trial is running at the moment."""
    file = tmp_path / "grows.csv"
    lines = ["x,loss", *(f"{0.01 * place},{place % 7}" for place in range(60))]
    file.write_text("\n".join(lines[:41]))
    with asking(make_server(Desk([str(file)], objective="loss"))) as client:
        assert client("importance", study="grows")["as_of"]["looks"] == "once"
        assert client("importance", study="grows")["as_of"]["looks"] == "once"
        file.write_text("\n".join(lines))
        found = client("importance", study="grows")["as_of"]
        assert (found["looks"], found["verdicts_at"]) == ("repeated", condped.last_look(60))
        assert client("branches", study="grows")["as_of"]["looks"] == "repeated"


def test_answers_about_wide_studies_are_bounded(tmp_path: Path) -> None:
    """Of many parameters with long names, lists end at their limits and say how much is left."""
    rng = np.random.default_rng(0)
    names = [f"parameter with a rather long name {'x' * 150} {place}" for place in range(90)]
    rows = [",".join([*names, "loss"])]
    rows += [",".join(f"{value:.4f}" for value in rng.random(91)) for _ in range(60)]
    file = tmp_path / "wide.csv"
    file.write_text("\n".join(rows))
    with asking(make_server(Desk([str(file)], objective="loss"))) as client:
        found = client("importance", study="wide")
        assert len(found["parameters"]) == MOST_PARAMETERS
        assert found["more_parameters"] == 90 - MOST_PARAMETERS
        first = [one["parameter"] for one in found["parameters"]]
        forecast = client("forecast", study="wide", looks="repeated")
        assert [one["parameter"] for one in forecast["parameters"]] == first
        found = client("effects", study="wide")
        assert len(found["rows"]) == MOST_ROWS
        assert found["more_rows"] > 0
        for tool in ONE:
            assert len(text_of(client.result(tool, study="wide"))) < 150_000, tool


def test_a_page_comes_only_if_it_is_asked_for(client: Asking) -> None:
    """The report embeds its page on request, as a resource of one HTML file."""
    without = client.result("report", study="tuning:tied")
    assert len(without.content) == 1
    assert without.structured_content["page_embedded"] is False
    _, page = client.result("report", study="tuning:tied", page=True).content
    assert isinstance(page, types.EmbeddedResource)
    assert isinstance(page.resource, types.TextResourceContents)
    assert page.resource.mime_type == "text/html"
    assert page.resource.text.startswith("<!doctype html>")
    assert without.structured_content["page_bytes"] == len(page.resource.text.encode())


def test_the_same_question_is_analysed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer is remembered until trials are new."""
    file = tmp_path / "grows.csv"
    lines = ["x,loss", *(f"{0.01 * place},{place % 7}" for place in range(40))]
    file.write_text("\n".join(lines))
    calls = []
    original = StudyQuery.call

    def counted(self: StudyQuery, function: Any, **own: Any) -> Any:
        calls.append(function)
        return original(self, function, **own)

    monkeypatch.setattr(StudyQuery, "call", counted)
    with asking(make_server(Desk([str(file)], objective="loss"))) as client:
        first = client("importance", study="grows")
        again = client("importance", study="grows")
        assert len(calls) == 1
        assert {**first, "as_of": None} == {**again, "as_of": None}
        client("importance", study="grows", target_quantile=0.2)
        assert len(calls) == 2
        file.write_text("\n".join([*lines, "0.7,0.5"]))
        more = client("importance", study="grows")
        assert len(calls) == 3
        assert more["trials"]["total"] == 41


@pytest.mark.parametrize("tool", ["across", "difference"])
def test_an_earlier_comparison_says_when_it_was_checked(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trials were read just now, and had not changed."""
    for name in ("a", "b"):
        lines = [f"{0.01 * place},{place % 7}" for place in range(40)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,loss", *lines]))
    asked: dict[str, Any] = {"before": "a", "after": "b"} if tool == "difference" else {}
    with asking(make_server(Desk([f"{tmp_path}/{n}.csv" for n in "ab"], objective="loss"))) as ask:
        ask(tool, **asked)

        class Later(datetime):
            """The clock of a server that has run for years."""

            @classmethod
            def now(cls, tz: Any = None) -> Later:
                return cls(2100, 1, 1, tzinfo=tz)

        monkeypatch.setattr("condped.live.agents.snapshots.datetime", Later)
        again = ask(tool, **asked)
    assert [one["as_of"]["read_at"][:4] for one in again["studies"]] == ["2100", "2100"]


def test_calls_at_the_same_time_are_answered_each(client: Asking) -> None:
    """Calls side by side wait for their own answers only, and equal ones agree."""
    questions = [(tool, study) for tool in ("importance", "branches") for study in STUDIES[:3]]
    with ThreadPoolExecutor(6) as pool:
        found = list(
            pool.map(
                lambda one: client(one[0], study=f"tuning:{one[1]}", target_quantile=0.15),
                [*questions, *questions][:6],
            )
        )
    for (tool, study), answer in zip(questions, found, strict=True):
        assert answer["study"] == f"tuning:{study}"
        assert ("branches" in answer) == (tool == "branches")
