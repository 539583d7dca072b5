"""Pages, data and streams of a real server."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import condped
from condped.live.serve import catalogue
from condped.live.serve.catalogue import Catalogue
from condped.live.sources import open_study
from tests.live.serve.served import Served, events, served
from tests.live.studies import run_trials, storage_in


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = storage_in(tmp_path_factory.mktemp("serve"))
    run_trials(made, 12)
    return made


@pytest.fixture(scope="module")
def server(url: str) -> Iterator[Served]:
    with served([url]) as found:
        yield found


def test_the_only_study_is_shown_at_once(server: Served) -> None:
    """The start leads to the page of the study, whose policy lets it ask this server only."""
    answer = server.get("/", follow_redirects=True)

    assert answer.status_code == 200
    assert answer.url.path == "/study/tuning"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert '"live":"/study/tuning/events?from=' in answer.text
    assert '"index":' not in answer.text
    assert server.get("/study/tuning/").status_code == 404


def test_data_are_those_of_a_report(server: Served, url: str) -> None:
    """The numbers are those that a report of the same trials has."""
    data = server.get("/study/tuning/data.json").json()

    expected = condped.report(condped.read(url, study="tuning"), verdicts=False).page_data
    for name in ("parameters", "steps", "sizes", "objectives", "used", "summary"):
        assert data[name] == json.loads(json.dumps(expected[name]))


def test_heads_are_answered_like_pages(server: Served) -> None:
    """HEAD has the headers of GET and no body, also of a stream, which ends."""
    for path in ("/study/tuning", "/study/tuning/events", "/events", "/study/tuning/data.json"):
        answer = httpx.head(f"{server.url}{path}", timeout=60)
        assert (answer.status_code, answer.content) == (200, b"")


async def _take(server: Served, path: str, wanted: int, **headers: str) -> list[Any]:
    found = []
    async with (
        httpx.AsyncClient(timeout=60) as client,
        client.stream("GET", f"{server.url}{path}", headers=headers) as response,
    ):
        assert response.headers["content-type"].startswith("text/event-stream")
        async for event in events(response):
            found.append(event)
            if len(found) == wanted:
                break
    return found


def test_streams_go_on_where_a_viewer_was(server: Served) -> None:
    """A known version, in the address or in the header of a reconnect, brings no page again."""
    first = asyncio.run(_take(server, "/study/tuning/events", 2))
    place = first[0][2]
    again = asyncio.run(_take(server, f"/study/tuning/events?from={place}", 1))
    reconnected = asyncio.run(
        _take(server, "/study/tuning/events?from=x.1", 1, **{"last-event-id": place})
    )
    restarted = asyncio.run(_take(server, "/study/tuning/events?from=0123abcd.1", 1))

    assert [kind for kind, _, _ in first] == ["page", "status"]
    assert again[0][0] == reconnected[0][0] == "status"
    assert restarted[0][0] == "page"
    assert restarted[0][1]["data"]["used"] == first[0][1]["data"]["used"]


def test_a_list_tells_of_several_studies_and_finds_new_ones(tmp_path: Path) -> None:
    """All studies of all sources are listed by names of their own; new ones have pages at once."""
    url = storage_in(tmp_path)
    run_trials(url, 3, study="a b")
    run_trials(url, 4, study="../etc/passwd")
    (tmp_path / "other").mkdir()
    other_url = storage_in(tmp_path / "other")
    run_trials(other_url, 2, study="a b")
    with served([url, other_url]) as server:
        ((_, data, place),) = asyncio.run(_take(server, "/events", 1))
        rows = {row["study"]: row for row in data["rows"]}
        assert {name: row["trials"] for name, row in rows.items()} == {
            f"{tmp_path.name}/studies.db: a b": 3, "../etc/passwd": 4, "other/studies.db: a b": 2,
        }  # fmt: skip
        for row in rows.values():
            assert httpx.URL(row["link"]).path == row["link"]
            assert row["link"].count("/") == 2
        run_trials(url, 2, study="new")
        ((_, data, _),) = asyncio.run(_take(server, f"/events?from={place}", 1))
        while len(data["rows"]) < 4:
            ((_, data, _),) = asyncio.run(_take(server, "/events", 1))
        link = {row["study"]: row["link"] for row in data["rows"]}["new"]
        assert server.get(f"{link}/data.json").json()["used"] == 2
        with served([url, other_url]) as other:
            assert server.catalogue.entries.keys() == other.catalogue.entries.keys()


def test_deleted_studies_neither_hide_nor_reveal_others(tmp_path: Path) -> None:
    """The last study of one pattern is gone: those of the other are listed, and no more."""
    url = storage_in(tmp_path)
    for study in ("small-1", "large-1", "confidential"):
        run_trials(url, 2, study=study)
    found = Catalogue([url], {"study": ["small-*", "large-*"]}, every=0.0)
    optuna.delete_study(study_name="small-1", storage=url)
    run_trials(url, 2, study="large-2")
    found.refresh()
    (event,) = found.news(found.cursor(None))
    rows = {row["study"]: row["problem"] for row in json.loads(event.data)["rows"]}
    assert rows == {"large-1": None, "large-2": None}
    for study in ("large-1", "large-2"):
        optuna.delete_study(study_name=study, storage=url)
    found.refresh()
    (event,) = found.news(found.cursor(None))
    assert "confidential" not in event.data
    assert "There is no study 'large-*' any more." in event.data
    found.close()


def test_streams_are_bounded(url: str) -> None:
    """Beyond the limit viewers are told to wait, and a stream that ends makes room."""
    with served([url], most_streams=2) as server:

        async def crowd() -> None:
            async with httpx.AsyncClient(timeout=60, base_url=server.url) as client:
                path = "/study/tuning/events"
                async with client.stream("GET", path), client.stream("GET", path):
                    answer = await client.get(path)
                    assert answer.status_code == 503
                    assert "retry-after" in answer.headers
                for _ in range(600):
                    async with client.stream("GET", path) as again:
                        if again.status_code == 200:
                            return
                    await asyncio.sleep(0.1)
                raise AssertionError("The streams were never closed.")

        asyncio.run(crowd())


def test_fifty_viewers_see_the_same(tmp_path: Path) -> None:
    """Fifty streams of one study get every number, from one analysis for all of them."""
    url = storage_in(tmp_path)
    run_trials(url, 5)

    async def view(client: httpx.AsyncClient, started: asyncio.Semaphore) -> dict[str, Any]:
        data: dict[str, Any] = {}
        async with client.stream("GET", "/study/tuning/events") as response:
            async for kind, told, _ in events(response):
                if kind == "page":
                    data = told["data"]
                    started.release()
                elif kind == "changes":
                    data |= told["changes"]
                if data.get("used") == 12:
                    break
        return data

    async def crowd(server: Served) -> list[dict[str, Any]]:
        started = asyncio.Semaphore(0)
        limits = httpx.Limits(max_connections=50)
        async with httpx.AsyncClient(timeout=60, base_url=server.url, limits=limits) as client:
            viewers = [asyncio.ensure_future(view(client, started)) for _ in range(50)]
            for _ in viewers:
                await started.acquire()
            await asyncio.to_thread(run_trials, url, 7, seed=1)
            return await asyncio.gather(*viewers)

    with served([url]) as server:
        found = asyncio.run(crowd(server))

    assert len(found) == 50
    for data in found:
        assert data["summary"] == found[0]["summary"]
        assert data["parameters"] == found[0]["parameters"]


def write_csv(path: Path, trials: int = 12) -> None:
    lines = [f"{0.01 * number},{number % 7}" for number in range(trials)]
    path.write_text("x,loss\n" + "\n".join(lines) + "\n")


def rows_of(server: Served) -> dict[str, dict[str, Any]]:
    """Return the rows of the list as its stream tells them now."""
    ((_, data, _),) = asyncio.run(_take(server, "/events", 1))
    return {row["study"]: row for row in data["rows"]}


def test_a_list_whose_files_are_all_gone_says_so_and_recovers(tmp_path: Path) -> None:
    """Deleted files are shown as a problem of their pattern, and come back when they do."""
    write_csv(tmp_path / "a.csv")
    write_csv(tmp_path / "b.csv")
    with served([f"{tmp_path}/*.csv"], {"objective": "loss"}) as server:
        for name in "ab":
            (tmp_path / f"{name}.csv").unlink()
        while "*.csv" not in (rows := rows_of(server)):
            pass
        assert rows["*.csv"]["problem"]
        assert rows["*.csv"]["link"] is None
        assert server.get("/study/unknown").status_code == 404
        start = server.get("/")
        assert (start.status_code, "/events?from=" in start.text) == (200, False)
        write_csv(tmp_path / "b.csv")
        while "b" not in (rows := rows_of(server)):
            pass
        assert server.get(f"{rows['b']['link']}/data.json").json()["used"] == 12


def test_addresses_are_names_and_stay(tmp_path: Path) -> None:
    """An address is the study's name, also beside other sources, and outlives a namesake."""
    url = storage_in(tmp_path)
    run_trials(url, 3, study="tuning of svm")
    (tmp_path / "later").mkdir()
    write_csv(tmp_path / "a.csv")
    with served([url, f"{tmp_path}/**/*.csv"], {"objective": "loss"}) as server:
        assert list(server.catalogue.entries) == ["tuning-of-svm", "a"]
        write_csv(tmp_path / "later" / "a.csv", trials=20)
        while len(rows_of(server)) < 3:
            pass
        ids = {one.source: id for id, one in server.catalogue.entries.items()}
        assert ids[f"{tmp_path}/a.csv"] == "a"
        assert ids[f"{tmp_path}/later/a.csv"].startswith("a-")
        assert server.get("/study/a/data.json").json()["used"] == 12


