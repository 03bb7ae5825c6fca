"""Vector functions: operations on registers of the vector unit.

Result types and forms: `python/pypto_pro/language/parser/_assignment_parser.py` and
`framework/src/interface/pypto_pro/backend/backend_cce_vf_ops.cpp` of hicann/pypto. A mask follows the sources of an
instruction; the old contents of the output follow the mask, where inactive lanes keep them (attribute `merging`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import scalar
from ...dtype import FP16, FP32, INT32, INT64, UINT16, DType
from ...evaluate.operation import Operation
from ...evaluate.site import Site
from ...evaluate.values import Unsupported, Value
from ...hardware import Pipe
from ...pto.operands import Operand
from ...scalar import ScalarLike
from ..call import Call, family
from ..declarations import ElementType
from ..registers import Held, Kind, MaskValue, RegisterValue, copy, kind_of
from ..scalars import as_value, dtype_of, is_scalar, lower

_CONTROL = frozenset({"mode", "merge_mode", "dtype", "precision", "layout", "part", "gather_mode", "round_mode"})


def result(call: Call, kind: Kind, position: int = 0) -> Held:
    """The register that the call's result goes to."""
    return call.tracer.registers.target(call.site.node, position, kind, _variables(call.site))


def _variables(site: Site) -> dict[str, Value]:
    assert isinstance(site, Operation)
    return dict(site.frame.variables)


def register(call: Call, name: str) -> RegisterValue:
    value = call.values[name]
    if not isinstance(value, RegisterValue):
        raise Unsupported(f"vf.{call.entry.name}(): '{name}' must be a register")
    return value


def chosen_dtype(call: Call, default: DType) -> DType:
    """`dtype=`, where it is given."""
    value = call.values.get("dtype")
    return value.dtype if isinstance(value, ElementType) else default


def operand(value: Value) -> Operand:
    if isinstance(value, (RegisterValue, MaskValue)):
        return value.operand()
    return lower(value)


def merges(call: Call) -> bool:
    """Whether inactive lanes keep what the target held."""
    return "MERGING" in (call.member("mode") if "mode" in call.values else None, _member(call, "merge_mode"))


def _member(call: Call, name: str) -> str | None:
    return call.member(name) if name in call.values else None


def emit(call: Call, opcode: str, targets: Sequence[Held], inputs: Sequence[Operand], **attributes: Any) -> Value:
    """One instruction; the value is its result, or a tuple of them."""
    mask = call.values.get("mask")
    operands = list(inputs)
    if isinstance(mask, MaskValue):
        operands.append(mask.operand())
    if merges(call):
        operands.append(targets[0].operand())
        attributes["merging"] = True
    call.emit(opcode, Pipe.V, [target.operand() for target in targets], operands, **attributes)
    return targets[0] if len(targets) == 1 else tuple(targets)


@family("vf.lanes")
def lanes(call: Call) -> Value:
    """An instruction on lanes: `OPCODE`, or `FIRST/SECOND` for registers and masks, or for a register and a scalar."""
    words = call.entry.steps[""][0].split()
    names = [parameter.name for parameter in call.entry.parameters if parameter.name not in _CONTROL]
    values = [call.values[name] for name in names if name != "mask"]
    opcodes = words[0].split("/")
    is_second = isinstance(values[0], MaskValue) or (len(values) > 1 and is_scalar(values[-1]))
    opcode = opcodes[-1] if is_second else opcodes[0]
    kind = kind_of(values[0])
    if isinstance(kind, int) and "pair" in words:
        opcode = f"{opcode}_B{kind}"
    count = 2 if "pair" in words else 1
    attributes = dict(word.split("=") for word in words[1:] if "=" in word)
    found = {name: call.member(parameter) for name, parameter in attributes.items()}
    targets = [result(call, kind, position) for position in range(count)]
    return emit(call, opcode, targets, [operand(value) for value in values], **found)


@family("vf.log")
def logarithm(call: Call) -> Value:
    """VLN, scaled to the base."""
    source = register(call, "src")
    target = result(call, source.register.dtype)
    emit(call, "VLN", [target], [source.operand()])
    factor = 1.4426950408889634 if call.entry.name == "log2" else 0.4342944819032518
    return emit(call, "VMULS", [target], [target.operand(), factor])


@family("vf.exp_sub")
def exp_sub(call: Call) -> Value:
    """VEXPDIF; the result is float32, of one half of a float16 register."""
    source, largest = register(call, "src"), register(call, "max_val")
    part = call.member("layout")
    return emit(call, "VEXPDIF", [result(call, FP32)], [source.operand(), largest.operand()], part=part)


@family("vf.move")
def move(call: Call) -> Value:
    source = call.values["src"]
    target = result(call, kind_of(source))
    if call.values["mask"] is None:
        call.tracer.emit(copy(target, source, call.origin))
        return target
    return emit(call, "VMOV" if isinstance(target, RegisterValue) else "PMOV", [target], [source.operand()])


@family("vf.accumulate")
def accumulate(call: Call) -> Value:
    """The target is the last input too."""
    source = register(call, "src0" if "src0" in call.values else "src")
    other = call.values["src1" if "src1" in call.values else "scalar"]
    target = result(call, source.register.dtype)
    inputs = (source.operand(), operand(other), call.values["mask"].operand(), target.operand())
    call.emit(call.entry.steps[""][0], Pipe.V, (target.operand(),), inputs)
    return target


