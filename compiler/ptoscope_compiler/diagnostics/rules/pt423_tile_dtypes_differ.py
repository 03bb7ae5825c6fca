"""PT423."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT423",
    name="tile-dtypes-differ",
    severity=Severity.ERROR,
    message="{operation} works on tiles of one element type, but {first} and {second} are given",
    message_zh="{operation} 要求 tile 元素类型一致，但给出了 {first} 和 {second}",
    remedy="Convert one of the tiles with pl.cast.",
    remedy_zh="请用 pl.cast 转换其中一个 tile。",
)
