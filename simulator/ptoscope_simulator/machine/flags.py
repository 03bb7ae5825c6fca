"""Flags between the pipes of a core, and between cores: tokens that are set and taken.

Token counts live in plain dicts, so that whoever keeps a history can journal every change.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any

from ptoscope_compiler.hardware import CoreKind, Pipe

Counts = MutableMapping[Any, int]


class EventFlags:
    """Tokens of one core, keyed by (source pipe, target pipe, event)."""

    __slots__ = ("counts",)

    def __init__(self, counts: Counts | None = None) -> None:
        self.counts: Counts = {} if counts is None else counts

    def set(self, source: Pipe, target: Pipe, event: int) -> int:
        """Release a token; the number of tokens that were there before."""
        key = (source, target, event)
        before = self.counts.get(key, 0)
        self.counts[key] = before + 1
        return before

    def take(self, source: Pipe, target: Pipe, event: int) -> bool:
        """Take a token; False where there is none."""
        key = (source, target, event)
        before = self.counts.get(key, 0)
        if before == 0:
            return False
        self.counts[key] = before - 1
        return True


CoreKey = tuple[CoreKind, int, int]
"""Kind, block and number within the block."""


class CrossCoreFlags:
    """Tokens between cores. A token reaches its receivers when every sender of its group has set the flag.

    Modes: "intra_block" from the AIC to its AIVs, or from all AIVs of a block to their AIC; "inter_block" among all
    cores of a kind; "inter_subblock" among the AIVs of a block; "unicast" between the AIC and one AIV, which is
    `event // 16` on the side of the AIC (PTO-ISA, `set_intra_block`: ids from 16 address the second AIV).
    """

    def __init__(self, cores: Iterable[CoreKey], arrivals: Counts | None = None, tokens: Counts | None = None) -> None:
        self.cores = tuple(cores)
        self.arrivals: Counts = {} if arrivals is None else arrivals
        self.tokens: Counts = {} if tokens is None else tokens

    def _aivs(self, block: int) -> tuple[CoreKey, ...]:
        return tuple(core for core in self.cores if core[0] is CoreKind.AIV and core[1] == block)

    def _group(self, sender: CoreKey, mode: str, event: int) -> tuple[Any, tuple[CoreKey, ...], tuple[CoreKey, ...]]:
        """Channel, senders and receivers of a flag."""
        kind, block, _ = sender
        if mode == "inter_block":
            everyone = tuple(core for core in self.cores if core[0] is kind)
            return (mode, kind), everyone, everyone
        if mode == "inter_subblock":
            pair = self._aivs(block)
            return (mode, block), pair, pair
        cube = tuple(core for core in self.cores if core[0] is CoreKind.AIC and core[1] == block)
        if mode == "unicast":
            if kind is CoreKind.AIC:
                return (mode, block), (sender,), tuple(core for core in self._aivs(block) if core[2] == event // 16)
            return (mode, block), (sender,), cube
        if kind is CoreKind.AIC:
            return (mode, block), (sender,), self._aivs(block)
        return (mode, block), self._aivs(block), cube

    def set(self, sender: CoreKey, mode: str, event: int) -> tuple[CoreKey, ...]:
        """Set a flag; the receivers whose token this releases."""
        channel, senders, receivers = self._group(sender, mode, event)
        for_cores = tuple((channel, event, core) for core in senders)
        mine = (channel, event, sender)
        self.arrivals[mine] = self.arrivals.get(mine, 0) + 1
        if any(self.arrivals.get(key, 0) == 0 for key in for_cores):
            return ()
        for key in for_cores:
            self.arrivals[key] -= 1
        for receiver in receivers:
            token = self.token(receiver, sender, mode, event)
            self.tokens[token] = self.tokens.get(token, 0) + 1
        return receivers

    def token(self, receiver: CoreKey, sender: CoreKey | None, mode: str, event: int) -> Any:
        """Key of the count that `receiver` waits on; a waiter gives no sender."""
        if mode == "unicast":
            if receiver[0] is CoreKind.AIC:
                return (receiver, mode, event if sender is None else event % 16 + 16 * sender[2])
            return (receiver, mode, event % 16)
        return (receiver, mode, event)

    def take(self, receiver: CoreKey, mode: str, event: int) -> bool:
        """Take a token; False where there is none."""
        token = self.token(receiver, None, mode, event)
        before = self.tokens.get(token, 0)
        if before == 0:
            return False
        self.tokens[token] = before - 1
        return True

    def could_set(self, receiver: CoreKey, mode: str) -> tuple[CoreKey, ...]:
        """Cores whose set would release a token for `receiver`."""
        kind, block, _ = receiver
        if mode == "inter_block":
            return tuple(core for core in self.cores if core[0] is kind)
        if mode == "inter_subblock":
            return self._aivs(block)
        other = CoreKind.AIV if kind is CoreKind.AIC else CoreKind.AIC
        return tuple(core for core in self.cores if core[0] is other and core[1] == block)