@family("vf.carry")
def carry(call: Call) -> Value:
    """The result and its carry mask."""
    first, second = register(call, "src0"), register(call, "src1")
    incoming = call.values["carry_in" if "carry_in" in call.values else "borrow_in"]
    targets = [result(call, first.register.dtype, 0), result(call, first.register.dtype.bits, 1)]
    inputs = [first.operand(), second.operand(), incoming.operand()]
    return emit(call, call.entry.steps[""][0], targets, inputs)


@family("vf.compare")
def compare(call: Call) -> Value:
    source, other = register(call, "a"), call.values["b"]
    opcode = "VCMPS" if is_scalar(other) else "VCMP"
    target = result(call, source.register.dtype.bits)
    return emit(call, opcode, [target], [source.operand(), operand(other)], compare=call.entry.steps[""][0])


@family("vf.create_mask")
def create_mask(call: Call) -> Value:
    bits = chosen_dtype(call, FP32).bits
    target = result(call, bits)
    call.emit(f"PSET_B{bits}", Pipe.V, (target.operand(),), (), pattern=call.member("pattern"))
    return target


@family("vf.update_mask")
def update_mask(call: Call) -> Value:
    """The first lanes; the count is taken without its sign, so that a negative one means all lanes."""
    bits = chosen_dtype(call, FP32).bits
    target = result(call, bits)
    call.emit(f"PLT_B{bits}", Pipe.V, (target.operand(),), (lower(call.values["scalar"]),))
    return target


@family("vf.full")
def full(call: Call) -> Value:
    """VBR of a scalar, or VDUP under a mask or of a register's lane."""
    source = call.values["scalar_or_src"]
    if isinstance(source, RegisterValue):
        target = result(call, source.register.dtype)
        return emit(call, "VDUP", [target], [source.operand()], position=call.member("pos") or "LOWEST")
    target = result(call, chosen_dtype(call, FP32 if dtype_of(source).is_float else INT32))
    if call.values["mask"] is not None:
        return emit(call, "VDUP", [target], [lower(source)])
    return emit(call, "VBR", [target], [lower(source)])


@family("vf.arange")
def arange(call: Call) -> Value:
    start = call.values["start"]
    target = result(call, chosen_dtype(call, FP32 if dtype_of(start).is_float else INT32))
    order = call.member("index_order") or call.member("order")
    return emit(call, "VCI", [target], [lower(start)], order=order)


@family("vf.astype")
def astype(call: Call) -> Value:
    """VCVT; a change of width uses or fills the part of the lanes that `layout` names."""
    source = register(call, "src")
    target = result(call, chosen_dtype(call, source.register.dtype))
    saturate = _member(call, "saturate")
    return emit(
        call,
        "VCVT",
        [target],
        [source.operand()],
        part=call.member("layout"),
        round=call.member("round_mode") or "CAST_RINT",
        saturate=None if saturate is None else saturate == "ON",
    )


@family("vf.bit_cast")
def bit_cast(call: Call) -> Value:
    """The same register under another type."""
    source = register(call, "src")
    return RegisterValue(type(source.register)(source.register.name, chosen_dtype(call, source.register.dtype)))


@family("vf.muls_cast")
def muls_cast(call: Call) -> Value:
    source = register(call, "src")
    target = result(call, chosen_dtype(call, FP16))
    inputs = [source.operand(), lower(call.values["scalar"])]
    return emit(call, "VMULSCVT", [target], inputs, part=call.member("layout"))


@family("vf.reduce")
def reduce(call: Call) -> Value:
    """VCADD and its siblings; `datablock` reduces each block of 32 bytes."""
    source = register(call, "src")
    group = "G" if call.values["datablock"] else ""
    opcode = f"VC{group}{call.entry.steps[''][0]}"
    return emit(call, opcode, [result(call, source.register.dtype)], [source.operand()])


@family("vf.pack")
def pack(call: Call) -> Value:
    source = call.values["src"]
    opcode = call.entry.steps[""][0].split("/")[isinstance(source, MaskValue)]
    kind = kind_of(source)
    target = result(call, chosen_dtype(call, kind) if isinstance(kind, DType) else kind)
    return emit(call, opcode, [target], [source.operand()], part=call.member("part") or "LOWER")


@family("vf.create_addr_reg")
def create_addr_reg(call: Call) -> Value:
    """The sum of index times stride, as a scalar: offsets of accesses are scalars."""
    total: ScalarLike = 0
    for position in range(4):
        index, stride = call.values[f"index{position}"], call.values[f"stride{position}"]
        if index is not None and stride is not None:
            total = scalar.add(total, scalar.mul(lower(index), lower(stride)))
    return as_value(total, INT64)


@family("vf.unsqueeze")
def unsqueeze(call: Call) -> Value:
    mask: MaskValue = call.values["mask"]
    target = result(call, chosen_dtype(call, INT32))
    call.emit("VUSQZ", Pipe.V, (target.operand(),), (mask.operand(),))
    return target


@family("vf.histograms")
def histograms(call: Call) -> Value:
    """CHISTV2 accumulates over bins, DHISTV2 counts each bin."""
    opcode = "DHISTV2" if call.member("hist_type") == "FREQUENCY" else "CHISTV2"
    inputs = [register(call, "src").operand()]
    return emit(call, opcode, [result(call, UINT16)], inputs, bin=call.member("bin_type") or "BIN0")


@family("vf.mask_gen")
def mask_gen(call: Call) -> Value:
    source = register(call, "src")
    target = result(call, source.register.dtype.bits)
    call.emit("MOVVP", Pipe.V, (target.operand(),), (source.operand(),), block=call.values["offset"] or 0)
    return target


@family("vf.align_register")
def align_register(call: Call) -> Value:
    """Alignment state: accesses are simulated element by element and need none."""
    return 0
