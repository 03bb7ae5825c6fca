"""Mechanical remedies that several rules offer."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Edit, Fix
from ..dtype import DType
from ..origin import Span

if TYPE_CHECKING:
    from .call import Call


def _operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return list(node.args[:2]) if isinstance(node, ast.Call) else []


def cast_argument(call: Call, left: DType, right: DType) -> tuple[Fix, ...]:
    """Wrap the operand of the narrower type in `pypto.cast`, where the operands are written in place."""
    operands = _operands(call.site.node)
    if len(operands) != 2:
        return ()
    wider = left if left.bits >= right.bits else right
    span = call.site.origin_of(operands[1 if wider is left else 0]).span
    before = Span(span.file, span.line, span.column, span.line, span.column)
    after = Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
    edits = (Edit(before, "pypto.cast("), Edit(after, f", pypto.{wider})"))
    return (Fix(f"Cast to {wider}", f"转换为 {wider}", edits),)
