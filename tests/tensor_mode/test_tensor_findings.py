"""What findings say besides their place: facts, related places and edits that repair."""

from __future__ import annotations

from ptoscope_compiler.diagnostics.diagnostic import Diagnostic
from tensor_kernels import HEADER, trace


def _only(text: str) -> Diagnostic:
    (found,) = trace(text).diagnostics
    return found


def _repaired(text: str, found: Diagnostic) -> str:
    """`text` after the first fix of `found`."""
    lines = (HEADER + text).splitlines()
    for edit in sorted(found.fixes[0].edits, key=lambda edit: (edit.span.line, edit.span.column), reverse=True):
        span = edit.span
        assert span.line == span.end_line
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.column] + edit.text + line[span.end_column :]
    return "\n".join(lines[1:])


_REBOUND = """
@pypto.frontend.jit
def kernel(a: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(32, 32)
    out = a + a
"""
_MIXED = """
@pypto.frontend.jit
def kernel(
    a: pypto.Tensor((64, 64), pypto.DT_FP32),
    b: pypto.Tensor((64, 64), pypto.DT_FP16),
    out: pypto.Tensor((64, 64), pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(32, 32)
    out[:] = a + b
"""
_UNALIGNED = """
@pypto.frontend.jit
def kernel(a: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
    pypto.set_vec_tile_shapes(32, 4)
    out[:] = pypto.exp(a)
"""


def test_rebinding_an_output_is_repaired_by_writing_to_it() -> None:
    repaired = _repaired(_REBOUND, _only(_REBOUND))
    assert "out[:] = a + a" in repaired
    assert not trace(repaired).diagnostics


def test_mixed_types_are_repaired_by_a_cast() -> None:
    repaired = _repaired(_MIXED, _only(_MIXED))
    assert "pypto.cast(" in repaired
    assert not trace(repaired).diagnostics


def test_a_tile_finding_points_at_the_operation_and_says_what_would_fit() -> None:
    found = _only(_UNALIGNED)
    assert found.span.line == 5
    assert [place.span.line for place in found.related] == [6]
    assert "8" in found.remedy()


def test_an_unknown_operation_suggests_the_nearest() -> None:
    assert "exp" in _only(_UNALIGNED.replace("exp(", "expp(").replace("32, 4", "32, 32")).message()


def test_a_tensor_never_written_is_called_by_its_name() -> None:
    found = _only(
        """
        @pypto.frontend.jit
        def kernel(a: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(32, 32)
            sums = pypto.tensor([64, 64], pypto.DT_FP32)
            out[:] = a + sums
        """
    )
    assert "'sums'" in found.message()
    assert [place.span.line for place in found.related] == [6]


def test_every_message_has_both_languages() -> None:
    for text in (_REBOUND, _MIXED, _UNALIGNED):
        found = _only(text)
        assert found.message("zh") != found.message("en")
        assert found.remedy("zh") != found.remedy("en")


def test_a_tile_that_nobody_knows_is_not_called_unset() -> None:
    result = trace(
        """
        @pypto.frontend.jit
        def kernel(
            a: pypto.Tensor((64, 64), pypto.DT_FP32),
            out: pypto.Tensor((64, 64), pypto.DT_FP32),
            rows: int,
        ):
            pypto.set_vec_tile_shapes(rows, 32)
            out[:] = pypto.transpose(a + a, 0, 1)
        """
    )
    assert not result.diagnostics
    assert result.kernel is None
