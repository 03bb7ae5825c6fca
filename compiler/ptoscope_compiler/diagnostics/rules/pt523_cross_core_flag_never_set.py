"""PT523."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT523",
    name="cross-core-flag-never-set",
    severity=Severity.ERROR,
    message="this waits for cross-core flag {event}, which no code of the {other} cores sets",
    message_zh="此处等待跨核标志 {event}，但 {other} 核的代码从未置该标志",
    remedy="Set the flag with pl.system.set_cross_core in the section of the other cores.",
    remedy_zh="请在另一类核的代码段中用 pl.system.set_cross_core 置该标志。",
)
