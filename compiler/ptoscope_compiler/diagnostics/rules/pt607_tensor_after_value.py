"""PT607."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT607",
    name="tensor-after-value",
    severity=Severity.ERROR,
    message="the tensor parameter '{name}' follows a parameter that is no tensor",
    message_zh="张量参数 '{name}' 位于非张量参数之后",
    remedy="Put all tensors first.",
    remedy_zh="将所有张量参数放在前面。",
    official=("F00002",),
)
