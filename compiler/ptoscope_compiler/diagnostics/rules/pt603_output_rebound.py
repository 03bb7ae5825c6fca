"""PT603."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT603",
    name="output-rebound",
    severity=Severity.ERROR,
    message="the parameter '{name}' is rebound here: the caller's tensor is not written",
    message_zh="此处重新绑定了参数 '{name}'：调用者的张量没有被写入",
    remedy="Write into it: {name}[:] = ...",
    remedy_zh="改为写入：{name}[:] = ...",
)
