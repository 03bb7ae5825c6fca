"""PT306."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT306",
    name="output-shape-mismatch",
    severity=Severity.ERROR,
    message="'{name}' has shape {target}, the value has shape {shape}",
    message_zh="'{name}' 的形状为 {target}，写入值的形状为 {shape}",
    remedy="Write a value of the output's shape, or a region: {name}[...] = value.",
    remedy_zh="写入与输出同形状的值，或写入一个区域：{name}[...] = value。",
)
