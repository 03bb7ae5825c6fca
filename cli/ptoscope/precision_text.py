"""A judgement as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope_simulator.precision.judgement import Departure, Judgement, Output

_WORDS = {
    "en": {
        "golden": "golden",
        "tolerance": "tolerance",
        "depth": "reduction depth",
        "departs": "first departure",
        "inputs": "operands",
        "way": "the way to the worst element",
        "beyond": "beyond tolerance",
        "element": "element",
        "region": "written to",
    },
    "zh": {
        "golden": "标杆",
        "tolerance": "容差",
        "depth": "归约深度",
        "departs": "最先偏离处",
        "inputs": "操作数",
        "way": "通向误差最大元素的路径",
        "beyond": "超出容差",
        "element": "元素",
        "region": "写入",
    },
}
_LONGEST_WAY = 8


def judgement_to_text(judgement: Judgement, language: str = "en") -> str:
    """Verdict, metrics and tolerance of each output; where one departs, the line that makes it."""
    words = _WORDS[language]
    golden = judgement.golden_zh if language == "zh" else judgement.golden
    lines = [
        f"{judgement.level.value}  {judgement.kernel} ({judgement.target})",
        f"  {words['golden']}: {golden}; {words['depth']}: {judgement.depth}",
    ]
    for output in judgement.outputs:
        lines += _output(output, words, language)
    if judgement.departure is not None:
        lines += _departure(judgement.departure, words, language)
    return "\n".join(lines) + "\n"


def _output(output: Output, words: dict[str, str], language: str) -> Iterator[str]:
    verdict, metrics = output.verdict, output.verdict.metrics
    reason = verdict.reason_zh if language == "zh" else verdict.reason
    origin = verdict.tolerance.origin_zh if language == "zh" else verdict.tolerance.origin
    shape = "x".join(map(str, output.actual.shape))
    yield f"  {verdict.level.value}  {output.name} [{shape} {output.dtype}]: {reason}"
    yield (
        f"    max abs {metrics.max_absolute:.3g}  max rel {metrics.max_relative:.3g}  ULP {_number(metrics.max_ulp)}  "
        f"RMSE {metrics.rmse:.3g}  cosine {metrics.cosine:.6f}"
    )
    yield (
        f"    >1‰ {_share(metrics.above_1_permille)}  >5‰ {_share(metrics.above_5_permille)}  "
        f"NaN/Inf {metrics.not_finite} ({metrics.not_finite_mismatches})  {words['beyond']} {_share(verdict.share)}"
    )
    yield (
        f"    {words['tolerance']}: |error| <= {verdict.tolerance.absolute:.3g} + "
        f"{verdict.tolerance.relative:.3g}*|golden|  ({origin})"
    )


def _share(share: float) -> str:
    return f"{share * 100:.3g}%"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _departure(departure: Departure, words: dict[str, str], language: str) -> Iterator[str]:
    explanation = departure.explanation_zh if language == "zh" else departure.explanation
    yield f"{words['departs']}: {departure.origin.span}  {departure.opcode}  [{departure.cause.value}]"
    yield f"  {explanation}"
    for place in list(departure.origin.chain())[1:]:
        yield f"  < {place.span} {place.function}"
    if departure.element is not None:
        values = f"{_number(departure.actual)} / {_number(departure.exact)}"
        yield f"  {words['element']} {list(departure.element)}: {values}"
    if departure.region is not None:
        region = departure.region
        yield f"  {words['region']}: {region.tensor}{list(region.start)} + {list(region.shape)}"
    if departure.operands:
        yield f"  {words['inputs']}:"
    for operand in departure.operands:
        shape = "x".join(map(str, operand.shape))
        error = "" if operand.max_relative is None else f"  max rel error {operand.max_relative:.3g}"
        value = "" if operand.value is None else f"  = {operand.value:.6g}"
        yield f"    {operand.role} {operand.name} [{shape} {operand.dtype}]{value}{error}"
    if len(departure.chain) > 1:
        yield f"  {words['way']}:"
    for link in departure.chain[:_LONGEST_WAY] if len(departure.chain) > 1 else ():
        yield f"    {link.origin.span}  {link.opcode}  {link.departure:.3g}"
