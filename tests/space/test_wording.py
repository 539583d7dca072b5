"""Conditions put into words and read again."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from condped.space import Condition
from condped.space.nodes import (
    Comparison,
    Conjunction,
    Disjunction,
    Membership,
    Negation,
    Node,
    ParameterComparison,
)
from condped.space.simplify import condition_of

names = st.text(min_size=1, max_size=6) | st.sampled_from(["`", "``a", "a`", "not", "None", "a.b"])
values: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
operators = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
leaves: st.SearchStrategy[Node] = (
    st.builds(Comparison, names, operators, values)
    | st.builds(ParameterComparison, names, operators, names)
    | st.builds(
        Membership, names, st.lists(values, min_size=1, max_size=3).map(tuple), st.booleans()
    )
)
nodes: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda parts: (
        st.builds(Conjunction, st.lists(parts, min_size=2, max_size=3).map(tuple))
        | st.builds(Disjunction, st.lists(parts, min_size=2, max_size=3).map(tuple))
        | st.builds(Negation, parts)
    ),
    max_leaves=6,
)


@given(nodes)
def test_what_was_put_into_words_parses_to_the_same(node: Node) -> None:
    """Any names and texts: quotes, backticks, backslashes, line ends."""
    assert Condition.parse(condition_of(node).text).root == node


def test_names_and_texts_are_quoted_only_where_they_must_be() -> None:
    """Readable where possible."""
    node = Conjunction((Comparison("lr.x", "<", 0.5), Comparison("a`b", "==", "it's")))
    assert condition_of(node).text == "lr.x < 0.5 and `a``b` == 'it\\'s'"
