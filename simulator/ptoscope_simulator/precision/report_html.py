"""The judgement as one self-contained HTML file, in English or Chinese."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from .error_map import error_map, growth_chart
from .judgement import Departure, Judgement, Output
from .tolerance import Tolerance

_TEXTS = {
    "title": ("Precision report", "精度报告"),
    "golden": ("Golden", "基准"),
    "target": ("Target", "目标芯片"),
    "depth": ("Longest accumulation", "最长累加"),
    "terms": ("terms", "项"),
    "output": ("Output", "输出"),
    "verdict": ("Verdict", "结论"),
    "reason": ("Reason", "原因"),
    "tolerance": ("Tolerance", "容差"),
    "metric": ("Metric", "指标"),
    "value": ("Value", "数值"),
    "max_absolute": ("Max absolute error", "最大绝对误差"),
    "max_relative": ("Max relative error", "最大相对误差"),
    "rmse": ("Root mean square error", "均方根误差"),
    "max_ulp": ("Max ULP", "最大 ULP"),
    "cosine": ("Cosine similarity", "余弦相似度"),
    "above_1": ("Above 1‰", "超过 1‰ 的占比"),
    "above_5": ("Above 5‰", "超过 5‰ 的占比"),
    "not_finite": ("NaN or infinite", "NaN 或无穷"),
    "worst": ("Worst element", "最差元素"),
    "first": ("First element beyond tolerance", "首个超出容差的元素"),
    "map": ("Error map: white is exact, yellow permitted, red far off, purple NaN or infinity on one side",
            "误差图：白色为精确，黄色在容差内，红色严重偏离，紫色为单侧 NaN 或无穷"),
    "departure": ("Where it goes wrong", "出错位置"),
    "operands": ("Operands", "操作数"),
    "role": ("Role", "角色"),
    "dtype": ("Type", "类型"),
    "shape": ("Shape", "形状"),
    "name": ("Name", "名称"),
    "region": ("Region of the output", "输出区域"),
    "chain": ("Instructions that lead there, last first", "通向该处的指令（由后往前）"),
    "growth": ("Error growth along the program", "误差沿程序的增长"),
    "line": ("Line", "行"),
    "instruction": ("Instruction", "指令"),
    "off": ("Departure", "偏差"),
    "element": ("Element", "元素"),
    "actual": ("Actual", "实际值"),
    "exact": ("Exact", "精确值"),
}  # fmt: skip

_STYLE = """
body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1d1d1f}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;margin:.5rem 0}
td,th{border:1px solid #d0d0d5;padding:.2rem .6rem;text-align:left}code{font-family:ui-monospace,monospace}
.PASS{color:#1a7f37}.ACCEPTABLE{color:#6a737d}.SUSPECT{color:#9a6700}.FAIL{color:#b2182b}
img{image-rendering:pixelated;border:1px solid #d0d0d5;max-width:100%}svg{width:100%;height:auto}
.grid{stroke:#e3e3e8}.axis{font-size:10px;text-anchor:end;fill:#6a737d}.limit{stroke:#9a6700;stroke-dasharray:5 3}
.over{stroke:#b2182b;fill:#b2182b}.under{stroke:#1a7f37;fill:#1a7f37}
"""


def report_html(judgements: list[Judgement], language: str = "en") -> str:
    """The whole document; nothing in it refers to another file."""
    column = 1 if language == "zh" else 0

    def text(key: str) -> str:
        return escape(_TEXTS[key][column])

    body = "".join(_judgement(judgement, text, column) for judgement in judgements)
    return (
        f'<!DOCTYPE html>\n<html lang="{"zh-CN" if column else "en"}"><head><meta charset="utf-8">'
        f"<title>{text('title')}</title><style>{_STYLE}</style></head>\n<body><h1>{text('title')}</h1>\n"
        f"{body}</body></html>\n"
    )


Text = Callable[[str], str]


def _judgement(judgement: Judgement, text: Text, column: int) -> str:
    level = judgement.level.value
    golden = judgement.golden_zh if column else judgement.golden
    parts = [
        f'<h2>{escape(judgement.kernel)} <span class="{level}">{level}</span></h2>\n',
        f"<p>{text('golden')}: {escape(golden)}. {text('target')}: {escape(judgement.target)}. "
        f"{text('depth')}: {judgement.depth} {text('terms')}.</p>\n",
    ]
    parts.extend(_output(output, text, column) for output in judgement.outputs)
    if judgement.departure is not None:
        parts.append(_departure(judgement.departure, text, column))
    if judgement.growth:
        limits = max((output.verdict.tolerance.relative for output in judgement.outputs), default=0.0)
        parts.append(f"<h3>{text('growth')}</h3>{growth_chart(judgement.growth, limits)}\n")
    return "".join(parts)


def _table(rows: list[tuple[str, str]]) -> str:
    return "<table>" + "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows) + "</table>\n"


def _output(output: Output, text: Text, column: int) -> str:
    verdict, metrics = output.verdict, output.verdict.metrics
    ulp = "-" if metrics.max_ulp is None else f"{metrics.max_ulp:.4g}"
    rows = [
        (text("verdict"), f'<span class="{verdict.level.value}">{verdict.level.value}</span>'),
        (text("reason"), escape(verdict.reason_zh if column else verdict.reason)),
        (text("tolerance"), _tolerance(verdict.tolerance, column)),
        (text("max_absolute"), f"{metrics.max_absolute:.6g}"),
        (text("max_relative"), f"{metrics.max_relative:.6g}"),
        (text("rmse"), f"{metrics.rmse:.6g}"),
        (text("max_ulp"), ulp),
        (text("cosine"), f"{metrics.cosine:.9g}"),
        (text("above_1"), f"{metrics.above_1_permille:.4%}"),
        (text("above_5"), f"{metrics.above_5_permille:.4%}"),
        (text("not_finite"), f"{metrics.not_finite} ({metrics.not_finite_mismatches})"),
        (text("worst"), _element(output, metrics.worst, text)),
        (text("first"), _element(output, metrics.first, text)),
    ]
    shape = " × ".join(str(extent) for extent in output.actual.shape)
    return (
        f"<h3>{text('output')} <code>{escape(output.name)}</code>, {escape(output.dtype.name)} {shape}</h3>\n"
        f'{_table(rows)}<p>{text("map")}</p><img src="{error_map(output)}" alt="{text("map")}">\n'
    )


def _tolerance(tolerance: Tolerance, column: int) -> str:
    origin = tolerance.origin_zh if column else tolerance.origin
    return f"{tolerance.absolute:.4g} + {tolerance.relative:.4g} × |golden| ({escape(origin)})"


def _element(output: Output, place: tuple[int, ...] | None, text: Text) -> str:
    if place is None:
        return "-"
    actual, golden = float(output.actual[place]), float(output.golden[place])
    return f"{list(place)}: {text('actual')} {actual:.9g}, {text('golden')} {golden:.9g}"


def _departure(departure: Departure, text: Text, column: int) -> str:
    explanation = departure.explanation_zh if column else departure.explanation
    rows = [
        (text("line"), "<br>".join(f"<code>{escape(str(place.span))}</code>" for place in departure.origin.chain())),
        (text("instruction"), f"<code>{escape(departure.opcode)}</code>"),
        (text("reason"), escape(explanation)),
    ]
    if departure.element is not None and departure.actual is not None and departure.exact is not None:
        values = f"{text('actual')} {departure.actual:.9g}, {text('exact')} {departure.exact:.9g}"
        rows.append((text("element"), f"{list(departure.element)}: {values}"))
    if departure.region is not None:
        region = departure.region
        spans = ", ".join(f"{s}:{s + n}" for s, n in zip(region.start, region.shape, strict=True))
        rows.append((text("region"), f"<code>{escape(region.tensor)}[{spans}]</code>"))
    return f"<h3>{text('departure')}</h3>\n{_table(rows)}{_operands(departure, text)}{_chain(departure, text)}"


def _operands(departure: Departure, text: Text) -> str:
    if not departure.operands:
        return ""
    keys = ("name", "role", "dtype", "shape", "max_absolute", "max_relative", "value")
    head = "".join(f"<th>{text(key)}</th>" for key in keys)
    rows = "".join(
        f"<tr><td>{escape(operand.name)}</td><td>{operand.role}</td><td>{escape(operand.dtype)}</td>"
        f"<td>{list(operand.shape)}</td><td>{_shown(operand.max_absolute)}</td>"
        f"<td>{_shown(operand.max_relative)}</td><td>{_shown(operand.value)}</td></tr>"
        for operand in departure.operands
    )
    return f"<h4>{text('operands')}</h4><table><tr>{head}</tr>{rows}</table>\n"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _chain(departure: Departure, text: Text) -> str:
    if not departure.chain:
        return ""
    rows = "".join(
        f"<tr><td><code>{escape(str(link.origin.span))}</code></td><td><code>{escape(link.opcode)}</code></td>"
        f"<td>{link.departure:.3g}</td></tr>"
        for link in departure.chain
    )
    head = "".join(f"<th>{text(key)}</th>" for key in ("line", "instruction", "off"))
    return f"<h4>{text('chain')}</h4><table><tr>{head}</tr>{rows}</table>\n"
