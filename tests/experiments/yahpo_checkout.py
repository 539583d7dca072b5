"""A small checkout of yahpo_data: iaml_super's hyperparameters and a linear surrogate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

TARGETS = (
    "mmce", "f1", "auc", "logloss", "ramtrain", "rammodel",
    "rampredict", "timetrain", "timepredict", "mec", "ias", "nf",
)  # fmt: skip
# In the order in which YAHPO Gym 1.0.2 hands them to the surrogate.
CATEGORIES: dict[str, tuple[str, ...]] = {
    "task_id": ("40981", "1489"),
    "learner": ("ranger", "glmnet", "xgboost", "rpart"),
    "ranger.replace": ("TRUE", "FALSE"),
    "ranger.respect.unordered.factors": ("ignore", "order", "partition"),
    "ranger.splitrule": ("gini", "extratrees"),
    "xgboost.booster": ("gblinear", "gbtree", "dart"),
}
NUMBERS = (
    "ranger.num.trees", "ranger.sample.fraction", "ranger.mtry.ratio", "ranger.min.node.size",
    "ranger.num.random.splits", "rpart.cp", "rpart.maxdepth", "rpart.minbucket", "rpart.minsplit",
    "glmnet.alpha", "glmnet.s", "xgboost.nrounds", "xgboost.eta", "xgboost.gamma",
    "xgboost.lambda", "xgboost.alpha", "xgboost.subsample", "xgboost.max_depth",
    "xgboost.min_child_weight", "xgboost.colsample_bytree", "xgboost.colsample_bylevel",
    "xgboost.rate_drop", "xgboost.skip_drop", "trainsize",
)  # fmt: skip
INTEGERS = ("ranger.num.trees", "rpart.maxdepth")


def write_checkout(folder: Path) -> None:
    """Write space, encoding and surrogate."""
    scenario = folder / "iaml_super"
    scenario.mkdir(parents=True)
    (folder / "VERSION").write_text("VERSION:test\n")
    (scenario / "config_space.json").write_text(json.dumps(space()))
    (scenario / "encoding.json").write_text(json.dumps(encoding()))
    (scenario / "model.onnx").write_bytes(surrogate())


def encoding() -> dict[str, dict[str, int]]:
    """Return the codes of the choices; 0 means inactive."""
    return {
        name: {"#na#": 0, **{choice: i for i, choice in enumerate(sorted(choices), start=1)}}
        for name, choices in CATEGORIES.items()
    }


def weights() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return what the surrogate multiplies codes and numbers with."""
    rng = np.random.default_rng(0)
    codes = rng.normal(size=(len(CATEGORIES), len(TARGETS))).astype(np.float32)
    numbers = rng.normal(size=(len(NUMBERS), len(TARGETS))).astype(np.float32)
    return codes, numbers


def space() -> dict[str, Any]:
    """Return the space in ConfigSpace's JSON, conditions by learner, booster and rule."""
    entries: list[dict[str, Any]] = []
    for name, choices in CATEGORIES.items():
        entries.append(
            {"name": name, "type": "categorical", "choices": list(choices), "default": choices[0],
             "probabilities": None}
        )  # fmt: skip
    for name in NUMBERS:
        kind, high = ("uniform_int", 30) if name in INTEGERS else ("uniform_float", 1.0)
        low = 1 if name in INTEGERS else 0.01
        entries.append(
            {"name": name, "type": kind, "log": name == "glmnet.s", "lower": low, "upper": high,
             "default": high}
        )  # fmt: skip
    return {
        "hyperparameters": entries,
        "conditions": [_condition(entry["name"]) for entry in entries if "." in entry["name"]],
        "forbiddens": [],
        "python_module_version": "0.4.19",
        "json_format_version": 0.2,
    }


def _condition(child: str) -> dict[str, Any]:
    learner: dict[str, Any] = {
        "child": child, "parent": "learner", "type": "EQ", "value": child.partition(".")[0]
    }  # fmt: skip
    if child == "ranger.num.random.splits":
        also: dict[str, Any] = {
            "child": child,
            "parent": "ranger.splitrule",
            "type": "EQ",
            "value": "extratrees",
        }
    elif child == "xgboost.eta":
        also = {"child": child, "parent": "xgboost.booster", "type": "IN",
                "values": ["dart", "gbtree"]}  # fmt: skip
    else:
        return learner
    return {"child": child, "type": "AND", "conditions": [also, learner]}


def surrogate() -> bytes:
    """Return codes × weights + numbers × weights as an ONNX file, field by field.

    Written by hand, as the format's own library is not needed for anything else.
    """
    codes, numbers = weights()
    float_, int32 = 1, 6
    nodes = [
        _node(
            "Cast", ["x_cat"], "codes", _field(5, _text(1, "to") + _int(3, float_) + _int(20, 2))
        ),
        _node("MatMul", ["codes", "w_cat"], "a"),
        _node("MatMul", ["x_cont", "w_cont"], "b"),
        _node("Add", ["a", "b"], "y"),
    ]
    graph = b"".join(_field(1, node) for node in nodes) + _text(2, "linear")
    graph += _field(5, _tensor("w_cat", codes)) + _field(5, _tensor("w_cont", numbers))
    graph += _field(11, _value("x_cat", int32, len(CATEGORIES)))
    graph += _field(11, _value("x_cont", float_, len(NUMBERS)))
    graph += _field(12, _value("y", float_, len(TARGETS)))
    return _int(1, 8) + _field(7, graph) + _field(8, _text(1, "") + _int(2, 13))


def _node(kind: str, inputs: list[str], output: str, attribute: bytes = b"") -> bytes:
    named = b"".join(_text(1, name) for name in inputs) + _text(2, output)
    return named + _text(4, kind) + attribute


def _tensor(name: str, values: npt.NDArray[np.float32]) -> bytes:
    shape = b"".join(_int(1, size) for size in values.shape)
    return shape + _int(2, 1) + _text(8, name) + _field(9, values.astype("<f4").tobytes())


def _value(name: str, kind: int, width: int) -> bytes:
    shape = _field(1, _text(2, "trials")) + _field(1, _int(1, width))
    return _text(1, name) + _field(2, _field(1, _int(1, kind) + _field(2, shape)))


def _int(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _text(number: int, value: str) -> bytes:
    return _field(number, value.encode())


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])
