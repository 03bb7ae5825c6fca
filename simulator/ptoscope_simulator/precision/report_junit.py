"""The judgement as JUnit XML: one test case per output."""

from __future__ import annotations

from xml.etree import ElementTree

from .judgement import Judgement, Output


def report_junit(judgements: list[Judgement]) -> str:
    """A `testsuites` document; an output with a finding is a failure, with the line that makes it wrong."""
    root = ElementTree.Element("testsuites", name="ptoscope precision")
    for judgement in judgements:
        findings = [output for output in judgement.outputs if output.verdict.level.is_finding]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=judgement.kernel,
            tests=str(len(judgement.outputs)),
            failures=str(len(findings)),
            errors="0",
        )
        for output in judgement.outputs:
            _case(suite, judgement, output)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, judgement: Judgement, output: Output) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=judgement.kernel, name=output.name)
    verdict = output.verdict
    if verdict.level.is_finding:
        failure = ElementTree.SubElement(case, "failure", type=verdict.level.value, message=verdict.reason)
        departure = judgement.departure
        lines = [f"tolerance: {verdict.tolerance.origin}"]
        if departure is not None and departure.output == output.name:
            lines.append(f"{departure.origin.span}: {departure.opcode}: {departure.explanation}")
        failure.text = "\n".join(lines)
    text = ElementTree.SubElement(case, "system-out")
    metrics = verdict.metrics
    text.text = (
        f"{verdict.level.value}: {verdict.reason}; max abs {metrics.max_absolute:.6g}, "
        f"max rel {metrics.max_relative:.6g}, cosine {metrics.cosine:.9g}"
    )
