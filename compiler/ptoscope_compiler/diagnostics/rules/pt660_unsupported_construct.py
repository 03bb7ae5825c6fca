"""PT660."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT660",
    name="unsupported-construct",
    severity=Severity.ERROR,
    message="{construct} is not supported in a {dialect} kernel",
    message_zh="{dialect} 内核中不支持 {construct}",
    remedy="Write it with the statements that kernels support, or move it out of the kernel into host code.",
    remedy_zh="请改用内核支持的语句，或将其移到内核之外的主机代码中。",
)
