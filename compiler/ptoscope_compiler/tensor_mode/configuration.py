"""Tile shapes and options in force, as nested scopes (`framework/src/interface/configs/config_manager_ng.cpp`).

A kernel, a `pypto.loop`, an arm of a run-time branch and `pypto.options` each open a scope; what is set within ends
with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir.graph import CubeTile, TileShapes
from ..origin import Origin

GROUPS = ("codegen", "host", "pass", "runtime", "verify", "debug", "operation")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is in force. `options` has qualified names: `pass.enable_slice`."""

    tiles: TileShapes = TileShapes()
    label: str = ""
    matrix_size: tuple[int, ...] | None = None
    conv_tile: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


class Configuration:
    """The stack of scopes."""

    def __init__(self) -> None:
        self._scopes = [Settings()]

    @property
    def current(self) -> Settings:
        return self._scopes[-1]

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A nested scope, which starts with what is in force."""
        depth = len(self._scopes)
        self._scopes.append(self.current)
        try:
            yield
        finally:
            del self._scopes[depth:]

    @contextmanager
    def vector_tile(self, shape: tuple[int, ...] | None) -> Iterator[None]:
        """Another vector tile shape for operations that the framework makes itself."""
        with self.scope():
            self._set(tiles=replace(self.current.tiles, vector=shape))
            yield

    def adopt(self, settings: Settings) -> None:
        """Let `settings` be in force in the innermost scope."""
        self._scopes[-1] = settings

    def set_vector_tile(self, shape: tuple[int, ...], origin: Origin) -> None:
        tiles = self.current.tiles
        self._set(tiles=replace(tiles, vector=shape, origins={**tiles.origins, "vector": origin}))

    def set_cube_tile(self, tile: CubeTile, origin: Origin) -> None:
        tiles = self.current.tiles
        self._set(tiles=replace(tiles, cube=tile, origins={**tiles.origins, "cube": origin}))

    def lose_tile(self, kind: str, origin: Origin) -> None:
        """From here on the "vector" or "cube" tile is set, to what is not known."""
        tiles = self.current.tiles
        lost: dict[str, Any] = {kind: None, "origins": {**tiles.origins, kind: origin}}
        self._set(tiles=replace(tiles, **lost))

    def set_label(self, label: str) -> None:
        self._set(label=label)

    def set_matrix_size(self, size: tuple[int, ...]) -> None:
        self._set(matrix_size=size)

    def set_conv_tile(self, tile: Any) -> None:
        self._set(conv_tile=tile)

    def set_options(self, group: str, options: Mapping[str, Any]) -> None:
        """Set options of a group of `GROUPS`; those of "pass" also reach the operations made from here on."""
        qualified = {f"{group}.{name}": value for name, value in options.items()}
        settings = replace(self.current, options={**self.current.options, **qualified})
        if group == "pass":
            tiles = replace(settings.tiles, options={**settings.tiles.options, **options})
            settings = replace(settings, tiles=tiles)
        self._scopes[-1] = settings

    def group(self, group: str) -> dict[str, Any]:
        """The options of a group that have been set, by their plain names."""
        prefix = f"{group}."
        return {name[len(prefix) :]: value for name, value in self.current.options.items() if name.startswith(prefix)}

    def _set(self, **changes: Any) -> None:
        self._scopes[-1] = replace(self.current, **changes)
