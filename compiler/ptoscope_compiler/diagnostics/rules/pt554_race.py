"""Two accesses to the same bytes that no flag, barrier or mutex orders, found while running."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT554",
    name="race",
    severity=Severity.WARNING,
    message="{hazard} between {first} and {second} on {memory}: nothing orders them",
    message_zh="{memory} 上 {first} 与 {second} 之间存在 {hazard} 竞争：二者没有同步",
    remedy="Order them by a flag, a barrier or a mutex.",
    remedy_zh="用标志、屏障或互斥量使二者有序。",
)
