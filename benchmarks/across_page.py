"""What benchmarks.across measured: rows as cells, and their page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, TypeAlias

from condped.analyse.across.difference import FALSE_ALARMS, compare_pairs, other_shares
from condped.analyse.across.study import Explained, StudyNumbers

Row: TypeAlias = dict[str, Any]
# The stored objectives by which errors of samplers that learn were chosen.
CHOSEN_BY = (
    "cancer_svm", "diabetes_boosting", "diabetes_kernel", "diabetes_pipeline", "wine_models",
)  # fmt: skip


def plain_numbers(study: StudyNumbers) -> Row:
    """Return what two studies are compared by, as plain data."""
    explained = {
        name: [one.value, one.sampling, one.chance, one.hits]
        for name, one in study.explained.items()
    }
    return {"trials": study.trials, "share": study.share, "independent": study.independent,
            "explained": explained}  # fmt: skip


def named(one: Row, other: Row) -> list[str]:
    """Return the parameters that ``condped.difference`` says matter more or less."""
    names = [name for name in one["explained"] if name in other["explained"]]
    if other_shares((one["share"], other["share"])):
        return []
    pairs = [
        (Explained(*one["explained"][name]), Explained(*other["explained"][name])) for name in names
    ]
    _, _, _, adjusted = compare_pairs(pairs, (one["trials"], other["trials"]))
    return [name for name, p_value in zip(names, adjusted, strict=True) if p_value <= FALSE_ALARMS]


def summaries(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the cells of all tables."""
    families = [row for row in rows if row["part"] == "families" and "pair" not in row]
    odd = [row for row in families if "found" in row]
    plain = [row for row in families if "covered" in row]
    return {
        "blocks": len({(row["family"], row["trials"], row["block"]) for row in families}),
        "pooled": _cells(plain, ("method", "kind", "studies"), _pooled),
        "pooled by family": _cells(plain, ("method", "kind", "family", "trials"), _pooled),
        "odd": _cells(odd, ("kind", "studies"), _odd),
        "odd by family": _cells(odd, ("kind", "family", "trials", "studies"), _odd),
        "random pairs": _cells(
            [row for row in rows if "pair" in row], ("kind", "family", "trials"), _pairs
        ),
        "tpe pairs": list(_tpe([row for row in rows if row["part"] == "tpe"])),
        "stored pairs": list(_stored([row for row in rows if row["part"] == "stored"])),
    }


def _cells(rows: Iterable[Row], keys: Sequence[str], summary: Any) -> list[Row]:
    cells: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        cells[tuple(row[key] for key in keys)].append(row)
    return [dict(zip(keys, cell, strict=True)) | summary(own) for cell, own in cells.items()]


def _total(rows: Sequence[Row], name: str) -> Any:
    return sum(row[name] for row in rows)


def _share(rows: Sequence[Row], name: str, of: str) -> float | None:
    total = _total(rows, of)
    return round(_total(rows, name) / total, 4) if total else None


def _pooled(rows: Sequence[Row]) -> Row:
    return {
        "draws": _total(rows, "draws"),
        "coverage": _share(rows, "covered", "numbers"),
        "width": _share(rows, "width", "numbers"),
        "spread coverage": _share(rows, "spread covered", "compared"),
        "differs falsely": _share(rows, "differs others", "draws"),
        "differs rightly": _share(rows, "differs moving", "moving"),
        "odd falsely": _share(rows, "odd", "draws"),
    }


def _odd(rows: Sequence[Row]) -> Row:
    return {
        "draws": _total(rows, "draws"),
        "found": _share(rows, "found", "draws"),
        "wrong": _share(rows, "wrong", "draws"),
        "differs": _share(rows, "differs", "draws"),
    }


def _pairs(rows: Sequence[Row]) -> Row:
    alarms = [bool(named(*row["pair"])) for row in rows]
    return {"pairs": len(alarms), "named": round(sum(alarms) / len(alarms), 4)}


def _alarms(pairs: Iterable[tuple[Row, Row]]) -> Row:
    found = [bool(named(one["numbers"], other["numbers"])) for one, other in pairs]
    return {"pairs": len(found), "named": round(sum(found) / len(found), 4) if found else None}


def _tpe(rows: Sequence[Row]) -> Iterator[Row]:
    cells: dict[tuple[str, int], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        cells[row["family"], row["trials"]][row["kind"]].append(row)
    for (family, trials), own in sorted(cells.items()):
        shared = {"family": family, "trials": trials, "runs": len(own["middle"])}
        yield shared | {"kind": "alike"} | _alarms(combinations(own["middle"], 2))
        yield shared | {"kind": "odd"} | _alarms(product(own["middle"], own["odd"]))


def _stored(rows: Sequence[Row]) -> Iterator[Row]:
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        cells[row["sampler"], row["objective"]].append(row)
    for (sampler, objective), own in cells.items():
        yield {
            "sampler": sampler, "objective": objective, "chosen by": objective in CHOSEN_BY,
            "learns": not own[0]["numbers"]["independent"], "runs": len(own),
        } | _alarms(combinations(own, 2))  # fmt: skip


def page(told: Mapping[str, Any]) -> str:
    """Return the page."""
    return ""
