"""PT308."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT308",
    name="vector-tile-rank",
    severity=Severity.ERROR,
    message="the vector tile {tile} has {tile_rank} dimensions, the result of {operation} has {rank}: {shape}",
    message_zh="向量 tile {tile} 有 {tile_rank} 维，{operation} 的结果有 {rank} 维：{shape}",
    remedy="Call pypto.set_vec_tile_shapes with {rank} sizes.",
    remedy_zh="用 {rank} 个尺寸调用 pypto.set_vec_tile_shapes。",
    official=("FC1000",),
)
