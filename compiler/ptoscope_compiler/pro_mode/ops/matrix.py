"""Matrix products on the cube unit."""

from __future__ import annotations

from ...evaluate.values import Unsupported, Value
from ...hardware import Pipe
from ..call import Call, family
from .checks import check_bias, check_matmul
from .movement import unguarded


@family("matmul")
def matmul(call: Call) -> Value:
    """TMATMUL, or TMATMUL_BIAS where a bias row is given."""
    left, right = call.tile("lhs_tile"), call.tile("rhs_tile")
    check_matmul(call, call.tile("dst_tile"), left, right)
    inputs = [left.operand(), right.operand()]
    opcode = "TMATMUL"
    if call.values["bias_tile"] is not None:
        if len(call.positional) < 4:
            raise Unsupported("pl.matmul(): 'bias_tile' must be given by position")
        check_bias(call, call.tile("bias_tile"), call.tile("dst_tile"))
        opcode = "TMATMUL_BIAS"
        inputs.append(call.tile("bias_tile").operand())
    with call.held(Pipe.M, unguarded(call)):
        call.emit(opcode, Pipe.M, (call.tile("dst_tile").operand(),), inputs, phase=call.member("phase"))
    return None


@family("matmul_acc")
def matmul_acc(call: Call) -> Value:
    """TMATMUL_ACC."""
    left, right = call.tile("lhs_tile"), call.tile("rhs_tile")
    target = call.tile("dst_tile")
    check_matmul(call, target, left, right)
    inputs = (call.tile("acc_tile").operand(), left.operand(), right.operand())
    with call.held(Pipe.M, unguarded(call)):
        call.emit("TMATMUL_ACC", Pipe.M, (target.operand(),), inputs, phase=call.member("phase"))
    return None