def test_an_objective_is_used_where_a_source_needs_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As documented: a journal has its own objective, and tables have the one that is given."""
    journal = tmp_path / "journal.log"
    storage = JournalStorage(JournalFileBackend(str(journal)))
    study = optuna.create_study(storage=storage, study_name="tuning")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    write_csv(tmp_path / "a.csv")
    # Alembic, which Optuna's databases use, switches off what logs there are.
    monkeypatch.setattr(logging.getLogger("condped.live"), "disabled", False)
    with served([str(journal), f"{tmp_path}/*.csv"], {"objective": "loss"}) as server:
        found = {id: server.get(f"/study/{id}/data.json").json() for id in ("tuning", "a")}
    assert [one["objectives"][0][0] for one in found.values()] == ["value", "loss"]
    assert "journal.log: Studies without an objective 'loss' are shown" in caplog.text
    with pytest.raises(condped.errors.NameNotFoundError, match="There is no objective 'los'"):
        Catalogue([f"{tmp_path}/*.csv"], {"objective": "los"})


def test_one_study_that_hangs_holds_up_no_other_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Viewers of a source that does not answer wait without keeping others waiting."""
    url = storage_in(tmp_path)
    run_trials(url, 3, study="hangs")
    run_trials(url, 4, study="works")
    released = threading.Event()

    def slow(place: str, study: str, *others: Any, **named: Any) -> condped.Followed:
        assert study != "hangs" or released.wait(60)
        return open_study(place, study, *others, **named)

    monkeypatch.setattr(catalogue, "open_study", slow)

    async def crowd(server: Served) -> list[httpx.Response]:
        async with httpx.AsyncClient(timeout=60, base_url=server.url) as client:
            paths = ["/study/hangs", "/study/hangs/data.json", "/study/unknown"] * 30
            waiting = [asyncio.ensure_future(client.get(path)) for path in paths]
            await asyncio.sleep(0.5)
            assert (await client.get("/study/works/data.json")).json()["used"] == 4
            assert sum(one.done() for one in waiting) == 30  # the unknown ones
            released.set()
            return await asyncio.gather(*waiting)

    with served([url]) as server:
        answers = asyncio.run(crowd(server))
    assert Counter(one.status_code for one in answers) == {200: 60, 404: 30}
