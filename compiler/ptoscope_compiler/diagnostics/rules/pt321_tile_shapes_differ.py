"""PT321."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT321",
    name="tile-shapes-differ",
    severity=Severity.ERROR,
    message="the tiles of {operation} do not fit together: {reason}",
    message_zh="{operation} 的 tile 形状不匹配：{reason_zh}",
    remedy="Give the tiles shapes that fit.",
    remedy_zh="请使各 tile 的形状匹配。",
)
