"""What the block passes promise about structure: groups, leaf functions, order, addresses, flags."""

import pytest
from block_kernels import cube_tile, kernel, matmul, softmax, vector_tile
from ptoscope_compiler import targets
from ptoscope_compiler.diagnostics.diagnostic import Severity
from ptoscope_compiler.hardware import CoreKind, MemorySpace
from ptoscope_compiler.pipeline import CompilationFailed, compile_tensor_kernel, run_kernel_passes

A2A3 = targets.load("a2a3")


def execute(traced, until=None, target=A2A3):
    (segment,) = run_kernel_passes(traced, target, until=until).segments()
    return segment.execute


def add(write, x, y):
    return write("ADD", (x, y), x.shape)


def opcodes(leaf):
    return [operation.opcode for operation in leaf.graph.operations]


def test_equal_tiles_share_one_leaf_function():
    graph = execute(kernel(add, [(64, 64)] * 3, vector_tile(32, 32)))
    assert len(graph.leaves) == 1
    assert len(graph.calls) == 4
    assert len({tuple(operand.offset for operand in call.operands) for call in graph.calls}) == 4


def test_tail_tiles_have_leaf_functions_of_their_own():
    graph = execute(kernel(add, [(48, 40)] * 3, vector_tile(32, 32)))
    assert len(graph.leaves) == len(graph.calls) == 4


def test_the_leaf_of_an_addition_is_the_official_one():
    (leaf,) = execute(kernel(add, [(64, 64)] * 3, vector_tile(32, 32))).leaves.values()
    assert leaf.core is CoreKind.AIV
    assert opcodes(leaf) == [
        "PHASE1", "COPY_IN", "COPY_IN", "PHASE2", "SYNC_SRC", "SYNC_DST", "ADD", "SYNC_SRC", "SYNC_DST", "COPY_OUT",
    ]  # fmt: skip
    assert [op.attributes["sync"][2] for op in leaf.graph.operations if op.opcode == "SYNC_SRC"] == [1, 1]
    result = next(op for op in leaf.graph.operations if op.opcode == "ADD").outputs[0]
    assert (result.memory, result.address) == (MemorySpace.UB, 0)


def test_a_row_of_tiles_that_is_reduced_is_one_group():
    graph = execute(kernel(softmax, [(32, 256)] * 2, vector_tile(8, 64)))
    assert len(graph.leaves) == 1
    assert len(graph.calls) == 4
    (leaf,) = graph.leaves.values()
    assert opcodes(leaf).count("BRCB") == 8


def test_calls_wait_for_what_they_read():
    def chain(write, x):
        first = write("A_MUL_B", (x, x), x.shape, tiles=cube_tile((32, 32), (32, 32, 32), (32, 32)))
        return write("EXP", (first,), x.shape)

    graph = execute(kernel(chain, [(64, 64)] * 2, vector_tile(32, 32)))
    cube = [index for index, call in enumerate(graph.calls) if graph.leaves[call.leaf].core is CoreKind.AIC]
    vector = [call for call in graph.calls if graph.leaves[call.leaf].core is CoreKind.AIV]
    assert len(cube) == len(vector) == 4
    assert all(len(set(call.depends) & set(cube)) == 1 for call in vector)


def test_flags_are_never_set_twice_and_events_run_out_safely():
    def sum_of_many(write, *inputs):
        total = inputs[0]
        for other in inputs[1:]:
            total = write("ADD", (total, other), total.shape)
        return total

    graph = execute(kernel(sum_of_many, [(16, 16)] * 21, vector_tile(16, 16)))
    (leaf,) = graph.leaves.values()
    held = set()
    for operation in leaf.graph.operations:
        if operation.opcode == "SYNC_SRC":
            assert operation.attributes["sync"] not in held
            held.add(operation.attributes["sync"])
        elif operation.opcode == "SYNC_DST":
            held.remove(operation.attributes["sync"])
    assert not held


def test_more_tiles_than_fit_are_spilled_and_the_peak_stays_within_the_memory():
    def many_alive(write, x):
        parts = [write("MULS", (x,), x.shape, SCALAR=float(factor)) for factor in range(1, 9)]
        total = parts[0]
        for part in parts[1:]:
            total = write("ADD", (total, part), x.shape)
        for part in parts:
            total = write("MUL", (total, part), x.shape)
        return total

    program = compile_tensor_kernel(kernel(many_alive, [(128, 64)] * 2, vector_tile(128, 64)), A2A3)
    (core,) = program.cores.values()
    assert core.on_chip["UB"] <= A2A3.usable(MemorySpace.UB)
    assert program.workspace


def test_tiles_that_cannot_fit_are_reported_at_the_operation_with_the_line_that_set_the_tile():
    findings = []
    with pytest.raises(CompilationFailed) as error:
        compile_tensor_kernel(kernel(add, [(512, 512)] * 3, vector_tile(512, 512)), A2A3, report=findings.append)
    (finding,) = findings
    assert error.value.diagnostics == (finding,)
    assert (finding.code, finding.severity) == ("PT202", Severity.ERROR)
    assert finding.span.line == 1
    assert finding.related[0].span.line == 100
    assert finding.facts.limit == 192 * 1024
    assert "set_vec_tile_shapes" in finding.remedy()
    assert "UB" in finding.message()


def test_a_product_uses_both_ends_of_the_operand_buffers():
    traced = kernel(matmul(False, False), [(32, 128), (128, 32), (32, 32)], cube_tile((32, 32), (64, 64, 64), (32, 32)))
    (leaf,) = execute(traced).leaves.values()
    lefts = [op.outputs[0].address for op in leaf.graph.operations if op.opcode == "L1_TO_L0A"]
    assert lefts == [0, A2A3.usable(MemorySpace.L0A) - 32 * 64 * 4]
    assert "BAR.M" in opcodes(leaf)


def test_every_stage_is_observed_in_the_official_order():
    from ptoscope_compiler.passes.manager import NAMES

    seen = []
    run_kernel_passes(
        kernel(add, [(32, 32)] * 3, vector_tile(16, 16)), A2A3, observe=lambda name, state: seen.append(name)
    )
    assert seen == [name for name in NAMES if name in seen]
    assert seen[-1] == "CodegenPreproc"
    assert "TuneSyncForVF" not in seen


def with_options(traced, **options):
    from dataclasses import replace

    return replace(traced, options=options)


def test_equal_groups_run_as_one_call_where_the_kernel_asks_for_it():
    traced = with_options(kernel(add, [(64, 64)] * 3, vector_tile(16, 64)), vec_nbuffer_setting={-1: 2})
    graph = execute(traced)
    (leaf,) = graph.leaves.values()
    assert len(graph.calls) == 2
    assert opcodes(leaf).count("ADD") == 2


def test_groups_that_share_a_load_run_as_one_call_and_load_it_once():
    shapes = [(64, 32), (32, 64), (64, 64)]
    tile = cube_tile((32, 32), (32, 32, 32), (32, 32))
    alone = execute(kernel(matmul(False, False), shapes, tile))
    together = execute(with_options(kernel(matmul(False, False), shapes, tile), cube_l1_reuse_setting={-1: 2}))
    assert (len(alone.calls), len(together.calls)) == (4, 2)
    (leaf,) = together.leaves.values()
    assert opcodes(leaf).count("A_MUL_B") == 2
    assert opcodes(leaf).count("COPY_IN") == 3
