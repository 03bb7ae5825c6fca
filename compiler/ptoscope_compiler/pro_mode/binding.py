"""From the arguments of a call to the parameters of a table entry, with findings where they do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from ..diagnostics.rules import pt602_unknown_keyword, pt651_wrong_arguments
from ..evaluate.site import Site
from ..evaluate.values import Arguments, Unsupported, Value, is_unknown
from .api import Entry, Parameter
from .declarations import ENUMERATIONS, ElementType, Member
from .registers import MaskValue, RegisterValue
from .scalars import describe, is_scalar
from .tensors import Tensor
from .tiles import Pointer, Tile, TileGroup

_LITERALS: dict[str, Value] = {"none": None, "true": True, "false": False}

_CHECKS: dict[str, tuple[Callable[[Value], bool], str]] = {
    **dict.fromkeys(("W", "R", "RW", "T", "tile"), (lambda value: isinstance(value, (Tile, Pointer)), "a tile")),
    "s": (is_scalar, "a scalar"),
    "p": (lambda value: isinstance(value, (Tile, Pointer)), "a tile or a pointer into one"),
    "r": (lambda value: isinstance(value, RegisterValue), "a register"),
    "m": (lambda value: isinstance(value, MaskValue), "a mask"),
    "tensor": (lambda value: isinstance(value, Tensor), "a tensor"),
    "group": (lambda value: isinstance(value, TileGroup), "a tile group"),
    "offsets": (lambda value: isinstance(value, (list, tuple)) and all(map(is_scalar, value)), "a list of scalars"),
    "dtype": (lambda value: isinstance(value, ElementType), "an element type pl.DT_*"),
}


def bind(entry: Entry, prefix: str, arguments: Arguments, site: Site) -> dict[str, Value] | None:
    """Values by parameter name; None after a finding. Surplus positional arguments are under the variadic name, surplus
    keywords, where the entry takes them, under "**"."""
    name = f"{prefix}{entry.name}"
    values: dict[str, Value] = {}
    positional = entry.positional
    for parameter, value in zip(positional, arguments.positional, strict=False):
        values[parameter.name] = value
    surplus = arguments.positional[len(positional) :]
    if entry.variadic:
        values[entry.variadic] = tuple(surplus)
    elif surplus:
        text = f"{name}() takes {len(positional)} positional arguments but {len(arguments.positional)} were given"
        _wrong(site, text)
        return None
    extra: dict[str, Value] = {}
    known = {parameter.name: parameter for parameter in entry.parameters}
    for keyword, value in dict(arguments.keywords).items():
        if keyword in values:
            _wrong(site, f"{name}() got multiple values for argument '{keyword}'")
            return None
        if keyword in known:
            values[keyword] = value
        elif entry.fields:
            extra[keyword] = value
        else:
            _unknown_keyword(name, keyword, list(known), entry.signature, site)
    missing = [p.name for p in entry.parameters if p.name not in values and p.default is None]
    if missing:
        _wrong(site, f"{name}() is missing {', '.join(map(repr, missing))}")
        return None
    for parameter in entry.parameters:
        if parameter.name not in values:
            values[parameter.name] = default_of(parameter)
        else:
            _check(name, parameter, values[parameter.name])
    if entry.fields:
        values["**"] = extra
    return values


def default_of(parameter: Parameter) -> Value:
    """The default of a parameter as a value."""
    text = parameter.default or "none"
    if text in _LITERALS:
        return _LITERALS[text]
    for kind in parameter.kinds:
        if kind in ENUMERATIONS:
            return ENUMERATIONS[kind].members[text]
    return float(text) if "." in text else int(text)


def _check(name: str, parameter: Parameter, value: Value) -> None:
    if not parameter.kinds or contains_unknown(value) or (value is None and parameter.default == "none"):
        return
    wanted: list[str] = []
    for kind in parameter.kinds:
        if kind in ENUMERATIONS:
            if isinstance(value, Member) and value.enumeration == kind:
                return
            wanted.append(f"a pl.{kind}")
            continue
        accepts, text = _CHECKS[kind]
        if accepts(value):
            return
        wanted.append(text)
    raise Unsupported(
        f"{name}(): '{parameter.name}' must be {' or '.join(dict.fromkeys(wanted))}, not {describe(value)}"
    )


def contains_unknown(value: Value) -> bool:
    """Whether a value, or an item of it, is not known."""
    if isinstance(value, (tuple, list)):
        return any(map(contains_unknown, value))
    return is_unknown(value)


def _wrong(site: Site, message: str) -> None:
    site.report(pt651_wrong_arguments.RULE.at(site.origin, message=message))


def _unknown_keyword(name: str, keyword: str, known: Sequence[str], signature: str, site: Site) -> None:
    near = get_close_matches(keyword, known, 1)
    english, chinese = suggestion(near)
    site.report(
        pt602_unknown_keyword.RULE.at(
            site.argument_origin(keyword),
            call=name,
            keyword=keyword,
            suggestion=english,
            suggestion_zh=chinese,
            signature=name + signature,
        )
    )


def suggestion(near: Sequence[str]) -> tuple[str, str]:
    """What to say of the nearest name, in English and Chinese; nothing where there is none."""
    return (f" Did you mean '{near[0]}'?", f"是否想写 '{near[0]}'？") if near else ("", "")
