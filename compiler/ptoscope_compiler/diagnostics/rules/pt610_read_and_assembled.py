"""PT610."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT610",
    name="read-and-assembled",
    severity=Severity.ERROR,
    message="'{name}' is read and then written by assemble in one graph: each waits for the other",
    message_zh="'{name}' 在同一张图中先被读取又被 assemble 写入：互相等待",
    remedy="Assemble into another tensor, or do it in a loop of its own.",
    remedy_zh="assemble 到另一个张量，或放到单独的循环中。",
)
