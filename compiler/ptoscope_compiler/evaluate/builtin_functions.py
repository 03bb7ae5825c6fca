"""Python's built-in functions over values that may be abstract or Unknown."""

from __future__ import annotations

import builtins
from typing import Any

from .attributes import UNKNOWN_KEY, get_attribute, is_hashable, set_attribute
from .iteration import items_of, iterate
from .natives import ask_abstract, call_concrete, is_concrete, native, native_family
from .operation import Operation
from .operators import binary, compare, definite_truth, truth
from .scope import BUILTIN_NAMES
from .values import Abstract, Arguments, Unknown, Unsupported, Value, is_unknown

_UNSAFE = frozenset(
    {
        "__build_class__", "__import__", "__loader__", "__spec__", "breakpoint", "compile", "copyright", "credits",
        "delattr", "eval", "exec", "exit", "globals", "help", "input", "license", "locals", "memoryview", "open",
        "quit", "vars", "__doc__", "__name__", "__package__", "__debug__",
    }
)  # fmt: skip

BUILTINS: dict[str, Value] = {
    name: Unknown(name) if name in _UNSAFE else getattr(builtins, name) for name in BUILTIN_NAMES
}
BUILTINS["__debug__"] = True
BUILTINS["exit"] = BUILTINS["quit"] = SystemExit


def one(arguments: Arguments) -> Value:
    """The first argument; None where there is none."""
    return arguments.positional[0] if arguments.positional else None


@native(print)
def _print(arguments: Arguments, site: Operation) -> Value:
    return None


@native(len, 1, 1)
def _len(arguments: Arguments, site: Operation) -> Value:
    value = one(arguments)
    if len(arguments.positional) != 1 or isinstance(value, Abstract):
        return (
            ask_abstract("len", arguments, site) if isinstance(value, Abstract) else call_concrete(len, arguments, site)
        )
    if is_unknown(value) or site.interpreter.is_vague(value):
        return Unknown("length")
    if isinstance(value, dict) and UNKNOWN_KEY in value:
        return Unknown("length")
    try:
        return len(value)
    except TypeError as error:
        return site.fail(error)


@native_family(abs, round, divmod, pow, int, float, complex, ord, chr, bin, hex, oct, range, slice, hash)
def _numeric(function: Any, arguments: Arguments, site: Operation) -> Value:
    if function is slice:
        return slice(*arguments.positional)
    values = (*arguments.positional, *dict(arguments.keywords).values())
    if all(map(is_concrete, values)):
        return _bounded_power(arguments, site) if function is pow else call_concrete(function, arguments, site)
    return ask_abstract(function.__name__, arguments, site)


def _bounded_power(arguments: Arguments, site: Operation) -> Value:
    if len(arguments.positional) == 2:
        return binary("**", *arguments.positional, site)
    return call_concrete(pow, arguments, site)


@native(bool)
def _bool(arguments: Arguments, site: Operation) -> Value:
    if not arguments.positional:
        return False
    value = definite_truth(one(arguments), site)
    return Unknown("truth") if value is None else value


@native_family(str, repr, ascii, format)
def _text(function: Any, arguments: Arguments, site: Operation) -> Value:
    if all(map(is_concrete, arguments.positional)):
        return call_concrete(function, arguments, site)
    value = one(arguments)
    if isinstance(value, Abstract):
        try:
            return value.builtin(function.__name__, arguments, site)
        except Unsupported:
            return Unknown("text")
    return Unknown("text")


@native(isinstance, 2, 2)
def _isinstance(arguments: Arguments, site: Operation) -> Value:
    value, classes = arguments.positional
    answers = [is_instance(value, one, site) for one in (classes if isinstance(classes, tuple) else (classes,))]
    if any(answer is True for answer in answers):
        return True
    return False if all(answer is False for answer in answers) else Unknown("class")


def is_instance(value: Value, kind: Value, site: Operation) -> bool | None:
    """`isinstance(value, kind)`; None where it is not known."""
    if isinstance(kind, tuple):
        return _isinstance(Arguments((value, kind)), site) is True
    if isinstance(kind, Abstract):
        return kind.has_instance(value, site)
    if is_unknown(kind) or is_unknown(value):
        return None
    if isinstance(value, Abstract):
        native_types = getattr(value, "native_types", (object,))
        return isinstance(kind, type) and any(issubclass(base, kind) for base in native_types)
    try:
        return isinstance(value, kind)
    except TypeError as error:
        site.fail(error)
        return None


