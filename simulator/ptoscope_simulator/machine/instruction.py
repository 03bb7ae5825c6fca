"""An instruction made ready to run: its operands, its semantics and its context, resolved once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from ptoscope_compiler.pto.operands import Tile
from ptoscope_compiler.pto.program import Instruction
from ptoscope_compiler.scalar import Scalar

from ..instructions import layouts
from ..instructions.numeric import number
from ..instructions.registry import Architecture, Context, OperandView, Semantics, semantics
from ..numerics import numpy_dtype
from .core import Core
from .operands import PreparedOperand, RegisterOperand, ScalarOperand, TileOperand, prepare
from .scalars import evaluator

Reader = Callable[[Core], Any]
Execute = Callable[[Core], None]


class PreparedInstruction:
    """`execute(core)` reads the inputs, computes and writes the outputs; `compute` stops before the writes.

    `bound(core)` is a faster `execute` for that core alone.
    """

    def __init__(self, statement: Instruction, target: Architecture, exact: bool = False) -> None:
        self.statement = statement
        self.target = target
        self.exact = exact
        self.semantics: Semantics = semantics(statement.opcode)
        whole = self.semantics.whole
        self.inputs = tuple(prepare(operand, index in whole) for index, operand in enumerate(statement.inputs))
        self.outputs = tuple(prepare(operand, output=True) for operand in statement.outputs)
        self._dynamic_attributes = {
            name: evaluator(value) for name, value in statement.attributes.items() if isinstance(value, Scalar)
        }
        self._contexts: dict[Any, Context] = {}
        self._extents = tuple(operand for operand in (*self.outputs, *self.inputs) if operand.valid is None)
        self._constant: Context | None = None
        if not self._extents and not self._dynamic_attributes:
            self._constant = self._make_context({}, dict(statement.attributes))
        self._readers = tuple(self._reader(index, operand) for index, operand in enumerate(self.inputs))
        self._function = self.semantics.function
        self._in_place = self._is_in_place()

    @property
    def uses_registers(self) -> bool:
        """Whether it moves whole registers, of which only the lanes under a mask matter."""
        return any(isinstance(operand, RegisterOperand) for operand in (*self.inputs, *self.outputs))

    def context(self, core: Core) -> Context:
        """What the semantics function may know of this execution."""
        if self._constant is not None:
            return self._constant
        extents = {operand: operand.extent(core) for operand in self._extents}
        if self._dynamic_attributes:
            return self._make_context(extents, self.attributes(core))
        key = tuple(extents.values())
        found = self._contexts.get(key)
        if found is None:
            found = self._contexts[key] = self._make_context(extents, dict(self.statement.attributes))
        return found

    def attributes(self, core: Core) -> dict[str, Any]:
        """The attributes as numbers under the core's variables."""
        dynamic = {name: value(core.variables) for name, value in self._dynamic_attributes.items()}
        return {**self.statement.attributes, **dynamic}

    def corner(self, core: Core) -> tuple[int, int]:
        """Row and column of the window that the instruction takes or fills."""
        attributes = self.attributes(core) if self._dynamic_attributes else self.statement.attributes
        return int(attributes.get("index_row", 0)), int(attributes.get("index_col", 0))

    def read(self, core: Core) -> list[Any]:
        """The inputs as arrays and numbers; arrays may be views of memory."""
        return [reader(core) for reader in self._readers]

    def compute(self, core: Core) -> tuple[Any, ...]:
        """One result per output, not yet written, and independent of memory."""
        return self.results(core, self.read(core))

    def results(self, core: Core, inputs: list[Any]) -> tuple[Any, ...]:
        """What the instruction makes of `inputs`, independent of memory."""
        result = self._function(self.context(core), *inputs)
        results = result if isinstance(result, tuple) else (result,)
        return tuple(value.copy() if isinstance(value, np.ndarray) else value for value in results)

    def write(self, core: Core, results: tuple[Any, ...]) -> None:
        """Store what `compute` returned."""
        for index, (operand, value) in enumerate(zip(self.outputs, results, strict=True)):
            if index == 0 and self.semantics.window_out is not None and isinstance(operand, TileOperand):
                operand.write_window(core, self.corner(core), value)
            else:
                operand.write(core, value)

    def _make_context(self, extents: dict[PreparedOperand, tuple[int, ...]], attributes: dict[str, Any]) -> Context:
        def view(operand: PreparedOperand) -> OperandView:
            return OperandView(operand.operand, extents.get(operand, operand.valid))

        outputs = tuple(view(operand) for operand in self.outputs if not isinstance(operand, ScalarOperand))
        inputs = tuple(None if isinstance(operand, ScalarOperand) else view(operand) for operand in self.inputs)
        return Context(outputs, inputs, attributes, self.target, self.exact)

    def _reader(self, index: int, operand: PreparedOperand) -> Reader:
        if index == self.semantics.window_in and isinstance(operand.operand, Tile):
            tile = operand
            assert isinstance(tile, TileOperand)
            return lambda core: tile.read_window(core, self.corner(core), self.window_extent(core))
        return operand.read

    def window_extent(self, core: Core) -> tuple[int, ...]:
        """Extent of the window that the instruction takes: that of the result, before it is transposed."""
        extent = self.outputs[0].extent(core)
        if self.statement.attributes.get("transpose"):
            return (*extent[:-2], extent[-1], extent[-2])
        return extent

    def execute(self, core: Core) -> None:
        """Run the instruction on `core`."""
        result = self._function(self.context(core), *self.read(core))
        self.write(core, result if isinstance(result, tuple) else (result,))

    def bound(self, core: Core) -> Execute:
        """`execute` with the arrays that do not change on `core` looked up beforehand."""
        context = self._constant
        if len(self.outputs) != 1 or context is None or self.semantics.window_out is not None:
            return self.execute
        (output,) = self.outputs
        try:
            target = output.fixed(core)
            sources = [self._fixed(index, operand, core) for index, operand in enumerate(self.inputs)]
            copies = self.semantics.copies is not None and self.semantics.copies(context) and not self.exact
            views = self._common_views(core) if copies else None
        except (ValueError, TypeError):  # an operand leaves its memory: a fault when the instruction is reached
            return self.execute
        function, readers = self._function, self._readers
        if self._in_place:
            assert self.semantics.ufunc is not None
            sources = [source if isinstance(source, np.ndarray) else number(source, target) for source in sources]
            apply = partial(self.semantics.ufunc, *sources, out=target)
            return lambda core: apply()
        if views is not None:
            return partial(_copy, *views)
        if copies:
            return _copying(readers[0] if sources[0] is None else lambda core: sources[0], output, target)
        if all(source is not None for source in sources):
            known = partial(function, context, *sources)
            return _storing(lambda core: known(), output, target)
        if len(readers) == 1:
            (only,) = readers
            return _storing(lambda core: function(context, only(core)), output, target)
        return _storing(lambda core: function(context, *[reader(core) for reader in readers]), output, target)

    def _common_views(self, core: Core) -> tuple[Any, Any] | None:
        """Output and first input as two views of memory of one shape, which a copy need not reorder."""
        source, output = self.inputs[0], self.outputs[0]
        if not isinstance(source, TileOperand) or not isinstance(output, TileOperand) or output.placed is None:
            return None
        taken = source.placed
        if self.semantics.window_in == 0:
            taken = source.part(self.corner(core), self.window_extent(core))
        if taken is None:
            return None
        return layouts.common_views(output.placed.region, output.placed.raw(core), taken.region, taken.raw(core))

    def _fixed(self, index: int, operand: PreparedOperand, core: Core) -> Any:
        return None if index == self.semantics.window_in else operand.fixed(core)

    def _is_in_place(self) -> bool:
        """Whether the semantics are a numpy function on views of memory of one extent and element type."""
        ufunc, operands = self.semantics.ufunc, (*self.inputs, *self.outputs)
        if ufunc is None or self.exact or len(self.inputs) != ufunc.nin or len(self.outputs) != ufunc.nout:
            return False
        tiles = [operand for operand in operands if isinstance(operand, TileOperand) and operand.is_fixed_view]
        numbers = [operand for operand in self.inputs if isinstance(operand, ScalarOperand) and operand.is_constant]
        dtypes = {operand.type.dtype.name for operand in tiles}
        if len(tiles) + len(numbers) < len(operands) or len(dtypes) > 1 or not _broadcast(tiles):
            return False
        kind = numpy_dtype(tiles[0].type.dtype)
        return bool(ufunc(*(np.ones(1, kind) for _ in self.inputs)).dtype == kind)


def _broadcast(tiles: list[TileOperand]) -> bool:
    """Whether the extents of all tiles but the last broadcast to that of the last."""
    *sources, target = (tile.valid or () for tile in tiles)
    try:
        return np.broadcast_shapes(*sources) == target
    except ValueError:
        return False


def _copy(target: Any, source: Any, core: Core) -> None:
    target[...] = source


def _copying(read: Reader, output: PreparedOperand, target: Any) -> Execute:
    """Read, and store as it is; `target` as for `_storing`."""
    write = output.write
    if target is None:
        return lambda core: write(core, read(core))

    def execute(core: Core) -> None:
        target[...] = read(core)

    return execute


def _storing(compute: Reader, output: PreparedOperand, target: Any) -> Execute:
    """Compute, and store in `target`, the valid region of `output` where that is one and the same view."""
    write = output.write
    if target is None:
        return lambda core: write(core, compute(core))
    shape = target.shape

    def execute(core: Core) -> None:
        value = compute(core)
        if value.shape == shape:
            target[...] = value
        else:
            write(core, value)

    return execute
