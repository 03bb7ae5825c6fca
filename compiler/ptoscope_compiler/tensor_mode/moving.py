"""`out[:] = value` and `out.move(value)`: the tensor holds the value from here on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Facts, Related
from ..diagnostics.rules import pt306_output_shape_mismatch, pt402_mixed_dtypes, pt611_wrong_arguments
from ..evaluate.values import Value, is_unknown
from ..scalar import ScalarLike, known
from .call import describe
from .text import shape_text

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from ..ir.graph import LogicalTensor
    from .tensor import Tensor


def move(target: Tensor, value: Value, site: Site) -> None:
    """Let `target` hold `value`; a parameter of the kernel must get a value of its own shape and type."""
    from .tensor import Tensor

    if is_unknown(value):
        target.tracer.give_up(site.origin)
        return
    if not isinstance(value, Tensor):
        problem = f"needs a Tensor to write into '{target.name}', got {describe(value)}"
        problem_zh = f"写入 '{target.name}' 需要 Tensor，得到 {describe(value)}"
        site.report(
            pt611_wrong_arguments.RULE.at(
                site.origin, call="move", problem=problem, problem_zh=problem_zh, signature="pypto.Tensor.move(other)"
            )
        )
        target.tracer.give_up(site.origin)
        return
    if target.parameter is not None:
        _check(target, value.storage, site)
    target.write(value.read(site), site)


def _check(target: Tensor, value: LogicalTensor, site: Site) -> None:
    old = target.storage
    declared = (
        (Related(target.created.span, f"'{target.name}' is declared here", f"'{target.name}' 在此声明"),)
        if target.created is not None
        else ()
    )
    if _provably_different(old.shape, value.shape):
        site.report(
            pt306_output_shape_mismatch.RULE.at(
                site.origin,
                facts=Facts(operation="move", buffer=target.name),
                related=declared,
                name=target.name,
                target=shape_text(old.shape),
                shape=shape_text(value.shape),
            )
        )
        target.tracer.give_up(site.origin)
    elif old.dtype != value.dtype:
        site.report(
            pt402_mixed_dtypes.RULE.at(
                site.origin,
                facts=Facts(operation="move", buffer=target.name),
                related=declared,
                operation=f"writing to '{target.name}'",
                left=old.dtype,
                right=value.dtype,
            )
        )
        target.tracer.give_up(site.origin)


def _provably_different(left: tuple[ScalarLike, ...], right: tuple[ScalarLike, ...]) -> bool:
    if len(left) != len(right):
        return True
    return any(known(a) and known(b) and a != b for a, b in zip(left, right, strict=False))
