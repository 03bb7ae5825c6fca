"""Control flow that run time decides, on scalars that a kernel stores where the test can read them."""

import numpy as np
import pytest
from pro_tracing import program, run, statements
from ptoscope_compiler.pto.program import Assign, For


def result(body, *inputs, size=8):
    """What the lines of `body` store in `out`, for a vector section over `data` and the scalar `n`."""
    lines = "\n".join(f"        {line}" for line in body.strip("\n").splitlines())
    text = (
        "@pl.jit\n"
        f"def kernel(data: pl.Tensor[[8], pl.DT_INT32], n: pl.DT_INT64, out: pl.Tensor[[{size}], pl.DT_INT32]):\n"
        f"    with pl.section_vector():\n{lines}\n"
    )
    data = np.array(inputs[1] if len(inputs) > 1 else range(8), np.int32)
    out = np.zeros(size, np.int32)
    run(text, {"data": data, "out": out}, {"n": inputs[0] if inputs else 0})
    return out.tolist()


@pytest.mark.parametrize(("n", "expected"), [(1, 10), (2, 20), (3, 30)])
def test_an_if_chooses_at_run_time(n, expected):
    body = """
if n == 1:
    x = 10
elif n == 2:
    x = 20
else:
    x = 30
out[0] = x
"""
    assert result(body, n)[0] == expected


def test_a_variable_of_a_loop_keeps_its_value_between_iterations():
    body = """
a = 0
b = 1
for i in pl.range(n):
    a, b = b, a + b
out[0] = a
out[1] = b
"""
    assert result(body, 10)[:2] == [55, 89]


def test_break_and_continue_keep_what_was_assigned_before():
    body = """
total = 0
last = -1
for i in pl.range(8):
    last = i
    if i == 2:
        continue
    if i == n:
        break
    total += data[i]
out[0] = total
out[1] = last
"""
    assert result(body, 5)[:2] == [0 + 1 + 3 + 4, 5]


def test_while_tests_before_each_iteration():
    body = """
steps = 0
x = n
while x > 1:
    x = x // 2 if x % 2 == 0 else 3 * x + 1
    steps += 1
out[0] = steps
"""
    assert result(body, 6)[0] == 8
    assert result(body, 1)[0] == 0


def test_while_true_ends_at_its_break():
    body = """
i = 0
while True:
    if data[i] > n:
        break
    i += 1
out[0] = i
"""
    assert result(body, 3)[0] == 4


def test_run_time_division_truncates_as_in_c():
    body = """
out[0] = (n - 10) // 4
out[1] = (n - 10) % 4
"""
    assert result(body, 3)[:2] == [-1, -3]


def test_a_condition_of_several_parts():
    body = """
inside = n > 2 and n < 6 or n == 7
out[0] = 1 if inside else 0
out[1] = 1 if not inside else 0
"""
    assert [result(body, n)[0] for n in (1, 3, 6, 7)] == [0, 1, 0, 1]


def test_a_list_is_indexed_by_a_run_time_scalar():
    body = """
table = [5, 7, 11]
out[0] = table[n]
"""
    assert result(body, 2)[0] == 11


def test_structures_are_mutable_and_arrays_of_them_share_storage():
    body = """
point = pl.struct("Point", x=1, y=[0, 0, 0])
many = pl.struct_array(3, "Point", x=0)
for i in pl.range(3):
    point.x = point.x * 2
    point.y[i] = i * n
    entry = many[i]
    entry.x = i + 10
out[0] = point.x
out[1] = point.y[2]
out[2] = many[1].x
"""
    assert result(body, 4)[:3] == [8, 8, 11]


def test_the_cursor_of_a_group_goes_on_through_loops_and_branches():
    body = """
group = pl.make_tile_group(type=pl.TileType(shape=[1, 8], dtype=pl.DT_INT32), addrs=0, depth=3)
for i in pl.range(3):
    group[i][0, 0] = i * 100
for i in pl.range(n):
    if i % 2 == 0:
        group.next()
out[0] = group.current()[0, 0]
out[1] = group.next()[0, 0]
out[2] = group.previous()[0, 0]
"""
    assert result(body, 0)[:3] == [200, 0, 200]
    assert result(body, 5)[:3] == [200, 0, 200]
    assert result(body, 3)[:3] == [100, 200, 100]


HELPERS = """
def clamp(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value

def first_above(data, limit):
    for i in pl.range(8):
        for j in pl.range(1):
            if data[i] > limit:
                return i + j
    return -1

@pl.jit
def kernel(data: pl.Tensor[[8], pl.DT_INT32], n: pl.DT_INT64, out: pl.Tensor[[8], pl.DT_INT32]):
    with pl.section_vector():
        out[0] = clamp(n, 2, 5)
        out[1] = first_above(data, n) * 10
"""


@pytest.mark.parametrize(("n", "expected"), [(0, [2, 10]), (4, [4, 50]), (9, [5, -10])])
def test_helpers_return_early(n, expected):
    out = np.zeros(8, np.int32)
    run(HELPERS, {"data": np.arange(8, dtype=np.int32), "out": out}, {"n": n})
    assert out[:2].tolist() == expected


def test_a_return_of_the_kernel_ends_it():
    body = """
out[0] = 1
if n > 3:
    return
out[1] = 1
"""
    assert result(body, 4)[:2] == [1, 0]
    assert result(body, 3)[:2] == [1, 1]


def test_what_a_loop_leaves_alone_costs_no_assignment():
    text = """
    @pl.jit
    def kernel(x: pl.Tensor[[64, 64], pl.DT_FP32], n: pl.DT_INT64):
        tile = pl.make_tile(pl.TileType(shape=[64, 64], dtype=pl.DT_FP32), addr=0)
        scale = 2.0
        with pl.section_vector():
            for i in pl.range(n):
                pl.load(tile, x, [0, 0])
                pl.mul(tile, tile, scale)
    """
    body = program(text).cores["vector"].body
    assert not list(statements(body, Assign))
    (loop,) = statements(body, For)
    assert loop.body[0].outputs[0].valid == (64, 64)
