"""Flags, barriers, buffer tokens and flags between cores."""

from __future__ import annotations

from ...evaluate.values import Unsupported, Value
from ...hardware import Pipe
from ...pto.program import Barrier, MutexLock, MutexUnlock, SetCrossCore, SetFlag, SyncAll, WaitCrossCore, WaitFlag
from ...scalar import ScalarLike
from ..call import Call, family
from ..scalars import lower

_MODES = {
    "INTRA_BLOCK": "intra_block",
    "INTER_BLOCK": "inter_block",
    "INTER_SUBBLOCK": "inter_subblock",
    "UNICAST_BLOCK": "unicast",
}
_CORES = {"AIV_ONLY": "AIV", "AIC_ONLY": "AIC", "MIX": "MIX"}


def _pipe(call: Call, name: str) -> Pipe:
    return Pipe(call.member(name))


def _event(call: Call) -> ScalarLike:
    event = lower(call.values["event_id"])
    if isinstance(event, int) and not 0 <= event <= 15:
        raise Unsupported(f"{call.entry.name}(): event_id must be in 0..15, not {event}")
    return event


@family("sync_src")
def sync_src(call: Call) -> Value:
    event = lower(call.values["event_id"])
    call.tracer.emit(SetFlag(_pipe(call, "set_pipe"), _pipe(call, "wait_pipe"), event, call.origin))
    return None


@family("sync_dst")
def sync_dst(call: Call) -> Value:
    event = lower(call.values["event_id"])
    call.tracer.emit(WaitFlag(_pipe(call, "set_pipe"), _pipe(call, "wait_pipe"), event, call.origin))
    return None


@family("bar_m", "bar_v", "bar_mte1", "bar_mte2", "bar_mte3", "bar_fix", "bar_all")
def barrier(call: Call) -> Value:
    call.tracer.emit(Barrier(Pipe(call.entry.name.removeprefix("bar_").upper()), call.origin))
    return None


@family("set_cross_core")
def set_cross_core(call: Call) -> Value:
    mode = _MODES[call.member("sync_mode") or "INTRA_BLOCK"]
    call.tracer.emit(SetCrossCore(_pipe(call, "pipe"), _event(call), mode, call.origin))
    return None


@family("wait_cross_core")
def wait_cross_core(call: Call) -> Value:
    mode = _MODES[call.member("sync_mode") or "INTRA_BLOCK"]
    call.tracer.emit(WaitCrossCore(_pipe(call, "pipe"), _event(call), mode, call.origin))
    return None


@family("sync_all")
def sync_all(call: Call) -> Value:
    call.tracer.emit(SyncAll(_CORES[call.member("core_type") or "MIX"], call.origin))
    return None


@family("mutex_lock")
def mutex_lock(call: Call) -> Value:
    call.tracer.emit(MutexLock(_pipe(call, "pipe"), lower(call.values["mutex_id"]), call.origin))
    return None


@family("mutex_unlock")
def mutex_unlock(call: Call) -> Value:
    call.tracer.emit(MutexUnlock(_pipe(call, "pipe"), lower(call.values["mutex_id"]), call.origin))
    return None


@family("dcci")
def without_effect(call: Call) -> Value:
    """What caches and read orders are to hardware, the simulated memory does not have."""
    return None
