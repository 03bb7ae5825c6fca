"""PT651."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT651",
    name="wrong-arguments",
    severity=Severity.ERROR,
    message="{message}",
    message_zh="{message}（实参与函数签名不符）",
    remedy="Pass the arguments that the signature asks for.",
    remedy_zh="请按函数签名传递参数。",
)
