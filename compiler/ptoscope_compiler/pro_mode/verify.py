"""What can be proved wrong about a finished program: flags without a partner, tiles that do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..diagnostics.diagnostic import Diagnostic, Report, Rule, Severity
from ..diagnostics.rules import (
    pt321_tile_shapes_differ,
    pt423_tile_dtypes_differ,
    pt521_flag_never_set,
    pt522_flag_never_awaited,
    pt523_cross_core_flag_never_set,
)
from ..pto.operands import Tile
from ..pto.program import (
    CoreProgram,
    For,
    If,
    Instruction,
    SetCrossCore,
    SetFlag,
    Statement,
    WaitCrossCore,
    WaitFlag,
    While,
)
from ..scalar import Scalar

_LANEWISE = frozenset(
    {f"T{name}{suffix}" for name in ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN") for suffix in ("", "S")}
    | {f"T{name}" for name in ("EXP", "LOG", "SQRT", "RSQRT", "RECIP", "ABS", "NEG", "RELU")}
)
_OTHER = {"cube": "vector", "vector": "cube"}


def verify(cores: Mapping[str, CoreProgram], report: Report) -> None:
    """Report on the core programs of one kernel, by their names "cube" and "vector"."""
    for name, core in cores.items():
        found = list(_statements(core.body, certain=True))
        for statement, _ in found:
            if isinstance(statement, Instruction) and statement.opcode in _LANEWISE:
                _check_tiles(statement, report)
        _check_flags(found, report)
        other = cores.get(_OTHER[name])
        _check_cross_core(found, list(_statements(other.body, True)) if other else [], _OTHER[name], report)


def _statements(body: tuple[Statement, ...], certain: bool) -> Iterator[tuple[Statement, bool]]:
    """Every statement, and whether it is certain to run."""
    for statement in body:
        yield statement, certain
        if isinstance(statement, If):
            yield from _statements(statement.then, False)
            yield from _statements(statement.otherwise, False)
        elif isinstance(statement, (For, While)):
            yield from _statements(statement.body, False)


def _check_tiles(instruction: Instruction, report: Report) -> None:
    tiles = [operand for operand in (*instruction.outputs, *instruction.inputs) if isinstance(operand, Tile)]
    first = tiles[0]
    for tile in tiles[1:]:
        if tile.type.dtype != first.type.dtype:
            rule, operation = pt423_tile_dtypes_differ.RULE, instruction.opcode
            report(rule.at(instruction.origin, operation=operation, first=first.type.dtype, second=tile.type.dtype))
            return
        if _differ(first, tile):
            here, there = (f"[{', '.join(map(str, item.valid))}]" for item in (first, tile))
            finding = pt321_tile_shapes_differ.RULE.at(
                instruction.origin,
                operation=instruction.opcode,
                reason=f"their valid extents are {here} and {there}",
                reason_zh=f"有效区域分别为 {here} 和 {there}",
            )
            report(finding)
            return


def _differ(left: Tile, right: Tile) -> bool:
    """Whether two extents that are known now are not the same."""
    return any(
        not isinstance(a, Scalar) and not isinstance(b, Scalar) and a != b
        for a, b in zip(left.valid, right.valid, strict=False)
    )


def _check_flags(found: list[tuple[Statement, bool]], report: Report) -> None:
    kept = {_key(item) for item, _ in found if isinstance(item, SetFlag)}
    awaited = {_key(item) for item, _ in found if isinstance(item, WaitFlag)}
    for item, certain in found:
        if isinstance(item, WaitFlag) and not _has_partner(item, kept):
            severity = Severity.ERROR if certain else Severity.WARNING
            report(_finding(pt521_flag_never_set.RULE, item, severity))
        elif isinstance(item, SetFlag) and not _has_partner(item, awaited):
            report(_finding(pt522_flag_never_awaited.RULE, item, Severity.WARNING))


def _key(item: SetFlag | WaitFlag) -> tuple[object, object, object]:
    return item.source, item.target, None if isinstance(item.event, Scalar) else item.event


def _has_partner(item: SetFlag | WaitFlag, partners: set[tuple[object, object, object]]) -> bool:
    source, target, event = _key(item)
    if event is None:
        return any(partner[:2] == (source, target) for partner in partners)
    return (source, target, event) in partners or (source, target, None) in partners


def _finding(rule: Rule, item: SetFlag | WaitFlag, severity: Severity) -> Diagnostic:
    source, target = item.source.value, item.target.value
    return rule.at(item.origin, severity=severity, source=source, target=target, event=item.event)


def _check_cross_core(
    found: list[tuple[Statement, bool]], others: list[tuple[Statement, bool]], other: str, report: Report
) -> None:
    """A flag between the cores of a block is set by the other kind of core."""
    events = [item.event for item, _ in others if isinstance(item, SetCrossCore)]
    if any(isinstance(event, Scalar) for event in events):
        return
    for item, certain in found:
        if not isinstance(item, WaitCrossCore) or item.mode != "intra_block" or isinstance(item.event, Scalar):
            continue
        if item.event not in events:
            severity = Severity.ERROR if certain else Severity.WARNING
            rule = pt523_cross_core_flag_never_set.RULE
            report(rule.at(item.origin, severity=severity, event=item.event, other=other))
