"""Small kernels, built by hand as Tensor Graphs."""

from ptoscope_compiler.dtype import FP32
from ptoscope_compiler.ir.graph import Builder, CubeTile, Graph, TileShapes
from ptoscope_compiler.ir.kernel import Segment, TensorKernel
from ptoscope_compiler.origin import Origin, Span


def origin(line=1):
    return Origin(Span("kernel.py", line, 0, line, 10))


def vector_tile(*shape):
    return TileShapes(vector=shape, origins={"vector": origin(100)})


def cube_tile(m, k, n):
    return TileShapes(cube=CubeTile(m, k, n), vector=(16, 16), origins={"cube": origin(200)})


class Writer:
    """Operations of one kernel, each on a line of its own."""

    def __init__(self, tiles):
        self.builder = Builder()
        self.operations = []
        self.tiles = tiles

    def __call__(self, opcode, inputs, shape, dtype=None, tiles=None, **attributes):
        result = self.builder.new(shape, dtype or inputs[0].dtype)
        line = len(self.operations) + 1
        self.operations.append(
            self.builder.operation(opcode, inputs, (result,), origin(line), attributes, tiles or self.tiles)
        )
        return result

    def assemble(self, part, whole, offset=None):
        line = len(self.operations) + 1
        details = {"offset": offset or (0,) * whole.rank}
        self.operations.append(self.builder.operation("ASSEMBLE", (part,), (whole,), origin(line), details, self.tiles))


def kernel(body, shapes, tiles, dtypes=None):
    """`body(write, *inputs)` returns the value that goes to the last parameter."""
    write = Writer(tiles)
    kinds = dtypes or [FP32] * len(shapes)
    raws = [
        write.builder.raw(shape, dtype, f"p{index}", parameter=True)
        for index, (shape, dtype) in enumerate(zip(shapes, kinds, strict=True))
    ]
    tensors = [write.builder.tensor(raw) for raw in raws]
    write.assemble(body(write, *tensors[:-1]), tensors[-1])
    graph = Graph("kernel", write.operations, tensors[:-1], tensors[-1:])
    return TensorKernel("kernel", tuple(raws), (), (Segment(graph),), origin())


def softmax(write, x):
    rows = (*x.shape[:-1], 1)
    axis = len(x.shape) - 1
    largest = write("ROWMAX_SINGLE", (x,), rows, op_attr_AXIS=axis)
    raised = write("EXP", (write("SUB", (x, largest), x.shape),), x.shape)
    total = write("ROWSUM_SINGLE", (raised,), rows, op_attr_AXIS=axis)
    return write("DIV", (raised, total), x.shape)


def matmul(left, right):
    """A product; the arguments say whether a factor is stored transposed."""

    def body(write, a, b, *bias):
        rows = a.shape[1] if left else a.shape[0]
        columns = b.shape[0] if right else b.shape[1]
        return write(
            "A_MUL_B",
            (a, b, *bias),
            (rows, columns),
            op_attr_trans_a=left,
            op_attr_trans_b=right,
            op_attr_has_bias=bool(bias),
        )

    return body
