"""A PTO program as PTO assembly (PTO-AS of PTO-ISA `docs/assembly`), one instruction per line with its source line.

    func @add_leaf0 aiv(%arg0, %arg1, %arg2)
      %u0 = tload %arg0[arg0_offset]<32x32xf32, strides 64, 1> : vec<32x32xf32>@0  // k.py:12
      set_flag mte2 -> v, event1

Tiles print as `location<shape x type>@address`, with the valid extent where it is not the shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..hardware import Layout
from ..ir.scalar_text import format_scalar
from ..origin import Origin
from ..scalar import Scalar, ScalarLike
from .operands import Mask, Operand, Register, Tile, Window
from .program import (
    Assign,
    Barrier,
    Body,
    Break,
    Call,
    Choose,
    Continue,
    Control,
    CoreProgram,
    For,
    If,
    Instruction,
    Launch,
    MutexLock,
    MutexUnlock,
    Print,
    PtoProgram,
    ReadElement,
    Repeat,
    Return,
    SetCrossCore,
    SetFlag,
    Statement,
    StoreElement,
    SyncAll,
    Tasks,
    WaitCrossCore,
    WaitFlag,
    While,
    WriteElement,
)

_INDENT = "  "


def program_to_text(program: PtoProgram) -> str:
    """The whole program: buffers, control flow, then one function per core program."""
    return "\n".join(_program(program)) + "\n"


def core_to_text(core: CoreProgram) -> str:
    """One core program."""
    return "\n".join(_core(core)) + "\n"


def instruction_to_text(statement: Statement) -> str:
    """The first line of one statement, without its source line."""
    return next(_statement(statement, 0)).split("  // ")[0]


def _program(program: PtoProgram) -> Iterator[str]:
    yield f"program @{program.name} target={program.target} mode={program.mode}"
    for kind, buffers in (("param", program.parameters), ("workspace", program.workspace)):
        for buffer in buffers:
            extents = "x".join((*map(_scalar, buffer.shape), buffer.dtype.pto))
            yield f"{_INDENT}{kind} %{buffer.name} : gm<{extents}>" + _unless(buffer.format, "ND")
    for name in program.scalars:
        yield f"{_INDENT}scalar {name}"
    yield from _control(program.control, 1)
    for core in program.cores.values():
        yield ""
        yield from _core(core)


def _unless(value: str, usual: str) -> str:
    return "" if value == usual else f" {value.lower()}"


def _control(control: Control, depth: int) -> Iterator[str]:
    space = _INDENT * depth
    for node in control:
        if isinstance(node, Tasks):
            yield f"{space}tasks{_place(node.origin)}"
            for index, call in enumerate(node.calls):
                yield f"{space}{_INDENT}{_call(index, call)}"
        elif isinstance(node, Launch):
            yield f"{space}launch cube={node.cube} vector={node.vector}{_place(node.origin)}"
        elif isinstance(node, Repeat):
            yield f"{space}for {node.name} = {_range(node)}{_place(node.origin)}"
            yield from _control(node.body, depth + 1)
        elif isinstance(node, Choose):
            yield f"{space}if {_scalar(node.condition)}{_place(node.origin)}"
            yield from _control(node.then, depth + 1)
            if node.otherwise:
                yield f"{space}else"
                yield from _control(node.otherwise, depth + 1)
        elif isinstance(node, Assign):
            yield f"{space}{node.name} = {_scalar(node.value)}{_place(node.origin)}"
        else:
            assert isinstance(node, StoreElement)
            yield f"{space}%{node.buffer}[{_list(node.indices)}] = {_scalar(node.value)}{_place(node.origin)}"


def _call(index: int, call: Call) -> str:
    arguments = [f"{formal}=%{actual}" for formal, actual in call.buffers.items()]
    arguments += [f"{formal}={_scalar(value)}" for formal, value in call.scalars.items()]
    text = f"#{index} = call @{call.callee}({', '.join(arguments)})"
    if call.grid:
        text += f" grid {'x'.join(map(str, call.grid))}"
    if call.depends:
        text += f" after {', '.join(f'#{other}' for other in call.depends)}"
    return text + _place(call.origin)


def _core(core: CoreProgram) -> Iterator[str]:
    formals = [f"%{name}" for name in core.buffers] + list(core.scalars)
    peaks = ", ".join(f"{space} {peak}" for space, peak in core.on_chip.items())
    yield f"func @{core.name} {core.core.value.lower()}({', '.join(formals)})" + (
        f"  // bytes: {peaks}" if peaks else ""
    )
    yield from _body(core.body, 1)


def _body(body: Body, depth: int) -> Iterator[str]:
    for statement in body:
        yield from _statement(statement, depth)


def _statement(statement: Statement, depth: int) -> Iterator[str]:
    space = _INDENT * depth
    yield f"{space}{_line(statement)}{_place(statement.origin)}"
    if isinstance(statement, (For, While)):
        yield from _body(statement.body, depth + 1)
    elif isinstance(statement, If):
        yield from _body(statement.then, depth + 1)
        if statement.otherwise:
            yield f"{space}else"
            yield from _body(statement.otherwise, depth + 1)


def _line(statement: Statement) -> str:
    if isinstance(statement, Instruction):
        return _instruction(statement)
    if isinstance(statement, (SetFlag, WaitFlag)):
        word = "set_flag" if isinstance(statement, SetFlag) else "wait_flag"
        source, target = statement.source.value.lower(), statement.target.value.lower()
        return f"{word} {source} -> {target}, event{_scalar(statement.event)}"
    if isinstance(statement, Barrier):
        return f"pipe_barrier {statement.pipe.value.lower()}"
    if isinstance(statement, (MutexLock, MutexUnlock)):
        word = "get_buf" if isinstance(statement, MutexLock) else "rls_buf"
        return f"{word} {statement.pipe.value.lower()}, {_scalar(statement.id)}"
    if isinstance(statement, (SetCrossCore, WaitCrossCore)):
        word = "set_cross_core" if isinstance(statement, SetCrossCore) else "wait_cross_core"
        return f"{word} {statement.pipe.value.lower()}, {_scalar(statement.event)}, {statement.mode}"
    if isinstance(statement, SyncAll):
        return f"sync_all {statement.cores.lower()}"
    return _scalar_line(statement)


def _scalar_line(statement: Any) -> str:
    if isinstance(statement, Print):
        return f"print {statement.format!r}, {', '.join(map(_operand, statement.arguments))}"
    if isinstance(statement, Assign):
        return f"{statement.name} = {_scalar(statement.value)}"
    if isinstance(statement, ReadElement):
        return f"{statement.name} = {_operand(statement.source)}[{_list(statement.indices)}]"
    if isinstance(statement, WriteElement):
        return f"{_operand(statement.target)}[{_list(statement.indices)}] = {_scalar(statement.value)}"
    if isinstance(statement, For):
        return f"for {statement.name} = {_range(statement)}"
    if isinstance(statement, If):
        return f"if {_scalar(statement.condition)}"
    words = {While: "loop", Break: "break", Continue: "continue", Return: "return"}
    return words[type(statement)]


def _instruction(instruction: Instruction) -> str:
    results = ", ".join(map(_operand, instruction.outputs))
    operands = ", ".join(map(_operand, instruction.inputs))
    attributes = ", ".join(f"{name}={_attribute(value)}" for name, value in instruction.attributes.items())
    text = f"{instruction.opcode.lower()} {operands}".rstrip()
    return f"{results} = {text}" + (f" {{{attributes}}}" if attributes else "")


def _attribute(value: Any) -> str:
    if isinstance(value, (Tile, Window, Scalar)):
        return _operand(value)
    return str(value)


def _operand(operand: Operand) -> str:
    if isinstance(operand, Tile):
        return _tile(operand)
    if isinstance(operand, Window):
        extents = "x".join((*map(_scalar, operand.shape), operand.dtype.pto))
        steps = (
            "" if operand.strides[-1:] == (1,) and len(operand.strides) < 2 else f", strides {_list(operand.strides)}"
        )
        layout = "" if operand.layout is Layout.ND else f", {operand.layout.value.lower()}"
        return f"%{operand.buffer}[{_scalar(operand.offset)}]<{extents}{steps}{layout}>"
    if isinstance(operand, (Register, Mask)):
        return f"%{operand.name}"
    return _scalar(operand)


def _tile(tile: Tile) -> str:
    kind = tile.type
    words = ["x".join((*map(str, kind.shape), kind.dtype.pto))]
    if tile.valid != kind.shape:
        words.append(f"valid {'x'.join(map(_scalar, tile.valid))}")
    if kind.layout is not Layout.ND:
        words.append(kind.layout.value.lower())
    if kind.pad != "null":
        words.append(f"pad {kind.pad}")
    if tile.strides is not None:
        words.append(f"strides {_list(tile.strides)}")
    return f"{kind.space.pto}<{', '.join(words)}>@{_scalar(tile.address)}"


def _range(loop: For | Repeat) -> str:
    return f"{_scalar(loop.start)} to {_scalar(loop.stop)} step {_scalar(loop.step)}"


def _list(values: Iterable[ScalarLike]) -> str:
    return ", ".join(map(_scalar, values))


def _scalar(value: ScalarLike) -> str:
    return format_scalar(value)


def _place(origin: Origin) -> str:
    return f"  // {origin.span.file}:{origin.span.line}"