@native(issubclass, 2, 2)
def _issubclass(arguments: Arguments, site: Operation) -> Value:
    return call_concrete(issubclass, arguments, site)


@native(type, 1, 3)
def _type(arguments: Arguments, site: Operation) -> Value:
    value = one(arguments)
    if len(arguments.positional) != 1 or is_unknown(value):
        return Unknown("type")
    if isinstance(value, Abstract):
        return getattr(value, "user_class", Unknown("type"))
    return getattr(type(value), "user_class", None) or type(value)


@native(callable, 1, 1)
def _callable(arguments: Arguments, site: Operation) -> Value:
    value = one(arguments)
    if is_unknown(value):
        return Unknown("callable")
    if isinstance(value, Abstract):
        return type(value).call is not Abstract.call
    return callable(value)


@native(id, 1, 1)
def _id(arguments: Arguments, site: Operation) -> Value:
    return Unknown("id") if is_unknown(one(arguments)) else id(one(arguments))


@native(getattr, 2, 3)
def _getattr(arguments: Arguments, site: Operation) -> Value:
    target, name = arguments.positional[:2]
    if is_unknown(name) or is_unknown(target):
        return Unknown("attribute")
    if len(arguments.positional) < 3:
        return get_attribute(target, name, site)
    found = _has_attribute(target, name, site)
    return get_attribute(target, name, site) if found else arguments.positional[2]


@native(hasattr, 2, 2)
def _hasattr(arguments: Arguments, site: Operation) -> Value:
    target, name = arguments.positional
    return Unknown("attribute") if is_unknown(name) or is_unknown(target) else _has_attribute(target, name, site)


def _has_attribute(target: Value, name: str, site: Operation) -> bool:
    if not isinstance(target, Abstract):
        return hasattr(target, name)
    try:
        target.get_attribute(name, site)
    except Unsupported:
        return False
    return True


@native(setattr, 3, 3)
def _setattr(arguments: Arguments, site: Operation) -> Value:
    target, name, value = arguments.positional
    if isinstance(name, str):
        set_attribute(target, name, value, site)
    return None


@native_family(min, max, least=1)
def _extreme(function: Any, arguments: Arguments, site: Operation) -> Value:
    values = list(arguments.positional)
    if len(values) == 1:
        found = items_of(values[0], site)
        if found is None:
            return Unknown(function.__name__)
        values = found
    keywords = dict(arguments.keywords)
    key = keywords.pop("key", None)
    if not values and "default" in keywords:
        return keywords["default"]
    if key is not None:
        return _extreme_by(function, values, key, site)
    if all(map(is_concrete, values)):
        return call_concrete(function, Arguments((values,)), site)
    return ask_abstract(function.__name__, Arguments(tuple(values)), site)


def _extreme_by(function: Any, values: list[Value], key: Value, site: Operation) -> Value:
    keys = [site.call(key, Arguments((value,))) for value in values]
    if not keys or not is_concrete(keys):
        return Unknown(function.__name__)
    return values[function(range(len(values)), key=keys.__getitem__)]


@native(sum, 1, 2)
def _sum(arguments: Arguments, site: Operation) -> Value:
    items = items_of(one(arguments), site)
    if items is None:
        return Unknown("sum")
    total: Value = (
        arguments.positional[1] if len(arguments.positional) > 1 else dict(arguments.keywords).get("start", 0)
    )
    if all(map(is_concrete, items)):
        return call_concrete(sum, Arguments((items, total)), site)
    for item in items:
        total = binary("+", total, item, site)
    return total


@native_family(any, all, least=1)
def _quantifier(function: Any, arguments: Arguments, site: Operation) -> Value:
    stops_at = function is any
    items = iterate(one(arguments), site)
    if items is None:
        return Unknown("truth")
    answer: Value = not stops_at
    for item in items:
        known = definite_truth(item, site)
        if known is stops_at:
            return stops_at
        if known is None:
            answer = Unknown("truth")
    return answer


@native(sorted, 1, 1)
def _sorted(arguments: Arguments, site: Operation) -> Value:
    items = items_of(one(arguments), site)
    return Unknown("sorted") if items is None else sort(items, dict(arguments.keywords), site)


