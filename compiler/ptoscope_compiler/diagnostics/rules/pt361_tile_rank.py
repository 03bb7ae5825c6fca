"""The tile shape names fewer axes than the tensor has."""

from ..diagnostic import Rule, Severity

RULE = Rule(
    code="PT361",
    name="tile-rank",
    severity=Severity.ERROR,
    message="{opcode} has a result of {rank} axes, but the tile shape in force names {given}",
    message_zh="{opcode} 的结果有 {rank} 个轴，而当前 tile 形状只有 {given} 个轴",
    remedy="Before it, call pypto.set_vec_tile_shapes (for matmul pypto.set_cube_tile_shapes) with a size per axis.",
    remedy_zh="请先调用 pypto.set_vec_tile_shapes（matmul 用 pypto.set_cube_tile_shapes），每轴一个大小。",
    official=("F21004", "FC1000"),
)
