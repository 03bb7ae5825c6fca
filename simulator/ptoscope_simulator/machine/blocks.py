"""Which cores a launch of Pro mode starts, and what each knows of its place."""

from __future__ import annotations

from ptoscope_compiler.hardware import CoreKind
from ptoscope_compiler.pto.program import Launch


def launched_cores(launch: Launch) -> list[tuple[CoreKind, int, str]]:
    """Kind, number within the block and program of each core of a block: one AIC, two AIVs beside it, else one."""
    cores: list[tuple[CoreKind, int, str]] = []
    if launch.cube is not None:
        cores.append((CoreKind.AIC, 0, launch.cube))
    if launch.vector is not None:
        subs = 1 if launch.cube is None else 2
        cores.extend((CoreKind.AIV, sub, launch.vector) for sub in range(subs))
    return cores


def block_symbols(launch: Launch, kind: CoreKind, block: int, sub: int, block_num: int) -> dict[str, int]:
    """The predefined symbols of one core: a vector core's `block_idx` counts the vector cores of all blocks."""
    subs = 2 if kind is CoreKind.AIV and launch.cube is not None else 1
    return {
        "block_idx": block * subs + sub,
        "block_num": block_num,
        "subblock_idx": sub,
        "subblock_num": subs,
    }
