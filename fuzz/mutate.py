"""Changes to bytes, texts and plain data, drawn from a generator."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

# Names and texts that may be mistaken for something else on the way.
TEXTS: tuple[str, ...] = (
    "", " ", "\t", "a", "x", "None", "none", "null", "nan", "NaN", "inf", "-inf", "true", "False",
    "1", "1.0", "01", "1e5", "1e400", "-0", "0x10", "1_000", "½", "٣", "größe", "a b", "a,b", "a;b",
    "a'b", 'a"b', "a`b", "a\\b", "a\nb", "a\r\nb", "a\x00b", "\ufeff", "\u202eevil", "\x1b[31mred",
    "\ud800", "\U0001f600", "<script>alert(1)</script>", "'; DROP TABLE trials; --", "=1+1", "@x",
    "../../x", "%s%n", "{0}", "$HOME", "x" * 300, "not", "in", "and", "params_x", "state", "number",
    "value", "values", "datetime_start", "condped", "__class__", "a/b", "a.b", "a:b",
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 7, 255, 256, 65535, 2**31 - 1, 2**31, 2**32, 2**53, 2**53 + 1, 2**62, 2**63 - 1,
    2**63, -(2**63), -(2**63) - 1, 2**64, 10**30, 10**400, 0.0, -0.0, 0.1, 0.5, 1e-5, 5e-324,
    1e-308, 1e308, -1e308, 1.7976931348623157e308, math.inf, -math.inf, math.nan, 1e16,
    123456789.123,
)  # fmt: skip
# Texts in JSON that correspond to no Python number.
RAW: tuple[str, ...] = ("9" * 5000, "1e999", "-1e-999", "00", "+1", "1.", "0x1", "NaN", "Infinity",
                        "'x'", "undefined", "1" + "0" * 400)  # fmt: skip
_INTERESTING = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


class RawJson(str):
    """A text that goes into JSON as it is."""

    __slots__ = ()


def value(rng: Random, depth: int = 0) -> Any:  # noqa: PLR0911
    """Return a hostile value of plain data."""
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(NUMBERS)
    if kind < 0.7:
        return rng.choice(TEXTS)
    if kind < 0.8:
        return rng.choice((None, True, False))
    if kind < 0.84:
        return RawJson(rng.choice(RAW))
    if depth > 2:
        return rng.random()
    if kind < 0.92:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(TEXTS): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def changed_bytes(rng: Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """Return bytes with a few of them flipped, set, cut, repeated, moved or taken from others."""
    made = bytearray(data)
    for _ in range(1 + int(rng.expovariate(0.7))):
        at = rng.randrange(len(made) + 1)
        kind = rng.randrange(10)
        if kind == 0:
            del made[at:]
        elif kind == 1:
            del made[at : at + _size(rng)]
        elif kind == 2:
            made[at:at] = made[at : at + _size(rng)]
        elif kind == 3:
            made[at:at] = rng.randbytes(_size(rng))
        elif kind == 4 and others:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            made[at : at + _size(rng)] = other[start : start + _size(rng)]
        elif kind in (5, 6):
            width = rng.choice((1, 2, 4, 8))
            number = rng.choice(_INTERESTING) % (1 << (8 * width))
            made[at : at + width] = number.to_bytes(width, rng.choice(("little", "big")))
        elif at < len(made):
            made[at] ^= 1 << rng.randrange(8)
    return bytes(made)


def changed_text(rng: Random, text: str, tokens: Sequence[str] = TEXTS) -> str:
    """Return a text with pieces of it dropped, repeated, swapped or replaced."""
    for _ in range(1 + int(rng.expovariate(0.7))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + _size(rng))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            text = text[:end] + text[start:]
        elif kind == 2:
            text = text[:start] + rng.choice(tokens) + text[end:]
        elif kind == 3:
            text = text[:start] + rng.choice(tokens) + text[start:]
        elif kind == 4:
            text = text[:start] + chr(rng.choice((9, 10, 32, 34, 39, 44, 92, 96, 125, 0x2028, 0)))
            text += text[end:]
        else:
            lines = text.split("\n")
            first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            text = "\n".join(lines)
    return text


def changed_data(rng: Random, data: Any, others: Sequence[Any] = ()) -> Any:
    """Return plain data with a few of its nodes replaced, dropped, renamed, nested or moved."""
    made = copy.deepcopy(data)
    for _ in range(1 + int(rng.expovariate(0.8))):
        nodes = list(places(made))
        if not nodes:
            return value(rng)
        holder, key = rng.choice(nodes)
        kind = rng.randrange(10)
        if kind < 4:
            holder[key] = value(rng)
        elif kind == 4:
            del holder[key]
        elif kind == 5 and isinstance(holder, dict):
            holder[rng.choice(TEXTS)] = holder.pop(key)
        elif kind == 6:
            other, place = rng.choice(nodes)
            if _has_key(other, place):
                holder[key] = copy.deepcopy(other[place])
        elif kind == 7 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif kind == 8:
            holder[key] = [holder[key]] if rng.random() < 0.5 else {rng.choice(TEXTS): holder[key]}
        elif others:
            found = list(places(rng.choice(others)))
            if found:
                other, place = rng.choice(found)
                holder[key] = copy.deepcopy(other[place])
        else:
            holder[key] = rng.choice(NUMBERS)
    return made


def written(data: Any) -> str:
    """Return plain data as JSON, or nearly."""
    if isinstance(data, RawJson):
        return str(data)
    if isinstance(data, dict):
        inside = ",".join(f"{json.dumps(str(n))}:{written(v)}" for n, v in data.items())
        return f"{{{inside}}}"
    if isinstance(data, (list, tuple)):
        return f"[{','.join(map(written, data))}]"
    return json.dumps(data)


def nested(rng: Random) -> str:
    """Return JSON that is nested more deeply than most can read."""
    depth = rng.choice((50, 500, 2_000, 20_000))
    if rng.random() < 0.5:
        return "[" * depth + "]" * depth
    return '{"a":' * depth + "1" + "}" * depth


def _has_key(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over all nodes, each as what holds it and its key there."""
    todo = [data]
    while todo:
        holder = todo.pop()
        if isinstance(holder, (dict, list)):
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            for key in keys:
                yield holder, key
                todo.append(holder[key])


def _size(rng: Random) -> int:
    return 1 + int(rng.expovariate(0.1)) if rng.random() < 0.9 else rng.randrange(1, 400)
