"""PT521."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT521",
    name="flag-never-set",
    severity=Severity.ERROR,
    message="this waits for event {event} from {source} to {target}, which the kernel never sets",
    message_zh="此处等待 {source} 到 {target} 的事件 {event}，但内核从未置该事件",
    remedy="Set the event with pl.system.sync_src, with the same pipes and event id.",
    remedy_zh="请用 pl.system.sync_src 以相同的流水和事件号置该事件。",
)
