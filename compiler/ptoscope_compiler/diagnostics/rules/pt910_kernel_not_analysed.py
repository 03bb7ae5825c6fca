"""PT910."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT910",
    name="kernel-not-analysed",
    severity=Severity.HINT,
    message="kernel '{kernel}' could not be analysed: {cause}",
    message_zh="无法分析 kernel '{kernel}'：{cause}",
    remedy="This is a limit of ptoscope, not a fault of the kernel; please report it with the source.",
    remedy_zh="这是 ptoscope 的局限，而非 kernel 的错误；欢迎附上源码反馈。",
)
