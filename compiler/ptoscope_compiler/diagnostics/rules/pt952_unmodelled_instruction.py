"""An instruction without semantics in the simulator."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT952",
    name="unmodelled-instruction",
    severity=Severity.ERROR,
    message="the simulator does not model instruction {opcode}",
    message_zh="模拟器尚未支持指令 {opcode}",
    remedy="Use another instruction, or run on a device.",
    remedy_zh="改用其他指令，或在设备上运行。",
)
