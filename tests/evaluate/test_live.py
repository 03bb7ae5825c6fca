"""Functions of the running process evaluate as Python runs them, without running them or changing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import live_program
import pytest
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.live.environment import LiveEnvironment
from ptoscope_compiler.evaluate.values import Abstract, Arguments, Builtin, Value


def call(function: Any, *arguments: Any, environment: LiveEnvironment | None = None) -> tuple[Any, list[Any]]:
    environment = environment or LiveEnvironment()
    findings: list[Any] = []
    interpreter = Interpreter(environment, report=findings.append)
    inlined = environment.function(function)
    assert inlined is not None
    return interpreter.run(inlined, Arguments(tuple(map(environment.wrap, arguments)))), findings


def test_a_live_function_gives_what_python_gives() -> None:
    value, findings = call(live_program.everything, 10)
    assert value == live_program.everything(10)
    assert findings == []


def test_nothing_of_the_process_changes() -> None:
    value, _ = call(live_program.changes)
    assert value == ([1, 2, 9], 70)
    assert live_program.shared == [1, 2]
    assert live_program.config.rows == 4


def test_a_finding_points_into_the_real_file() -> None:
    _, (finding,) = call(live_program.fails, 1)
    path = Path(live_program.__file__)
    line = path.read_text().split("\n")[finding.span.line - 1]
    assert finding.span.file == str(path)
    assert line[finding.span.column : finding.span.end_column] == "[x][5]"


def test_classes_of_the_process_hold_abstract_values() -> None:
    class Tensor(Abstract):
        pass

    tensor = Tensor()
    (config, tile), findings = call(live_program.holds, tensor)
    assert config.attributes["rows"] is tensor
    assert config.attributes["items"] == [tensor]
    assert tile == (tensor, tensor)
    assert findings == []


def test_registered_objects_and_types_become_the_values_of_the_mode() -> None:
    class Twice(Builtin):
        def call(self, arguments: Arguments, site: Any) -> Value:
            return ("twice", *arguments.positional)

    environment = LiveEnvironment()
    environment.register_object(live_program.helper, Twice("helper"))
    environment.register_type(live_program.Base, lambda real: ("base", real.x))

    def kernel() -> Any:
        return live_program.helper(3), live_program.instance

    value, findings = call(kernel, environment=environment)
    assert value == (("twice", 3), ("base", 3))
    assert findings == []


def test_tensors_show_shape_and_dtype() -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.zeros(3, 4, dtype=torch.float16)

    def kernel(x: Any) -> Any:
        return x.shape[1], x.dim(), x.dtype == torch.float16, tuple(x.shape)

    assert call(kernel, tensor)[0] == (4, 2, True, (3, 4))
