"""PT422."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT422",
    name="transfer-dtype",
    severity=Severity.ERROR,
    message="{operation} moves {tile} in the tile and {tensor} in the tensor: their widths differ",
    message_zh="{operation} 的 tile 元素类型为 {tile}，张量为 {tensor}：宽度不同",
    remedy="Give tile and tensor the same element type, and convert with pl.cast.",
    remedy_zh="请使 tile 与张量的元素类型一致，并用 pl.cast 转换。",
)
