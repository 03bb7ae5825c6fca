"""An instruction or statement whose operands do not fit together at run time."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT954",
    name="instruction-fault",
    severity=Severity.ERROR,
    message="{operation} cannot run: {reason}",
    message_zh="{operation} 无法执行：{reason}",
    remedy="Check shapes, valid shapes and types of its operands.",
    remedy_zh="检查其操作数的形状、valid shape 与类型。",
)
