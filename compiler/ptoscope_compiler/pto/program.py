"""The PTO program: streams of instructions in structured control flow, per core, and what launches them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..dtype import DType
from ..hardware import CoreKind, Pipe
from ..origin import Origin
from ..scalar import ScalarLike
from .operands import Operand, Tile, Window

# --- instructions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """A PTO instruction: `opcode` by its PTO-ISA name, `outputs` written, `inputs` read (an accumulator is both).

    Attributes are those of PTO-ISA in lower case: `axis`, `round`, `saturate`, `compare`, `pattern`, ...
    """

    opcode: str
    pipe: Pipe
    outputs: tuple[Operand, ...]
    inputs: tuple[Operand, ...]
    origin: Origin
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class SetFlag:
    """set_flag: `source` releases token `event` for `target` when all its earlier instructions are complete."""

    source: Pipe
    target: Pipe
    event: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class WaitFlag:
    """wait_flag: `target` stops until `source` has released token `event`, and takes it."""

    source: Pipe
    target: Pipe
    event: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Barrier:
    """pipe_barrier: later instructions of `pipe` start when its earlier ones are complete; ALL drains every pipe."""

    pipe: Pipe
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class MutexLock:
    """get_buf: `pipe` waits until the earlier holder of buffer token `id` on another pipe has released it."""

    pipe: Pipe
    id: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class MutexUnlock:
    """rls_buf."""

    pipe: Pipe
    id: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class SetCrossCore:
    """Cross-core flag `event` set when `pipe`'s earlier instructions are complete.

    `mode`: "intra_block" (AIC to both AIVs; AIVs to AIC when both have set), "inter_block", "inter_subblock",
    "unicast".
    """

    pipe: Pipe
    event: ScalarLike
    mode: str
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class WaitCrossCore:
    """`pipe` stops until cross-core flag `event` has arrived, and takes it."""

    pipe: Pipe
    event: ScalarLike
    mode: str
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class SyncAll:
    """Barrier over all cores of `cores` ("AIC", "AIV" or "MIX")."""

    cores: str
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Print:
    """printf or a dump of a tile, on the scalar pipe: `format` with `arguments`."""

    format: str
    arguments: tuple[Operand, ...]
    origin: Origin


# --- control flow -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """A scalar variable gets a value; the name is then a `Symbol` in later scalars."""

    name: str
    value: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class ReadElement:
    """A scalar variable gets one element of a tile or window, on the scalar pipe."""

    name: str
    source: Tile | Window
    indices: tuple[ScalarLike, ...]
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class WriteElement:
    """One element of a tile or window gets a scalar, on the scalar pipe."""

    target: Tile | Window
    indices: tuple[ScalarLike, ...]
    value: ScalarLike
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class For:
    """Counted loop over a scalar variable."""

    name: str
    start: ScalarLike
    stop: ScalarLike
    step: ScalarLike
    body: Body
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class While:
    """Endless loop; left by `Break`."""

    body: Body
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """`then` runs where `condition` is not zero."""

    condition: ScalarLike
    then: Body
    otherwise: Body
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Break:
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Continue:
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    origin: Origin


Synchronisation: TypeAlias = (
    SetFlag | WaitFlag | Barrier | MutexLock | MutexUnlock | SetCrossCore | WaitCrossCore | SyncAll
)
Statement: TypeAlias = (
    Instruction
    | Synchronisation
    | Print
    | Assign
    | ReadElement
    | WriteElement
    | For
    | While
    | If
    | Break
    | Continue
    | Return
)
Body = tuple[Statement, ...]


# --- programs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Buffer:
    """A named buffer in global memory: a parameter of the caller, or workspace. `shape` in elements."""

    name: str
    dtype: DType
    shape: tuple[ScalarLike, ...]
    format: str = "ND"


@dataclass(frozen=True, slots=True, eq=False)
class CoreProgram:
    """What one core runs. `buffers` and `scalars` are its formal parameters, bound by the call or launch.

    `on_chip` is the peak of bytes in use per memory space name, for budgets.
    """

    name: str
    core: CoreKind
    buffers: tuple[str, ...]
    scalars: tuple[str, ...]
    body: Body
    origin: Origin
    on_chip: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """Tensor mode: run core program `callee` on any free core of its kind.

    `buffers` maps formal to actual buffer names, `scalars` formal names to values in the control flow's variables.
    `depends` lists indices, within the same `Tasks`, of calls that must be complete. `grid`: the call stands for
    `prod(grid)` calls; `scalars` may use the symbols `grid0`, `grid1`, ...; a call of a grid has no dependency on
    another call of the same grid, and depends on all calls of each grid in `depends`.
    """

    callee: str
    buffers: Mapping[str, str]
    scalars: Mapping[str, ScalarLike]
    depends: tuple[int, ...]
    origin: Origin
    grid: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Tasks:
    """The calls of one segment; the next statement starts when all are complete."""

    calls: tuple[Call, ...]
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """Pro mode: every block runs `cube` on its AIC and `vector` on each of its AIVs, at the same time.

    In the scalars of a core program `block_idx`, `block_num`, `subblock_idx` and `subblock_num` are predefined.
    """

    cube: str | None
    vector: str | None
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """A loop of the control flow, run by the scheduler."""

    name: str
    start: ScalarLike
    stop: ScalarLike
    step: ScalarLike
    body: Control
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class Choose:
    """A branch of the control flow, run by the scheduler."""

    condition: ScalarLike
    then: Control
    otherwise: Control
    origin: Origin


@dataclass(frozen=True, slots=True, eq=False)
class StoreElement:
    """The control flow writes one element of a buffer in global memory."""

    buffer: str
    indices: tuple[ScalarLike, ...]
    value: ScalarLike
    origin: Origin


Control = tuple[Tasks | Launch | Repeat | Choose | StoreElement | Assign, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PtoProgram:
    """A compiled kernel. `parameters` in the order of the signature; `scalars` names of scalar parameters.

    Dimensions known only at run time are symbols `<parameter>.shape[<axis>]`, bound at launch.
    """

    name: str
    mode: str
    target: str
    parameters: tuple[Buffer, ...]
    scalars: tuple[str, ...]
    workspace: tuple[Buffer, ...]
    cores: Mapping[str, CoreProgram]
    control: Control
    origin: Origin
