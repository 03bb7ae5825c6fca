"""PT611."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT611",
    name="wrong-arguments",
    severity=Severity.ERROR,
    message="{call} {problem}",
    message_zh="{call} {problem_zh}",
    remedy="The signature is {signature}.",
    remedy_zh="签名为 {signature}。",
    official=("F00001",),
)
