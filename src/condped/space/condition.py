"""The language of ``when``: comparisons of parameters, parsed and never run as code.

::

    expression  =  conjunction  { "or" conjunction }
    conjunction =  negation  { "and" negation }
    negation    =  "not" negation  |  "(" expression ")"  |  comparison
    comparison  =  operand  { ("<" | "<=" | ">" | ">=" | "==" | "!=") operand }
                |  operand  ["not"] "in" "[" literal { "," literal } "]"
    operand     =  name  |  `any name`  |  number  |  'text'  |  "text"  |  true | false | none

Inside backticks a backtick is written twice.
A comparison with an absent parameter does not hold, whatever the operator; ``not`` inverts
that, so ``not (c < 1)`` holds where ``c`` is absent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from condped.arrays import BoolArray
from condped.errors import ConditionError
from condped.safe_text import brief
from condped.space.nodes import (
    COMPARE,
    Columns,
    Comparison,
    Conjunction,
    Disjunction,
    Leaf,
    Membership,
    Negation,
    Node,
    ParameterComparison,
    leaves,
    names_of,
)

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | `(?P<quoted>(?:[^`]|``)+)`
      | (?P<name>[^\W\d][\w.]*)
      | (?P<sign><=|>=|==|!=|<|>|\(|\)|\[|\]|,)
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_MAX_DEPTH = 100
_KEYWORDS = {"and", "or", "not", "in"}
_CONSTANTS = {"true": True, "false": False, "none": None}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Condition:
    """A parsed condition and the text it came from.

    Examples
    --------
    >>> Condition.parse("learner in ['svm', 'knn'] and depth >= 3").names
    ('learner', 'depth')
    """

    text: str
    root: Node

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse a condition; raises ConditionError with the position of the first error."""
        if not isinstance(text, str):
            raise ConditionError(
                f'A condition must be a string such as "c < 0.5" (got {brief(text)}).'
            )
        return cls(text, _Parser(text).parse())

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters it refers to, in order of first appearance."""
        return names_of(self.root)

    def leaves(self) -> Iterator[Leaf]:
        """Iterate over its comparisons."""
        return leaves(self.root)

    def holds(self, columns: Columns) -> BoolArray:
        """Return, for each row, whether the condition holds."""
        try:
            return self.root.holds(columns)
        except TypeError as error:
            raise ConditionError(
                f"The condition {brief(self.text)} compares values of different types ({error}). "
                "Compare numbers with numbers and texts with texts."
            ) from error


def _unescape(escape: re.Match[str]) -> str:
    # An unknown escape stays as it is: 'C:\data'.
    return _ESCAPES.get(escape[1], escape[0])


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # number, text, quoted, name, sign, end
    value: str
    place: int


class _Parser:
    """Recursive descent, one method per rule of the grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.position = 0
        self.depth = 0

    def _tokens(self) -> list[_Token]:
        tokens, place = [], 0
        end = len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None or match.lastgroup is None:
                place += len(self.text[place:]) - len(self.text[place:].lstrip())
                self._fail(
                    place,
                    "a name, a value or an operator (a name with characters other than letters, "
                    "digits, '_' and '.' goes between backticks)",
                )
            tokens.append(
                _Token(match.lastgroup, match.group(match.lastgroup), match.start(match.lastgroup))
            )
            place = match.end()
        return [*tokens, _Token("end", "", end)]

    def _fail(self, place: int, expected: str) -> NoReturn:
        rest = self.text[place:].strip()
        found = f"found {rest[:20]!r}" if rest else "it ends"
        equal = " Equality is '=='." if rest.startswith(("=", "is ")) else ""
        raise ConditionError(
            f"The condition {brief(self.text)} does not parse: at character {place} {found}, where "
            f"{expected} was expected.{equal} An example of a condition: "
            "\"c < 0.5 and k in ['a', 'b']\"."
        )

    @property
    def _next(self) -> _Token:
        return self.tokens[self.position]

    def _accept(self, *values: str) -> str | None:
        token = self._next
        if token.kind in ("sign", "name") and token.value in values:
            self.position += 1
            return token.value
        return None

    def _require(self, value: str) -> None:
        if self._accept(value) is None:
            self._fail(self._next.place, repr(value))

    def parse(self) -> Node:
        node = self._expression()
        if self._next.kind != "end":
            self._fail(self._next.place, "'and', 'or' or the end")
        return node

    def _expression(self) -> Node:
        parts = [self._conjunction()]
        while self._accept("or"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Disjunction(tuple(parts))

    def _conjunction(self) -> Node:
        parts = [self._negation()]
        while self._accept("and"):
            parts.append(self._negation())
        return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))

    def _negation(self) -> Node:
        place = self._next.place
        word = self._accept("not", "(")
        if word is None:
            return self._comparison()
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self._fail(place, f"at most {_MAX_DEPTH} nested parentheses and negations")
        if word == "not":
            node: Node = Negation(self._negation())
        else:
            node = self._expression()
            self._require(")")
        self.depth -= 1
        return node

    def _comparison(self) -> Node:
        place = self._next.place
        left = self._operand()
        negated = self._accept("not") is not None
        if negated:
            self._require("in")
        if negated or self._accept("in"):
            if not isinstance(left, _Name):
                self._fail(place, "the name of a parameter")
            return Membership(left.name, self._literals(), negated)
        parts: list[Node] = []
        while op := self._accept(*COMPARE):
            right = self._operand()
            parts.append(self._comparison_node(left, op, right, place))
            left = right
        if not parts:
            self._fail(self._next.place, "a comparison such as '<' or 'in'")
        return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))

    def _comparison_node(self, left: _Operand, op: str, right: _Operand, place: int) -> Node:
        if isinstance(left, _Name):
            if isinstance(right, _Name):
                return ParameterComparison(left.name, op, right.name)
            return Comparison(left.name, op, right.value)
        if isinstance(right, _Name):
            return Comparison(right.name, _MIRRORED[op], left.value)
        self._fail(place, "the name of a parameter")

    def _literals(self) -> tuple[Any, ...]:
        close = {"[": "]", "(": ")"}.get(self._accept("[", "(") or "")
        if close is None:
            self._fail(self._next.place, "a list such as ['a', 'b']")
        values: list[Any] = []
        while not values or self._accept(","):
            place = self._next.place
            operand = self._operand()
            if not isinstance(operand, _Literal):
                self._fail(place, "a number or a quoted text")
            values.append(operand.value)
        self._require(close)
        return tuple(values)

    def _operand(self) -> _Operand:
        token = self._next
        self.position += 1
        if token.kind == "number":
            # An integer beyond all floats counts as infinite.
            number = float(token.value)
            whole = re.fullmatch(r"([+-]?)0*(\d+)", token.value)
            exact = whole is not None and math.isfinite(number)
            return _Literal(int(f"{whole[1]}{whole[2]}") if whole and exact else number)
        if token.kind == "text":
            return _Literal(_ESCAPE.sub(_unescape, token.value[1:-1]))
        if token.kind == "quoted":
            return _Name(token.value.replace("``", "`"))
        if token.kind == "name" and token.value not in _KEYWORDS:
            if token.value.lower() in _CONSTANTS:
                return _Literal(_CONSTANTS[token.value.lower()])
            return _Name(token.value)
        self.position -= 1
        self._fail(token.place, "the name of a parameter or a value")


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


@dataclass(frozen=True, slots=True)
class _Literal:
    value: Any


_Operand: TypeAlias = _Name | _Literal
