"""Objects of a running process for the tests of the live environment."""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple


@dataclass
class Config:
    rows: int
    items: list[Any] = field(default_factory=list)

    def area(self, columns: int) -> int:
        return self.rows * columns

    @property
    def half(self) -> int:
        return self.rows // 2


class Tile(NamedTuple):
    m: int
    n: int = 4


class Mode(enum.Enum):
    FAST = 1


class Base:
    def __init__(self, x: int) -> None:
        self.x = x

    def who(self) -> str:
        return "base"


class Derived(Base):
    def who(self) -> str:
        return super().who() + str(self.x)


config = Config(4)
shared = [1, 2]
instance = Derived(3)


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@decorated
def helper(a: int, b: int = 5, *, c: int = 7) -> tuple[int, int, int]:
    return a, b, c


double, triple = (lambda v: v * 2), (lambda v: v * 3)


def maker(k: int) -> Callable[[int], int]:
    def inner(x: int) -> int:
        return x + k + config.rows

    return inner


closure = maker(100)


def everything(x: int, mode: Mode = Mode.FAST) -> Any:
    made = Config(x)
    made.items.append(helper(1, c=2))
    changed = replace(config, rows=9)
    return (
        made.items,
        made.area(2),
        config.half,
        changed.rows,
        mode is Mode.FAST,
        mode.value,
        instance.who(),
        Derived(8).who(),
        closure(1),
        double(4),
        triple(4),
        math.ceil(3.2),
        Tile(2).n,
        isinstance(config, Config),
        isinstance(made, Config),
        functools.partial(helper, 1)(2),
        shared,
        config == Config(4),
    )


def changes() -> Any:
    shared.append(9)
    config.rows = 70
    return shared, config.rows


def fails(x: int) -> Any:
    return [x][5]


def holds(value: Any) -> Any:
    return Config(value, [value]), Tile(value, value)
