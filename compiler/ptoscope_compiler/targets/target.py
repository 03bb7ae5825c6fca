"""What a chip has: memories, cores, rates. Every figure in `data/*.json` stands beside its source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..hardware import MemorySpace


class UnknownTarget(ValueError):
    """No chip of that name; the message lists the names that `load` knows."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"unknown target '{name}'; known targets: {', '.join(self.known)}")


@dataclass(frozen=True)
class Target:
    """One chip. Capacities and alignments in bytes, bandwidths in bytes per cycle, the clock in MHz (None: not public).

    `arch` is "2201" (A2/A3), "3510" (950), "3003" (Kirin X90) or "3113" (Kirin 9030). `moves` are the edges along which
    one instruction can move data. `sources` names, per figure, where it comes from.
    """

    name: str
    soc: str
    arch: str
    cube_cores: int
    vector_cores: int
    clock_mhz: int | None
    cube_shape: tuple[int, int, int]
    moves: frozenset[tuple[MemorySpace, MemorySpace]]
    sources: Mapping[str, str]
    _capacity: Mapping[MemorySpace, int]
    _usable: Mapping[MemorySpace, int]
    _alignment: Mapping[MemorySpace, int]
    _bandwidth: Mapping[str, float]

    def capacity(self, space: MemorySpace) -> int:
        """Architectural size of `space` per core, in bytes; 0 where the chip does not have it."""
        return self._capacity.get(space, 0)

    def usable(self, space: MemorySpace) -> int:
        """Bytes of `space` that the compiler may allocate."""
        return self._usable.get(space, self.capacity(space))

    def alignment(self, space: MemorySpace) -> int:
        """Alignment of an address in `space`, in bytes."""
        return self._alignment.get(space, 1)

    def bandwidth(self, path: str) -> float | None:
        """Bytes per cycle and core along `path`, such as "GM->UB"; None where no figure is public."""
        return self._bandwidth.get(path)


@cache
def _files() -> dict[str, dict[str, Any]]:
    """The raw contents of each data file, by target name, defaults of a family first."""
    entries = [
        json.loads(entry.read_text(encoding="utf-8"))
        for entry in (files(__package__) / "data").iterdir()
        if entry.name.endswith(".json")
    ]
    entries.sort(key=lambda entry: (not entry["default_of_family"], entry["name"]))
    return {entry["name"]: entry for entry in entries}


def names() -> tuple[str, ...]:
    """Every target name, the default of each family first."""
    return tuple(_files())


@cache
def load(name: str) -> Target:
    """The target called `name` (or an alias of it, in any case); UnknownTarget where there is none."""
    wanted = name.lower()
    for entry in _files().values():
        if wanted in (alias.lower() for alias in (entry["name"], entry["soc"], *entry["aliases"])):
            return _target(entry)
    raise UnknownTarget(name, names())


def _target(entry: Mapping[str, Any]) -> Target:
    sources = dict(_sources("", entry))

    def table(key: str) -> dict[str, Any]:
        return {inner: figure["value"] for inner, figure in entry[key].items()}

    def spaces(key: str) -> dict[MemorySpace, int]:
        return {MemorySpace(space): value for space, value in table(key).items()}

    cube_m, cube_k, cube_n = entry["cube_shape"]["value"]
    return Target(
        name=entry["name"],
        soc=entry["soc"],
        arch=entry["arch"],
        cube_cores=entry["cube_cores"]["value"],
        vector_cores=entry["vector_cores"]["value"],
        clock_mhz=entry["clock_mhz"]["value"],
        cube_shape=(cube_m, cube_k, cube_n),
        moves=frozenset((MemorySpace(start), MemorySpace(end)) for start, end in entry["moves"]["value"]),
        sources=sources,
        _capacity=spaces("capacity"),
        _usable=spaces("usable"),
        _alignment=spaces("alignment"),
        _bandwidth=table("bandwidth"),
    )


def _sources(path: str, node: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for key, value in node.items():
        if not isinstance(value, Mapping):
            continue
        inner = f"{path}.{key}" if path else key
        if "source" in value:
            yield inner, value["source"]
        else:
            yield from _sources(inner, value)
