"""Loops, run-time branches and what crosses their borders."""

from __future__ import annotations

from ptoscope_compiler.dtype import FP32
from ptoscope_compiler.ir.kernel import Branch, Loop, Segment
from ptoscope_compiler.scalar import Symbol, text
from ptoscope_compiler.tensor_mode.trace import TensorArgument
from tensor_kernels import graphs, kernel_of, opcodes, operations, trace

_DYNAMIC = """
@pypto.frontend.jit
def kernel(
    x: pypto.Tensor((pypto.DYNAMIC, 64), pypto.DT_FP32),
    out: pypto.Tensor((pypto.DYNAMIC, 64), pypto.DT_FP32),
):
    pypto.set_vec_tile_shapes(32, 64)
    for i in pypto.loop(x.shape[0] // 64):
        part = x[i * 64 : (i + 1) * 64, :]
        {body}
"""


def _dynamic(*lines: str) -> str:
    return _DYNAMIC.format(body="\n        ".join(lines))


def test_a_loop_runs_over_what_only_run_time_knows() -> None:
    kernel = kernel_of(_dynamic("out[i * 64 :, :] = pypto.exp(part)"))
    (loop,) = kernel.body
    assert isinstance(loop, Loop)
    assert (loop.start, text(loop.stop), loop.step) == (0, "(x.shape[0]//64)", 1)
    (segment,) = loop.body
    assert isinstance(segment, Segment)
    write = segment.graph.operations[-1]
    assert write.opcode == "ASSEMBLE"
    assert text(write.attributes["offset"][0]) == f"({loop.index}*64)"
    assert write.outputs[0].raw is kernel.parameters[1]


def test_a_view_is_valid_as_far_as_the_axis_reaches() -> None:
    kernel = kernel_of(_dynamic("out[i * 64 :, :] = pypto.exp(part)"))
    (computed,) = (operation for operation in operations(kernel) if operation.opcode == "EXP")
    assert computed.outputs[0].shape == (64, 64)
    assert "x.shape[0]" in text(computed.outputs[0].valid_shape[0])


def test_each_arm_of_a_branch_becomes_one_graph() -> None:
    kernel = kernel_of(
        _dynamic(
            "value = pypto.exp(part)",
            "if i < 2:",
            "    value = value + 1.0",
            "else:",
            "    value = value * 2.0",
            "out[i * 64 :, :] = value",
        )
    )
    (loop,) = kernel.body
    assert isinstance(loop, Loop)
    (branch,) = loop.body
    assert isinstance(branch, Branch)
    assert text(branch.condition) == f"({loop.index}<2)"
    (then,), (otherwise,) = list(graphs(branch.then)), list(graphs(branch.otherwise))
    assert [operation.opcode for operation in then.operations] == ["VIEW", "VIEW", "EXP", "ADDS", "ASSEMBLE"]
    assert [operation.opcode for operation in otherwise.operations] == ["VIEW", "VIEW", "EXP", "MULS", "ASSEMBLE"]
    assert not kernel.workspace, "nothing crosses from one graph to another"


def test_a_tensor_that_a_loop_accumulates_lives_in_global_memory() -> None:
    kernel = kernel_of(
        """
        @pypto.frontend.jit
        def kernel(x: pypto.Tensor((256, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(32, 64)
            total = pypto.zeros([64, 64], dtype=pypto.DT_FP32)
            for i in pypto.loop(4):
                total = total + x[i * 64 : (i + 1) * 64, :]
            out.move(total)
        """
    )
    before, loop, *_ = kernel.body
    assert isinstance(before, Segment) and isinstance(loop, Loop)
    (inside,) = graphs(loop.body)
    homes = {tensor.raw for tensor in before.graph.outputs}
    assert homes & {tensor.raw for tensor in inside.inputs}, "the loop reads what was made before it"
    assert {"ADD"} <= {operation.opcode for operation in inside.operations}


def test_what_a_loop_passes_on_unchanged_is_not_copied() -> None:
    kernel = kernel_of(_dynamic("out[i * 64 :, :] = part + 1.0"))
    assert not kernel.workspace


def test_a_python_loop_unrolls() -> None:
    kernel = kernel_of(
        """
        @pypto.frontend.jit
        def kernel(x: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(32, 64)
            value = x
            for step in range(3):
                value = value * 2.0 if step else pypto.exp(value)
            out.move(value)
        """
    )
    assert opcodes(kernel) == ["EXP", "MULS", "MULS"]


def test_helpers_are_inlined_and_keep_the_place_of_their_call() -> None:
    kernel = kernel_of(
        """
        def twice(value):
            return value + value

        @pypto.frontend.jit
        def kernel(x: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(32, 64)
            out.move(twice(pypto.exp(x)))
        """
    )
    (added,) = (operation for operation in operations(kernel) if operation.opcode == "ADD")
    assert [place.span.line for place in added.origin.chain()] == [4, 9]


def test_shapes_that_the_annotation_leaves_open_come_from_the_arguments() -> None:
    source = """
    @pypto.frontend.jit
    def kernel(x: pypto.Tensor(), out: pypto.Tensor(), factor: float):
        pypto.set_vec_tile_shapes(32, 64)
        out.move(x * factor)
    """
    argument = TensorArgument((128, 64), FP32)
    kernel = kernel_of(source, [argument, argument, 0.5])
    assert [raw.shape for raw in kernel.parameters] == [(128, 64), (128, 64)]
    (scaled,) = (operation for operation in operations(kernel) if operation.opcode == "MULS")
    assert scaled.attributes["SCALAR"] == 0.5
    assert trace(source).kernel is None, "without arguments nothing is known"
    assert not trace(source).diagnostics


def test_a_dynamic_axis_stays_a_symbol_whatever_the_argument() -> None:
    source = _dynamic("out[i * 64 :, :] = pypto.exp(part)")
    argument = TensorArgument((128, 64), FP32)
    kernel = kernel_of(source, [argument, argument])
    assert kernel.parameters[0].shape == (Symbol("x.shape[0]"), 64)


def test_code_without_effect_is_left_out() -> None:
    kernel = kernel_of(
        """
        @pypto.frontend.jit
        def kernel(x: pypto.Tensor((64, 64), pypto.DT_FP32), out: pypto.Tensor((64, 64), pypto.DT_FP32)):
            pypto.set_vec_tile_shapes(32, 64)
            unused = pypto.exp(x)
            out.move(x + 1.0)
        """
    )
    assert opcodes(kernel) == ["ADDS"]


def test_names_keep_what_they_held() -> None:
    result = trace(_dynamic("out[i * 64 :, :] = pypto.exp(part)"))
    held = {value.name: value.description for value in result.values}
    assert held["x"] == "Tensor (x.shape[0], 64) DT_FP32"
    assert held["part"] == "Tensor (64, 64) DT_FP32"
