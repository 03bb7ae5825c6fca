"""PT522."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT522",
    name="flag-never-awaited",
    severity=Severity.WARNING,
    message="event {event} from {source} to {target} is set here, but the kernel never waits for it",
    message_zh="此处置 {source} 到 {target} 的事件 {event}，但内核从未等待该事件",
    remedy="Wait for the event with pl.system.sync_dst, or remove it.",
    remedy_zh="请用 pl.system.sync_dst 等待该事件，或将其删除。",
)
