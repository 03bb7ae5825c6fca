"""PT314."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT314",
    name="shapes-conflict",
    severity=Severity.ERROR,
    message="'{name}' has shape {first} on one path and {second} on another",
    message_zh="'{name}' 在一条路径上形状为 {first}，在另一条路径上为 {second}",
    remedy="Give it one shape on both paths.",
    remedy_zh="使两条路径上的形状一致。",
)
