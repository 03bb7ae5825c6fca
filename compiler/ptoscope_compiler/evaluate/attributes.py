"""Attributes and items of any value."""

from __future__ import annotations

from typing import Any

from .natives import native_attribute
from .operation import Operation
from .uncertainty import merge
from .values import Abstract, Arguments, Unknown, Unsupported, Value, is_unknown

UNKNOWN_KEY = Unknown()
"""Stands in a dict for keys that are not known."""

_NO_ARGUMENTS = Arguments()


def get_attribute(value: Value, name: str, site: Operation) -> Value:
    """`value.name`."""
    if is_unknown(value):
        return Unknown(name)
    try:
        if isinstance(value, Abstract):
            return value.get_attribute(name, site)
        return native_attribute(value, name, site)
    except Unsupported as reason:
        return site.fail(AttributeError(str(reason)))


def set_attribute(target: Value, name: str, value: Value, site: Operation) -> None:
    """`target.name = value`."""
    if is_unknown(target):
        return
    try:
        if not isinstance(target, Abstract):
            raise Unsupported(f"'{type(target).__name__}' object has no attribute '{name}'")
        target.set_attribute(name, value, site)
    except Unsupported as reason:
        site.fail(AttributeError(str(reason)))


def get_item(value: Value, key: Value, site: Operation) -> Value:
    """`value[key]`; `key` may be a slice of values or a tuple of keys."""
    if is_unknown(value) or site.interpreter.is_vague(value):
        return Unknown("element")
    if isinstance(value, Abstract):
        try:
            return value.get_item(key, site)
        except Unsupported as reason:
            return site.fail(TypeError(str(reason)))
    if isinstance(value, dict):
        return _dict_item(value, key, site)
    if isinstance(value, type):
        return Unknown("generic alias")
    if not hasattr(value, "__getitem__"):
        return site.fail(TypeError(f"'{type(value).__name__}' object is not subscriptable"))
    if isinstance(key, Abstract) and isinstance(value, (list, tuple)):
        selected = key.select_from(value, site)
        if selected is not NotImplemented:
            return selected
    index = native_index(key, site)
    if is_unknown(index):
        return Unknown("element")
    try:
        return value[index]
    except Exception as error:
        return site.fail(error)


def set_item(target: Value, key: Value, value: Value, site: Operation) -> None:
    """`target[key] = value`."""
    if is_unknown(target) or site.interpreter.is_vague(target):
        return
    if isinstance(target, Abstract):
        try:
            target.set_item(key, value, site)
        except Unsupported as reason:
            site.fail(TypeError(str(reason)))
        return
    if not isinstance(target, (list, dict)):
        site.fail(TypeError(f"'{type(target).__name__}' object does not support item assignment"))
        return
    site.interpreter.mutating(target)
    if isinstance(target, dict):
        _set_dict_item(target, key, value, site)
    else:
        _set_list_item(target, key, value, site)


def delete_item(target: Value, key: Value, site: Operation) -> None:
    """`del target[key]`."""
    if is_unknown(target) or site.interpreter.is_vague(target) or isinstance(target, Abstract):
        return
    index = key if isinstance(target, dict) else native_index(key, site)
    if not isinstance(target, (list, dict)):
        site.fail(TypeError(f"'{type(target).__name__}' object doesn't support item deletion"))
        return
    site.interpreter.mutating(target)
    if is_unknown(index):
        site.interpreter.forget(target)
        return
    try:
        del target[index]
    except Exception as error:
        site.fail(error)


def native_index(key: Value, site: Operation) -> Any:
    """`key` for a native sequence; Unknown where it is not known now."""
    if isinstance(key, slice):
        parts = [native_index(part, site) for part in (key.start, key.stop, key.step)]
        return Unknown("slice") if any(is_unknown(part) for part in parts) else slice(*parts)
    if isinstance(key, Abstract):
        try:
            return key.builtin("__index__", _NO_ARGUMENTS, site)
        except Unsupported as reason:
            site.fail(TypeError(str(reason)))
            return Unknown("index")
    return key


def is_hashable(key: Value) -> bool:
    """Whether a dict or set takes `key`."""
    try:
        hash(key)
    except TypeError:
        return False
    return True


def _dict_item(table: dict[Any, Value], key: Value, site: Operation) -> Value:
    if is_unknown(key):
        return Unknown("element")
    if not is_hashable(key):
        return site.fail(TypeError(f"unhashable type: '{type(key).__name__}'"))
    if UNKNOWN_KEY in table:
        return merge(table[key], table[UNKNOWN_KEY]) if key in table else Unknown("element")
    try:
        return table[key]
    except KeyError as error:
        return site.fail(error)


def _set_dict_item(table: dict[Any, Value], key: Value, value: Value, site: Operation) -> None:
    if is_unknown(key):
        table[UNKNOWN_KEY] = Unknown("element")
    elif is_hashable(key):
        table[key] = value
    else:
        site.fail(TypeError(f"unhashable type: '{type(key).__name__}'"))


def _set_list_item(items: list[Value], key: Value, value: Value, site: Operation) -> None:
    index = native_index(key, site)
    if is_unknown(index):
        if isinstance(key, slice):
            site.interpreter.forget(items)
        else:
            items[:] = [Unknown("element")] * len(items)
        return
    if isinstance(index, slice) and (is_unknown(value) or isinstance(value, Abstract)):
        site.interpreter.forget(items)
        return
    try:
        items[index] = value
    except Exception as error:
        site.fail(error)
