"""Queries give what a computation from scratch gives, in any order of asking, and run only when they must."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptoscope_compiler.query import Cancellation, Cancelled, Database, Input, QueryCycle, query

NUMBER: Input[str, int] = Input("number", 0)
PLAN: Input[int, tuple[int, ...]] = Input("plan", ())


@query
def parity(database: Database, key: str) -> int:
    return NUMBER(database, key) % 2


@query
def word(database: Database, key: str) -> str:
    return "odd" if parity(database, key) else "even"


@query
def chosen(database: Database) -> str:
    return word(database, "a") if NUMBER(database, "switch") else word(database, "b")


@query
def endless(database: Database, key: str) -> str:
    return endless(database, key)


@query
def node(database: Database, index: int) -> int:
    """One node of a random graph: its plan names smaller nodes, of which the first decides how many are read."""
    plan = PLAN(database, index)
    value = NUMBER(database, str(index)) % 7
    if plan:
        first = node(database, plan[0])
        value += first + sum(node(database, other) for other in plan[1 : 1 + first % 3])
    return value % 5


def test_a_result_is_kept_until_what_it_read_changes() -> None:
    database = Database()
    assert [word(database, "a"), word(database, "a")] == ["even", "even"]
    assert database.executions == {"word": 1, "parity": 1}
    database.set(NUMBER, "b", 5)
    assert word(database, "a") == "even"
    assert database.executions == {"word": 1, "parity": 1}


def test_an_equal_result_stops_the_change() -> None:
    database = Database()
    word(database, "a")
    database.set(NUMBER, "a", 2)
    assert word(database, "a") == "even"
    assert database.executions == {"word": 1, "parity": 2}
    database.set(NUMBER, "a", 3)
    assert word(database, "a") == "odd"
    assert database.executions == {"word": 2, "parity": 3}


def test_what_a_result_did_not_read_this_time_does_not_reach_it() -> None:
    database = Database()
    database.set(NUMBER, "switch", 1)
    assert chosen(database) == "even"
    database.set(NUMBER, "switch", 0)
    assert chosen(database) == "even"
    runs = database.executions["chosen"]
    database.set(NUMBER, "a", 1)
    assert chosen(database) == "even"
    assert database.executions["chosen"] == runs


def test_setting_the_same_value_is_no_new_revision() -> None:
    database = Database()
    database.set(NUMBER, "a", 0)
    assert database.revision == 1


def test_a_cycle_is_named_and_leaves_the_database_usable() -> None:
    database = Database()
    with pytest.raises(QueryCycle) as caught:
        endless(database, "a")
    assert caught.value.names == ("endless(a)", "endless(a)")
    assert word(database, "a") == "even"


def test_a_cancelled_query_stops_and_can_be_asked_again() -> None:
    database = Database()
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(Cancelled), database.cancellable(cancellation):
        word(database, "a")
    assert database.executions == {}
    assert word(database, "a") == "even"


def test_results_that_nobody_asks_for_are_forgotten() -> None:
    database = Database()
    for number in range(1000):
        database.set(NUMBER, "a", number)
        word(database, str(number))
    kept = sum(1 for node in database._memos if node.source is word)
    assert kept < 200
    assert word(database, "a") == "odd"


_INDEX = st.integers(0, 7)
_STEP = st.one_of(
    st.tuples(st.just("number"), _INDEX, st.integers(0, 20)),
    st.tuples(st.just("plan"), _INDEX, st.lists(_INDEX, max_size=4)),
    st.tuples(st.just("ask"), _INDEX, st.none()),
)


def _from_scratch(inputs: list[tuple[Input, object, object]]) -> list[int]:  # type: ignore[type-arg]
    database = Database()
    for source, key, value in inputs:
        database.set(source, key, value)
    return [node(database, index) for index in range(8)]


@settings(max_examples=300, deadline=None)
@given(st.lists(_STEP, max_size=30), st.permutations(range(8)))
def test_results_do_not_depend_on_the_order_of_edits_and_questions(steps: list, order: list[int]) -> None:  # type: ignore[type-arg]
    database = Database()
    inputs: list[tuple[Input, object, object]] = []  # type: ignore[type-arg]
    for kind, index, value in steps:
        if kind == "ask":
            node(database, index)
            continue
        source, key = (NUMBER, str(index)) if kind == "number" else (PLAN, index)
        setting = value if kind == "number" else tuple(other for other in value if other < index)
        database.set(source, key, setting)  # type: ignore[arg-type]
        inputs.append((source, key, setting))
    asked = {index: node(database, index) for index in order}
    assert [asked[index] for index in range(8)] == _from_scratch(inputs)
    runs = dict(database.executions)
    assert {index: node(database, index) for index in order} == asked
    assert database.executions == runs
