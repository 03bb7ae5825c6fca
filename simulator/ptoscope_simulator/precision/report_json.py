"""The judgement as JSON. The schema grows by new keys only; `schema` counts breaking changes."""

from __future__ import annotations

import json
import math
from typing import Any

from ptoscope_compiler.origin import Origin

from .judgement import Departure, Judgement, Operand, Output

SCHEMA = 1


def to_dict(judgement: Judgement) -> dict[str, Any]:
    """Plain data; numbers that JSON lacks are the strings "nan", "inf" and "-inf"."""
    return {
        "schema": SCHEMA,
        "kernel": judgement.kernel,
        "target": judgement.target,
        "verdict": judgement.level.value,
        "golden": judgement.golden,
        "reduction_depth": judgement.depth,
        "outputs": [_output(output) for output in judgement.outputs],
        "departure": None if judgement.departure is None else _departure(judgement.departure),
        "growth": [
            {
                "at": _place(point.origin),
                "instruction": point.opcode,
                "departure": number(point.departure),
                "executions": point.executions,
            }
            for point in judgement.growth
        ],
    }


def report_json(judgements: list[Judgement]) -> str:
    """A document with one entry per judged launch."""
    document = {"schema": SCHEMA, "judgements": [to_dict(judgement) for judgement in judgements]}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def number(value: float | None) -> Any:
    """A float as JSON can hold it, to twelve digits: what lies beyond depends on the processor's order of sums."""
    if value is None:
        return None
    if math.isfinite(value):
        return float(f"{value:.12g}")
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _place(origin: Origin) -> dict[str, Any]:
    span = origin.span
    found: dict[str, Any] = {"file": span.file, "line": span.line, "column": span.column + 1}
    if origin.function:
        found["function"] = origin.function
    if origin.caller is not None:
        found["called_from"] = _place(origin.caller)
    return found


def _output(output: Output) -> dict[str, Any]:
    verdict, metrics = output.verdict, output.verdict.metrics
    return {
        "name": output.name,
        "dtype": output.dtype.name,
        "shape": list(output.actual.shape),
        "verdict": verdict.level.value,
        "reason": verdict.reason,
        "tolerance": {
            "relative": verdict.tolerance.relative,
            "absolute": verdict.tolerance.absolute,
            "origin": verdict.tolerance.origin,
        },
        "metrics": {
            "elements": metrics.elements,
            "max_absolute": number(metrics.max_absolute),
            "max_relative": number(metrics.max_relative),
            "mean_absolute": number(metrics.mean_absolute),
            "rmse": number(metrics.rmse),
            "cosine": number(metrics.cosine),
            "max_ulp": number(metrics.max_ulp),
            "above_1_permille": metrics.above_1_permille,
            "above_5_permille": metrics.above_5_permille,
            "not_finite": metrics.not_finite,
            "not_finite_mismatches": metrics.not_finite_mismatches,
            "beyond_tolerance": verdict.share,
            "worst_excess": number(verdict.excess),
        },
        "worst": _element(output, metrics.worst),
        "first": _element(output, metrics.first),
    }


def _element(output: Output, place: tuple[int, ...] | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {
        "index": list(place),
        "actual": number(float(output.actual[place])),
        "golden": number(float(output.golden[place])),
    }


def _departure(departure: Departure) -> dict[str, Any]:
    region = departure.region
    return {
        "cause": departure.cause.value,
        "at": _place(departure.origin),
        "instruction": departure.opcode,
        "explanation": departure.explanation,
        "output": departure.output,
        "core": departure.core,
        "call": departure.call,
        "grid": list(departure.grid),
        "variables": {name: number(float(value)) for name, value in departure.variables.items()},
        "element": None if departure.element is None else list(departure.element),
        "actual": number(departure.actual),
        "exact": number(departure.exact),
        "operands": [_operand(operand) for operand in departure.operands],
        "region": None
        if region is None
        else {"tensor": region.tensor, "start": list(region.start), "shape": list(region.shape)},
        "chain": [
            {"at": _place(link.origin), "instruction": link.opcode, "departure": number(link.departure)}
            for link in departure.chain
        ],
    }


def _operand(operand: Operand) -> dict[str, Any]:
    return {
        "name": operand.name,
        "role": operand.role,
        "dtype": operand.dtype,
        "shape": list(operand.shape),
        "max_absolute": number(operand.max_absolute),
        "max_relative": number(operand.max_relative),
        "value": number(operand.value),
    }
