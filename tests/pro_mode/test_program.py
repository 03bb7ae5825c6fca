"""The form of the programs that kernels of Pro mode become."""

import pytest
from pro_tracing import opcodes, program, statements, trace
from ptoscope_compiler.dtype import FP32
from ptoscope_compiler.hardware import Layout, MemorySpace, Pipe
from ptoscope_compiler.pro_mode.parameters import TensorArgument
from ptoscope_compiler.pto.program import If, Instruction, MutexLock, MutexUnlock, SetFlag, WaitFlag
from ptoscope_compiler.scalar import Symbol

COPY = """
@pl.jit{options}
def kernel(x: pl.Tensor[[64, 64], pl.DT_FP32], y: pl.Tensor[[64, 64], pl.DT_FP32]):
    tile = pl.TileType(shape=[64, 64], dtype=pl.DT_FP32)
    group = pl.make_tile_group(type=tile, addrs=0, mutex_ids={ids})
    with pl.section_vector():
        t = group.next()
        pl.load(t, x, [0, 0])
        pl.store(y, t, [0, 0])
"""


def tokens(body):
    return [
        (type(item).__name__, item.pipe, item.id)
        for item in statements(body)
        if isinstance(item, MutexLock | MutexUnlock)
    ]


def test_a_kernel_has_a_program_for_each_kind_of_core_that_has_a_section():
    made = program(COPY.format(options="", ids="[0]"))
    assert set(made.cores) == {"vector"}
    assert (made.control[0].cube, made.control[0].vector) == (None, "vector")
    assert opcodes(made.cores["vector"].body) == ["TLOAD", "TSTORE"]


def test_each_operation_takes_the_tokens_of_its_tiles_on_its_pipe():
    body = program(COPY.format(options="", ids="[3]")).cores["vector"].body
    assert tokens(body) == [
        ("MutexLock", Pipe.MTE2, 3),
        ("MutexUnlock", Pipe.MTE2, 3),
        ("MutexLock", Pipe.MTE3, 3),
        ("MutexUnlock", Pipe.MTE3, 3),
    ]


def test_a_tile_may_have_several_tokens():
    body = program(COPY.format(options="", ids="[(3, 4)]")).cores["vector"].body
    assert [token for _, _, token in tokens(body)] == [3, 4, 3, 4, 3, 4, 3, 4]


def test_auto_mutex_can_be_turned_off():
    body = program(COPY.format(options="(auto_mutex=False)", ids="[3]")).cores["vector"].body
    assert tokens(body) == []


def test_two_tiles_of_one_group_take_a_shared_token_once():
    text = """
    @pl.jit
    def kernel(n: pl.DT_INT64):
        tile = pl.TileType(shape=[64, 64], dtype=pl.DT_FP32)
        group = pl.make_tile_group(type=tile, addrs=0, mutex_ids=[0, 1])
        with pl.section_vector():
            pl.exp(group[n], group[0])
    """
    body = program(text).cores["vector"].body
    locks = [item for item in body if isinstance(item, MutexLock)]
    guarded = [item for item in body if isinstance(item, If) and isinstance(item.then[0], MutexLock)]
    assert [item.id for item in locks] == [Symbol("n")]
    assert guarded[0].then[0].id == 0


def test_an_accumulator_under_a_phase_needs_no_token():
    text = """
    @pl.jit
    def kernel(out: pl.Tensor[[16, 16], pl.DT_FP32]):
        left = pl.make_tile_group(type=pl.TileType([16, 16], pl.DT_FP16, pl.MemorySpace.Left), addrs=0, mutex_ids=[0])
        right = pl.make_tile_group(type=pl.TileType([16, 16], pl.DT_FP16, pl.MemorySpace.Right), addrs=0, mutex_ids=[1])
        acc = pl.make_tile_group(type=pl.TileType([16, 16], pl.DT_FP32, pl.MemorySpace.Acc), addrs=0, mutex_ids=[2])
        with pl.section_cube():
            pl.matmul(acc.current(), left.current(), right.current(), phase=pl.AccPhase.Final)
            pl.store(out, acc.current(), [0, 0], phase=pl.STPhase.Final)
    """
    assert {token for _, _, token in tokens(program(text).cores["cube"].body)} == {0, 1}


