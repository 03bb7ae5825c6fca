"""The passes that work on Tensor Graphs, before operations are cut into tiles."""

from __future__ import annotations

from collections import Counter

from ptoscope_compiler import targets
from ptoscope_compiler.dtype import BF16, FP16, FP32
from ptoscope_compiler.ir.graph import Operation
from ptoscope_compiler.pipeline import run_kernel_passes
from tensor_kernels import kernel_of, operations


def _after_passes(text: str, target: str = "a2a3") -> list[Operation]:
    kernel = kernel_of(text, target=target)
    return operations(run_kernel_passes(kernel, targets.load(target), until="RemoveUndrivenView"))


def _counts(found: list[Operation]) -> Counter[tuple[str, tuple[object, ...]]]:
    return Counter((operation.opcode, operation.outputs[0].shape) for operation in found)


def _elementwise(dtype: str, body: str) -> str:
    return f"""
    @pypto.frontend.jit
    def kernel(
        x: pypto.Tensor((64, 64), pypto.{dtype}),
        y: pypto.Tensor((64, 64), pypto.{dtype}),
        out: pypto.Tensor((64, 64), pypto.{dtype}),
    ):
        pypto.set_vec_tile_shapes(32, 64)
        out.move({body})
    """


def test_bf16_is_added_in_fp32() -> None:
    found = _after_passes(_elementwise("DT_BF16", "x + y"))
    (added,) = (operation for operation in found if operation.opcode == "ADD")
    assert {tensor.dtype for tensor in (*added.inputs, *added.outputs)} == {FP32}
    casts = [operation.outputs[0].dtype for operation in found if operation.opcode == "CAST"]
    assert Counter(casts) == {FP32: 2, BF16: 1}


def test_a_widened_result_goes_on_in_fp32() -> None:
    found = _after_passes(_elementwise("DT_BF16", "(x + y) * x"))
    (product,) = (operation for operation in found if operation.opcode == "MUL")
    writers = {tensor.id: operation.opcode for operation in found for tensor in operation.outputs}
    assert "ADD" in {writers[tensor.id] for tensor in product.inputs}


def test_fp16_exponentials_stay_fp16() -> None:
    found = _after_passes(_elementwise("DT_FP16", "pypto.abs(x)"))
    assert {tensor.dtype for operation in found for tensor in operation.outputs} == {FP16}


def test_the_950_computes_bf16_maxima_itself() -> None:
    source = _elementwise("DT_BF16", "pypto.maximum(x, y)")
    assert any(operation.opcode == "CAST" for operation in _after_passes(source, "a2a3"))
    assert not any(operation.opcode == "CAST" for operation in _after_passes(source, "950"))


def test_reshapes_of_reshapes_go() -> None:
    found = _after_passes(
        """
        @pypto.frontend.jit
        def kernel(x: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((32, 128), pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(32, 64)
            value = pypto.reshape(pypto.reshape(pypto.exp(x), [4096, 1]), [32, 128])
            out.move(value + 1.0)
        """
    )
    assert [operation.outputs[0].shape for operation in found if operation.opcode == "RESHAPE"] == [(32, 128)]


def test_batches_of_a_product_are_reshaped_once() -> None:
    found = _after_passes(
        """
        @pypto.frontend.jit
        def kernel(
            a: pypto.Tensor((2, 32, 64), pypto.DT_FP16),
            b: pypto.Tensor((2, 64, 32), pypto.DT_FP16),
            out: pypto.Tensor((2, 32, 32), pypto.DT_FP16),
        ):
            pypto.set_cube_tile_shapes([32, 32], [64, 64], [32, 32])
            pypto.set_vec_tile_shapes(1, 32, 32)
            out.move(pypto.matmul(a, b, pypto.DT_FP16))
        """
    )
    counts = _counts(found)
    assert counts["A_MUL_B", (32, 32)] == 2
    assert counts["RESHAPE", (64, 64)] + counts["RESHAPE", (128, 32)] == 4
    assert counts["RESHAPE", (2, 32, 32)] == 1
    assert counts["ASSEMBLE", (64, 32)] == 2
    assert all(operation.attributes["op_attr_isInplace"] for operation in found if operation.opcode == "RESHAPE")
    starts = [operation.attributes["offset"] for operation in found if operation.opcode == "ASSEMBLE"]
    assert sorted(starts) == [(0, 0), (32, 0)]


def test_an_input_moved_to_the_output_is_copied() -> None:
    found = _after_passes(_elementwise("DT_FP32", "x"))
    assert [operation.opcode for operation in found] == ["VIEW", "REGISTER_COPY", "ASSEMBLE"]


def test_a_computed_value_moved_to_the_output_is_not_copied() -> None:
    found = _after_passes(_elementwise("DT_FP32", "x + y"))
    assert not any(operation.opcode == "REGISTER_COPY" for operation in found)