def sort(items: list[Value], options: dict[str, Value], site: Operation) -> Value:
    """A sorted copy of `items`; Unknown where the order is not known."""
    key = options.get("key")
    keys = items if key is None else [site.call(key, Arguments((item,))) for item in items]
    reverse = truth(options.get("reverse", False), site)
    if not is_concrete(keys):
        keys = _leading(keys)
    if not is_concrete(keys) or reverse is None:
        return Unknown("sorted")
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except TypeError as error:
        return site.fail(error)
    return [items[index] for index in order]


def _leading(keys: list[Value]) -> list[Value]:
    """The first parts of tuples, where these decide the order: no two are equal."""
    if not all(isinstance(key, tuple) and key and is_concrete(key[0]) and is_hashable(key[0]) for key in keys):
        return keys
    first = [key[0] for key in keys]
    return first if len(set(first)) == len(first) else keys


@native_family(list, tuple, set, frozenset)
def _collection(function: Any, arguments: Arguments, site: Operation) -> Value:
    if not arguments.positional:
        return function()
    items = items_of(one(arguments), site)
    if items is None:
        return Unknown(function.__name__)
    if function in (list, tuple):
        return function(items)
    if any(map(is_unknown, items)):
        return Unknown(function.__name__)
    bad = next((item for item in items if not is_hashable(item)), None)
    if bad is not None:
        return site.fail(TypeError(f"unhashable type: '{type(bad).__name__}'"))
    return function(items)


@native(dict)
def _dict(arguments: Arguments, site: Operation) -> Value:
    table: dict[Any, Value] = {}
    if arguments.positional:
        source = one(arguments)
        if is_unknown(source) or site.interpreter.is_vague(source) or isinstance(source, Abstract):
            table[UNKNOWN_KEY] = Unknown("element")
        elif isinstance(source, dict):
            table.update(source)
        elif (pairs := items_of(source, site)) is not None:
            try:
                table.update((pair[0], pair[1]) for pair in pairs if not is_unknown(pair))
            except Exception as error:
                return site.fail(error)
    table.update(dict(arguments.keywords))
    return table


@native_family(enumerate, reversed, zip)
def _lazy(function: Any, arguments: Arguments, site: Operation) -> Value:
    sources: list[Value] = []
    for source in arguments.positional[:1] if function is enumerate else arguments.positional:
        if isinstance(source, Abstract):
            source = items_of(source, site)
        if source is None or is_unknown(source) or site.interpreter.is_vague(source):
            return Unknown(function.__name__)
        sources.append(source)
    rest = arguments.positional[len(sources) :]
    if any(map(is_unknown, rest)) or any(map(is_unknown, dict(arguments.keywords).values())):
        return Unknown(function.__name__)
    try:
        return function(*sources, *rest, **dict(arguments.keywords))
    except TypeError as error:
        return site.fail(error)


@native_family(map, filter, least=1)
def _apply(function: Any, arguments: Arguments, site: Operation) -> Value:
    applied, *sources = arguments.positional
    columns = [items_of(source, site) for source in sources]
    if any(column is None for column in columns):
        return Unknown(function.__name__)
    rows = zip(*(column or () for column in columns), strict=False)
    if function is map:
        return iter([site.call(applied, Arguments(tuple(row))) for row in rows])
    kept = [(item, item if applied is None else site.call(applied, Arguments((item,)))) for (item,) in rows]
    answers = [(item, definite_truth(answer, site)) for item, answer in kept]
    if any(answer is None for _, answer in answers):
        return Unknown("filter")
    return iter([item for item, answer in answers if answer])


@native(iter, 1, 2)
def _iter(arguments: Arguments, site: Operation) -> Value:
    value = one(arguments)
    if isinstance(value, Abstract) or len(arguments.positional) != 1:
        items = items_of(value, site) if len(arguments.positional) == 1 else None
        return Unknown("iterator") if items is None else iter(items)
    if is_unknown(value) or site.interpreter.is_vague(value):
        return Unknown("iterator")
    try:
        return iter(value)
    except TypeError as error:
        return site.fail(error)


@native(next, 1, 2)
def _next(arguments: Arguments, site: Operation) -> Value:
    iterator = one(arguments)
    if is_unknown(iterator) or isinstance(iterator, Abstract):
        return Unknown("item")
    try:
        return next(*arguments.positional)
    except (StopIteration, TypeError) as error:
        return site.fail(error)


def operator_function(symbol: str) -> Any:
    """A handler for the function of module `operator` that means `symbol`."""

    def apply(arguments: Arguments, site: Operation) -> Value:
        left, right = arguments.positional
        return compare(symbol, left, right, site)

    return apply
