"""Traces kernels of Pro mode from their text, and runs them on the simulated NPU."""

import ast
import textwrap

from ptoscope_compiler import targets
from ptoscope_compiler.evaluate.interpreter import Interpreter
from ptoscope_compiler.evaluate.static_environment import ModuleSource, StaticEnvironment
from ptoscope_compiler.pro_mode.module import modules
from ptoscope_compiler.pro_mode.trace import trace_pro_kernel
from ptoscope_compiler.pto.program import For, If, Instruction, While
from ptoscope_simulator.machine.machine import Machine

PRELUDE = "import pypto_pro.language as pl\nfrom pypto_pro.language import Vf as vf\n"


def kernels(text, file="kernel.py"):
    """The kernels that a module declares, by name, and its environment."""
    environment = StaticEnvironment(lambda name: None, modules())
    environment.load(ModuleSource("module", file, ast.parse(text)))
    return {kernel.name: kernel for kernel in environment.kernels}, environment


def trace(text, arguments=(), target="950"):
    """The trace of the only kernel in `text`, which follows the imports of `PRELUDE`."""
    found, environment = kernels(PRELUDE + textwrap.dedent(text))
    (kernel,) = found.values()
    interpreter = Interpreter(environment)
    return trace_pro_kernel(kernel.function, arguments, targets.load(target), interpreter, kernel.options)


def program(text, arguments=(), target="950"):
    """The program of the only kernel in `text`, which must be traced without a finding."""
    found = trace(text, arguments, target)
    assert not found.diagnostics, [f"{item.span}: {item.message()}" for item in found.diagnostics]
    assert found.program is not None, found.incomplete
    return found.program


def run(text, arrays, scalars=None, blocks=1, output=None, target="950"):
    """Run the only kernel in `text`; results are written into `arrays`."""
    machine = Machine(targets.load(target), output=output or (lambda line: None))
    machine.run(program(text, target=target), arrays, scalars or {}, blocks)


def statements(body, kind=object):
    """Every statement of `kind`, at any depth."""
    for statement in body:
        if isinstance(statement, kind):
            yield statement
        if isinstance(statement, If):
            yield from statements(statement.then, kind)
            yield from statements(statement.otherwise, kind)
        elif isinstance(statement, (For, While)):
            yield from statements(statement.body, kind)


def opcodes(body):
    return [statement.opcode for statement in statements(body, Instruction)]
