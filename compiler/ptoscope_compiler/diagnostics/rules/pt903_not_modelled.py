"""PT903."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT903",
    name="not-modelled",
    severity=Severity.HINT,
    message="{name} is not modelled yet: what depends on it is not checked",
    message_zh="尚未建模 {name}：依赖它的部分不做检查",
    remedy="Nothing is wrong with the source.",
    remedy_zh="源代码没有问题。",
)
