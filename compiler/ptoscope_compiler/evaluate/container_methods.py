"""Methods of lists, dicts, sets and strings over values that may be abstract or Unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .attributes import UNKNOWN_KEY, get_item, is_hashable, set_item
from .builtin_functions import sort
from .iteration import items_of
from .natives import call_concrete, is_concrete, native_method
from .operation import Operation
from .operators import equal
from .values import Abstract, Arguments, Unknown, Value, is_unknown


@native_method(list, "append", "insert", "copy", "clear", "reverse")
def _list_change(name: str, items: list[Value], arguments: Arguments, site: Operation) -> Value:
    site.interpreter.mutating(items)
    if name == "insert" and any(is_unknown(value) for value in arguments.positional[:1]):
        site.interpreter.forget(items)
        return None
    return _attempt(items, name, arguments.positional, site)


@native_method(list, "extend")
def _list_extend(name: str, items: list[Value], arguments: Arguments, site: Operation) -> Value:
    site.interpreter.mutating(items)
    more = items_of(arguments.positional[0], site) if arguments.positional else []
    if more is None:
        site.interpreter.forget(items)
    else:
        items.extend(more)
    return None


@native_method(list, "pop")
def _list_pop(name: str, items: list[Value], arguments: Arguments, site: Operation) -> Value:
    site.interpreter.mutating(items)
    if not is_concrete(arguments.positional):
        site.interpreter.forget(items)
        return Unknown("element")
    return _attempt(items, "pop", arguments.positional, site)


@native_method(list, "remove", "index", "count")
def _list_search(name: str, items: list[Value], arguments: Arguments, site: Operation) -> Value:
    if is_concrete(items) and is_concrete(arguments.positional):
        if name == "remove":
            site.interpreter.mutating(items)
        return _attempt(items, name, arguments.positional, site)
    answers = [equal(arguments.positional[0], item, site) for item in items]
    if any(answer is not True and answer is not False for answer in answers):
        if name == "remove":
            site.interpreter.forget(items)
        return Unknown("search")
    if name == "count":
        return answers.count(True)
    if True not in answers:
        return site.fail(ValueError("value is not in list"))
    if name == "index":
        return answers.index(True)
    site.interpreter.mutating(items)
    del items[answers.index(True)]
    return None


@native_method(list, "sort")
def _list_sort(name: str, items: list[Value], arguments: Arguments, site: Operation) -> Value:
    site.interpreter.mutating(items)
    order = sort(list(items), dict(arguments.keywords), site)
    if is_unknown(order):
        items[:] = [Unknown("sorted")] * len(items)
    else:
        items[:] = order
    return None


@native_method(dict, "get", "setdefault", "pop")
def _dict_lookup(name: str, table: dict[Any, Value], arguments: Arguments, site: Operation) -> Value:
    key, *rest = arguments.positional or (None,)
    default = rest[0] if rest else dict(arguments.keywords).get("default")
    if is_unknown(key):
        if name != "get":
            site.interpreter.forget(table)
        return Unknown("element")
    if not is_hashable(key):
        return site.fail(TypeError(f"unhashable type: '{type(key).__name__}'"))
    if key not in table and UNKNOWN_KEY in table:
        return Unknown("element")
    if key in table or (name == "pop" and not rest):
        value = get_item(table, key, site)
        if name == "pop" and key in table:
            site.interpreter.mutating(table)
            del table[key]
        return value
    if name == "setdefault":
        set_item(table, key, default, site)
    return default


@native_method(dict, "update")
def _dict_update(name: str, table: dict[Any, Value], arguments: Arguments, site: Operation) -> Value:
    site.interpreter.mutating(table)
    for source in arguments.positional:
        if isinstance(source, Mapping) and not site.interpreter.is_vague(source):
            table.update(source)
            continue
        pairs = None if isinstance(source, Abstract) else items_of(source, site)
        if pairs is None or any(map(is_unknown, pairs)):
            table[UNKNOWN_KEY] = Unknown("element")
        else:
            _attempt(table, "update", (pairs,), site)
    table.update(dict(arguments.keywords))
    return None


@native_method(dict, "clear", "popitem")
def _dict_change(name: str, table: dict[Any, Value], arguments: Arguments, site: Operation) -> Value:
    site.interpreter.mutating(table)
    return _attempt(table, name, arguments.positional, site)


@native_method(dict, "items", "keys", "values", "copy")
def _dict_view(name: str, table: dict[Any, Value], arguments: Arguments, site: Operation) -> Value:
    return _attempt(table, name, arguments.positional, site)


@native_method(set, "add", "discard", "remove", "pop", "clear", "update")
def _set_change(name: str, items: set[Value], arguments: Arguments, site: Operation) -> Value:
    site.interpreter.mutating(items)
    values = arguments.positional
    if name == "update":
        values = tuple(items_of(source, site) for source in values)
    if any(value is None and name == "update" or is_unknown(value) for value in values):
        site.interpreter.forget(items)
        return None
    return _attempt(items, name, values, site)


@native_method(str, "join")
def _join(name: str, separator: str, arguments: Arguments, site: Operation) -> Value:
    items = items_of(arguments.positional[0], site) if arguments.positional else []
    if items is None:
        return Unknown("text")
    return call_concrete(separator.join, Arguments((items,)), site)


def _attempt(container: Any, name: str, values: tuple[Value, ...], site: Operation) -> Value:
    try:
        return getattr(container, name)(*values)
    except Exception as error:
        return site.fail(error)
