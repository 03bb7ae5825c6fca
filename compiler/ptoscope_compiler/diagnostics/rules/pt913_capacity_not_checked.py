"""PT913."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT913",
    name="capacity-not-checked",
    severity=Severity.HINT,
    message="kernel '{kernel}' has too many tile operations to check its on-chip memory here",
    message_zh="kernel '{kernel}' 的 tile 操作过多，此处不检查片上内存",
    remedy="`ptoscope ir` and `ptoscope run` compile it in full.",
    remedy_zh="`ptoscope ir` 与 `ptoscope run` 会完整编译它。",
)
