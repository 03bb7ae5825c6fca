"""Rules of a kernel's signature, and of what becomes of its parameters (`python/pypto/frontend/parser/entry.py`)."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..diagnostics.diagnostic import Edit, Facts, Fix, Related
from ..diagnostics.rules import pt603_output_rebound, pt606_annotations_are_text, pt607_tensor_after_value
from ..evaluate.values import Value
from ..origin import Origin, Span
from .annotations import Declaration, TensorClass
from .region import operations
from .tensor import Tensor

if TYPE_CHECKING:
    from ..evaluate.functions import UserFunction
    from ..evaluate.interpreter import Interpreter
    from .tracer import Tracer


def parameter_names(function: UserFunction) -> list[str]:
    """Names of the positional parameters."""
    return [parameter.arg for parameter in (*function.node.args.posonlyargs, *function.node.args.args)]


def parameter_origin(function: UserFunction, name: str, interpreter: Interpreter) -> Origin:
    """Where a parameter is declared."""
    arguments = function.node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    node = next(parameter for parameter in every if parameter.arg == name)
    return function.frame(interpreter).origin(node)


def is_tensor_annotation(value: Value) -> bool:
    return isinstance(value, (Declaration, TensorClass))


def check_parameters(
    function: UserFunction, names: Sequence[str], annotations: Mapping[str, Value], interpreter: Interpreter
) -> None:
    """All tensors come first, and annotations are no text."""
    value_seen = False
    for name in names:
        if not is_tensor_annotation(annotations.get(name)):
            value_seen = True
        elif value_seen:
            origin = parameter_origin(function, name, interpreter)
            interpreter.report(pt607_tensor_after_value.RULE.at(origin, name=name))
    future = function.module.scope.variables.get("annotations")
    if getattr(future, "name", None) == "annotations" and annotations:
        origin = function.frame(interpreter).origin(function.node)
        interpreter.report(pt606_annotations_are_text.RULE.at(origin, kernel=function.name))


def check_rebound(
    function: UserFunction, tensors: Mapping[str, Tensor], tracer: Tracer, interpreter: Interpreter
) -> None:
    """A parameter that no operation writes, and that the kernel binds to a computed tensor, was meant as an output."""
    for assignment in _assignments(function.node):
        for target in assignment.targets:
            if not isinstance(target, ast.Name) or target.id not in tensors:
                continue
            if _is_written(tensors[target.id], tracer) or _is_read(function.node, target.id):
                continue
            name = target.id
            origin = function.frame(interpreter).origin(assignment)
            place = function.frame(interpreter).origin(target).span
            after = Span(place.file, place.end_line, place.end_column, place.end_line, place.end_column)
            declared = tensors[name].created
            related = (Related(declared.span, f"'{name}' is declared here", f"'{name}' 在此声明"),) if declared else ()
            interpreter.report(
                pt603_output_rebound.RULE.at(
                    origin,
                    facts=Facts(buffer=name),
                    related=related,
                    fixes=(Fix(f"Write {name}[:] = ...", f"改为 {name}[:] = ...", (Edit(after, "[:]"),)),),
                    name=name,
                )
            )


def _assignments(node: ast.AST) -> list[ast.Assign]:
    body = node.body if isinstance(node, ast.FunctionDef) else []
    return [item for statement in body for item in ast.walk(statement) if isinstance(item, ast.Assign)]


def _is_written(tensor: Tensor, tracer: Tracer) -> bool:
    if tensor.storage is not tensor.original:
        return True
    raw = tensor.original.raw
    return any(output.raw is raw for operation in operations(tracer.nodes) for output in operation.outputs)


def _is_read(node: ast.AST, name: str) -> bool:
    """Whether the kernel uses the name at all besides binding it: then rebinding may be just what is meant."""
    return any(
        isinstance(item, ast.Name) and item.id == name and isinstance(item.ctx, ast.Load)
        for statement in (node.body if isinstance(node, ast.FunctionDef) else [])
        for item in ast.walk(statement)
    )
