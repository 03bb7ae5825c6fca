"""PT606."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT606",
    name="annotations-are-text",
    severity=Severity.WARNING,
    message="'from __future__ import annotations' turns those of kernel '{kernel}' into text: no parameter is a tensor",
    message_zh="'from __future__ import annotations' 使 kernel '{kernel}' 的注解变为文本：没有参数会被当作张量",
    remedy="Remove the import.",
    remedy_zh="删除该导入。",
)
