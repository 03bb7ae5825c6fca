"""PT403."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT403",
    name="float-with-integer-tensor",
    severity=Severity.ERROR,
    message="{operation}: the float {value} with a tensor of {dtype}",
    message_zh="{operation}：浮点数 {value} 与 {dtype} 张量运算",
    remedy="Use a whole number, or cast the tensor to a float type.",
    remedy_zh="使用整数，或将张量转换为浮点类型。",
    official=("F00001",),
)
