"""PT912."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT912",
    name="file-not-analysed",
    severity=Severity.HINT,
    message="the kernels of this file could not be found: {cause}",
    message_zh="无法找出该文件中的 kernel：{cause}",
    remedy="This is a limit of ptoscope, not a fault of the file; please report it with the source.",
    remedy_zh="这是 ptoscope 的局限，而非该文件的错误；欢迎附上源码反馈。",
)
