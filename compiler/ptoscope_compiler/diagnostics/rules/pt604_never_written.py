"""PT604."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT604",
    name="never-written",
    severity=Severity.ERROR,
    message="'{name}' is read, and nothing has been written to it",
    message_zh="读取了 '{name}'，但之前没有写入",
    remedy="Write to it first, or create it with pypto.full.",
    remedy_zh="先写入，或用 pypto.full 创建。",
    official=("WORKSPACE_ITER_INVALID",),
)