@pytest.mark.parametrize(
    ("source", "target", "pipe"),
    [
        ("Mat", "Left", Pipe.MTE1),
        ("Mat", "Right", Pipe.MTE1),
        ("Acc", "Vec", Pipe.FIX),
        ("Mat", "Scaling", Pipe.FIX),
        ("Vec", "Mat", Pipe.MTE3),
        ("Vec", "Vec", Pipe.V),
    ],
)
def test_a_move_runs_on_the_pipe_of_its_path(source, target, pipe):
    text = f"""
    @pl.jit
    def kernel(n: pl.DT_INT64):
        a = pl.make_tile(pl.TileType([16, 16], pl.DT_FP32, pl.MemorySpace.{source}), addr=0)
        b = pl.make_tile(pl.TileType([16, 16], pl.DT_FP32, pl.MemorySpace.{target}), addr=0)
        with pl.section_cube():
            pl.move(b, a)
    """
    (move,) = statements(program(text).cores["cube"].body, Instruction)
    assert move.pipe is pipe


def test_default_layouts_are_those_of_the_space_and_the_chip():
    text = """
    @pl.jit
    def kernel(n: pl.DT_INT64):
        a = pl.make_tile(pl.TileType([16, 16], pl.DT_FP16, pl.MemorySpace.Mat), addr=0)
        b = pl.make_tile(pl.TileType([16, 16], pl.DT_FP16, pl.MemorySpace.Left), addr=0)
        with pl.section_cube():
            pl.move(b, a)
    """
    for target, left in (("950", Layout.NZ), ("a2a3", Layout.ZZ)):
        (move,) = statements(program(text, target=target).cores["cube"].body, Instruction)
        assert move.inputs[0].type.layout is Layout.NZ
        assert move.outputs[0].type.layout is left
        assert move.outputs[0].type.space is MemorySpace.L0A


def test_flags_keep_their_pipes_and_event():
    text = """
    @pl.jit
    def kernel(n: pl.DT_INT64):
        with pl.section_vector():
            pl.system.sync_src(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=3)
            pl.system.sync_dst(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=3)
    """
    first, second = program(text).cores["vector"].body
    assert isinstance(first, SetFlag) and isinstance(second, WaitFlag)
    assert (first.source, first.target, first.event) == (second.source, second.target, second.event)


SPECIALISED = """
@pl.jit
def kernel(x: pl.Tensor[[pl.STATIC, pl.DYNAMIC], pl.DT_FP32]):
    with pl.section_vector():
        pl.printf("%d %d", x.shape[0], x.shape[1])
"""


def test_a_static_axis_is_a_number_and_a_dynamic_one_a_symbol():
    made = trace(SPECIALISED, [TensorArgument((8, 9), FP32)]).program
    assert made.cores["vector"].body[0].arguments == (8, Symbol("x.shape[1]"))
    assert made.parameters[0].shape == (8, Symbol("x.shape[1]"))


def test_the_columns_of_a_transposing_load_are_rows_of_the_tensor():
    text = """
    @pl.jit
    def kernel(x: pl.Tensor[[4, 32, 64], pl.DT_FP16]):
        tile = pl.make_tile(pl.TileType([64, 32], pl.DT_FP16, pl.MemorySpace.Mat, layout=pl.ZN), addr=0)
        with pl.section_cube():
            pl.load(tile, x, [1, 0, 0], order=[2, 1])
    """
    (load,) = statements(program(text).cores["cube"].body, Instruction)
    window = load.inputs[0]
    assert (window.shape, window.strides, window.offset) == ((64, 32), (1, 64), 2048)


def test_a_slice_of_a_tile_keeps_the_pitch_of_its_parent():
    text = """
    @pl.jit
    def kernel(n: pl.DT_INT64):
        tile = pl.make_tile(pl.TileType([16, 64], pl.DT_FP32), addr=256)
        with pl.section_vector():
            pl.exp(tile[2:6, 8:16], tile[2:6, 8:16])
    """
    (exp,) = statements(program(text).cores["vector"].body, Instruction)
    part = exp.outputs[0]
    assert (part.address, part.valid, part.strides) == (256 + (2 * 64 + 8) * 4, (4, 8), (64, 1))
