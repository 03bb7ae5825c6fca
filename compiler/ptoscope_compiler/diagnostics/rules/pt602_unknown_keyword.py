"""PT602."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT602",
    name="unknown-keyword",
    severity=Severity.ERROR,
    message="{call} has no parameter '{keyword}'.{suggestion}",
    message_zh="{call} 没有参数 '{keyword}'。{suggestion_zh}",
    remedy="The signature is {signature}.",
    remedy_zh="签名为 {signature}。",
)
