"""PT658."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT658",
    name="raised",
    severity=Severity.ERROR,
    message="{exception} is raised here while the kernel is compiled: {message}",
    message_zh="编译内核时此处抛出 {exception}：{message}",
    remedy="Change the arguments or the configuration so that this line is not reached.",
    remedy_zh="请修改参数或配置，避免执行到此行。",
)
