"""Functions that set or read what is in force: tiles, options, labels (`python/pypto/{config,_controller}.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from ..diagnostics.rules import pt608_wrong_tile_shape, pt613_wrong_option
from ..evaluate.values import Abstract, Arguments, Unknown, Value, is_unknown
from ..ir.graph import CubeTile
from . import api
from .configuration import GROUPS
from .enums import EnumMember
from .errors import Rejected, Undecided

if TYPE_CHECKING:
    from ..evaluate.site import Site, WithBlock
    from .session import Session

Function = Callable[["Session", Mapping[str, Value], "Site"], Value]
MAXIMAL_RANK = 5


def _reject(site: Site, call: str, problem: str, problem_zh: str, expected: str) -> NoReturn:
    rule = pt608_wrong_tile_shape.RULE
    raise Rejected(rule.at(site.origin, call=call, problem=problem, problem_zh=problem_zh, expected=expected))


def _sizes(value: Value, call: str, name: str, counts: Sequence[int], site: Site) -> tuple[int, ...]:
    if is_unknown(value):
        raise Undecided
    expected = f"{' or '.join(map(str, counts))} sizes greater than 0 for '{name}'"
    if not isinstance(value, (list, tuple)):
        _reject(site, call, f"'{name}' is no list", f"'{name}' 不是列表", expected)
    if any(is_unknown(item) for item in value):
        raise Undecided
    if len(value) not in counts:
        _reject(site, call, f"'{name}' has {len(value)} entries", f"'{name}' 有 {len(value)} 项", expected)
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or item <= 0:
            shown = item.describe() if isinstance(item, Abstract) else repr(item)
            _reject(site, call, f"'{name}' holds {shown}", f"'{name}' 含有 {shown}", expected)
    return tuple(value)


def _set_vec_tile_shapes(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    shapes = bound["shapes"]
    try:
        _set_vector(session, shapes, "pypto.set_vec_tile_shapes", site)
    except Undecided:
        _give_up(session, site)
    return None


def _set_vector(session: Session, shapes: Value, call: str, site: Site) -> None:
    session.configuration.lose_tile("vector", site.origin)
    sizes = _sizes(shapes, call, "shapes", range(1, MAXIMAL_RANK + 1), site)
    session.configuration.set_vector_tile(sizes, site.origin)


def _give_up(session: Session, site: Site) -> None:
    if session.tracer is not None:
        session.tracer.give_up(site.origin)


def _cube_tile(m: Value, k: Value, n: Value, split: Value, call: str, site: Site) -> CubeTile:
    rows = _sizes(m, call, "m", (2,), site)
    inner = _sizes(k, call, "k", (2, 3), site)
    columns = _sizes(n, call, "n", (2,), site)
    if is_unknown(split):
        raise Undecided
    third = inner[2] if len(inner) == 3 else inner[1]
    return CubeTile((rows[0], rows[1]), (inner[0], inner[1], third), (columns[0], columns[1]), bool(split))


def _set_cube_tile_shapes(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    session.configuration.lose_tile("cube", site.origin)
    try:
        tile = _cube_tile(
            bound["m"], bound["k"], bound["n"], bound.get("enable_split_k", False), "pypto.set_cube_tile_shapes", site
        )
    except Undecided:
        _give_up(session, site)
        return None
    session.configuration.set_cube_tile(tile, site.origin)
    return None


def _get_vec_tile_shapes(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    tile = session.configuration.current.tiles.vector
    if tile is None and "vector" in session.configuration.current.tiles.origins:
        return Unknown("vector tile")
    return [] if tile is None else list(tile)


def _get_cube_tile_shapes(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    tile = session.configuration.current.tiles.cube
    if tile is None:
        return Unknown("cube tile")
    return list(tile.m), list(tile.k), list(tile.n), tile.split_k


def _set_matrix_size(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    size = bound["size"]
    if isinstance(size, (list, tuple)) and all(isinstance(item, int) for item in size):
        session.configuration.set_matrix_size(tuple(size))
    return None


def _set_conv_tile_shapes(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    session.configuration.set_conv_tile((bound["tile_l1_info"], bound.get("tile_l0_info")))
    return None


_LABEL_OF_FUNCTION = re.compile(r"^func\d+_\d+$")


def _set_semantic_label(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    label = bound["label"]
    if isinstance(label, str):
        if _LABEL_OF_FUNCTION.match(label):
            problem, problem_zh = f"'{label}' is the form of a function's own key", f"'{label}' 与函数键格式冲突"
            rule = pt613_wrong_option.RULE
            call = "pypto.set_semantic_label"
            raise Rejected(
                rule.at(site.origin, call=call, problem=problem, problem_zh=problem_zh, expected="another label")
            )
        session.configuration.set_label(label)
    return None


def _plain(value: Value) -> Value:
    return value.value if isinstance(value, EnumMember) else value


def _setter(group: str) -> Function:
    def run(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
        given = {name: _plain(value) for name, value in bound.items() if value is not None and not is_unknown(value)}
        session.configuration.set_options(group, given)
        return None

    return run


def _getter(group: str) -> Function:
    return lambda session, bound, site: session.configuration.group(group)


def apply_options(session: Session, given: Mapping[str, Value], call: str, site: Site) -> None:
    """Set everything that `pypto.options` and `pypto.set_options` take."""
    for group in GROUPS:
        options = given.get(f"{group}_options")
        if isinstance(options, dict):
            session.configuration.set_options(group, {name: _plain(value) for name, value in options.items()})
    try:
        if given.get("vec_tile_shapes") is not None:
            _set_vector(session, given["vec_tile_shapes"], call, site)
        cube = given.get("cube_tile_shapes")
        if isinstance(cube, (list, tuple)) and 3 <= len(cube) <= 4:
            session.configuration.lose_tile("cube", site.origin)
            m, k, n = cube[:3]
            tile = _cube_tile(m, k, n, cube[3] if len(cube) == 4 else False, call, site)
            session.configuration.set_cube_tile(tile, site.origin)
    except Undecided:
        _give_up(session, site)


def _set_options(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    apply_options(session, bound, "pypto.set_options", site)
    return None


class Options(Abstract):
    """`pypto.options(...)`: a decorator, and a context for `with`."""

    type_name = "pypto.options"

    def __init__(self, session: Session, given: Mapping[str, Value]) -> None:
        self.session = session
        self.given = given

    def call(self, arguments: Arguments, site: Site) -> Value:
        function = arguments.positional[0] if arguments.positional else Unknown("function")
        return function if is_unknown(function) else OptionedFunction(self.session, self.given, function)

    def trace_with(self, block: WithBlock, site: Site) -> bool:
        with self.session.configuration.scope():
            apply_options(self.session, self.given, "pypto.options", site)
            block.run_body()
        return True


class OptionedFunction(Abstract):
    """A host function that runs under options."""

    type_name = "function"

    def __init__(self, session: Session, given: Mapping[str, Value], function: Value) -> None:
        self.session = session
        self.given = given
        self.function = function

    @property
    def attributes(self) -> dict[str, Value]:
        """Those of the function under the options: marks of a test."""
        own: dict[str, Value] = getattr(self.function, "attributes", {})
        return own

    def call(self, arguments: Arguments, site: Site) -> Value:
        with self.session.configuration.scope():
            apply_options(self.session, self.given, "pypto.options", site)
            return site.call(self.function, arguments)

    def get_attribute(self, name: str, site: Site) -> Value:
        if isinstance(self.function, Abstract):
            return self.function.get_attribute(name, site)
        return Unknown(name)

    def describe(self) -> str:
        return self.function.describe() if isinstance(self.function, Abstract) else "function"


def _options(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    return Options(session, bound)


def _ignored(session: Session, bound: Mapping[str, Value], site: Site) -> Value:
    return None


FUNCTIONS: Mapping[str, Function] = {
    "pypto.set_vec_tile_shapes": _set_vec_tile_shapes,
    "pypto.get_vec_tile_shapes": _get_vec_tile_shapes,
    "pypto.set_cube_tile_shapes": _set_cube_tile_shapes,
    "pypto.get_cube_tile_shapes": _get_cube_tile_shapes,
    "pypto.set_conv_tile_shapes": _set_conv_tile_shapes,
    "pypto.set_matrix_size": _set_matrix_size,
    "pypto.set_semantic_label": _set_semantic_label,
    "pypto.options": _options,
    "pypto.set_options": _set_options,
    **{f"pypto.set_{group}_options": _setter(group) for group in ("pass", "host", "codegen", "verify", "debug")},
    **{f"pypto.get_{group}_options": _getter(group) for group in ("pass", "host", "codegen", "verify", "debug")},
    "pypto.experimental.set_operation_options": _setter("operation"),
    "pypto.experimental.get_operation_options": _getter("operation"),
    "pypto.reset_options": _ignored,
    "pypto.set_print_options": _ignored,
    "pypto.set_global_config": _ignored,
    "pypto.set_pass_config": _ignored,
    "pypto.set_pass_default_config": _ignored,
}

assert all(api.signature(name) is not None for name in FUNCTIONS)
