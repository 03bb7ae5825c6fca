"""Simple statements: expressions, jumps, imports, assertions, exceptions raised."""

from __future__ import annotations

import ast

from ..diagnostics.rules import pt658_raised
from .attributes import get_attribute
from .calls import call_value
from .dialect import Construct, Jump
from .dispatch import BREAK, CONTINUE, STOPPED, Completion, evaluate, statement
from .errors import Raised
from .operation import Operation
from .operators import definite_truth
from .scope import TRACED_BRANCH, Frame, LoopState, Module
from .values import Abstract, Arguments, Unknown, Unsupported, Value, is_unknown


@statement(ast.Expr)
def _expression(frame: Frame, node: ast.Expr) -> None:
    evaluate(frame, node.value)


@statement(ast.Pass, ast.Global, ast.Nonlocal)
def _pass(frame: Frame, node: ast.stmt) -> None:
    if isinstance(node, ast.Global):
        frame.refuse(Construct.GLOBAL, node)
    elif isinstance(node, ast.Nonlocal):
        frame.refuse(Construct.NONLOCAL, node)


@statement(ast.Break)
def _break(frame: Frame, node: ast.Break) -> Completion:
    return _traced_jump(frame, node, "break", None) or BREAK


@statement(ast.Continue)
def _continue(frame: Frame, node: ast.Continue) -> Completion:
    return _traced_jump(frame, node, "continue", None) or CONTINUE


@statement(ast.Return)
def _return(frame: Frame, node: ast.Return) -> Completion:
    value = None if node.value is None else evaluate(frame, node.value)
    if frame.is_entry and not frame.refuse(Construct.RETURN_FROM_ENTRY, node) and value is not None:
        frame.refuse(Construct.RETURN_VALUE_FROM_ENTRY, node)
    return _traced_jump(frame, node, "return", value) or Completion("return", value)


@statement(ast.Assert)
def _assert(frame: Frame, node: ast.Assert) -> None:
    frame.refuse(Construct.ASSERT, node)
    if definite_truth(evaluate(frame, node.test), Operation(frame, node.test)) is not False:
        return
    message = "" if node.msg is None else evaluate(frame, node.msg)
    error = AssertionError(*(() if node.msg is None else (message,)))
    if frame.interpreter.handlers:
        raise Raised(error, frame.origin(node))
    text = "the assertion does not hold" if not isinstance(message, str) or not message else message
    frame.interpreter.report(pt658_raised.RULE.at(frame.origin(node), exception="AssertionError", message=text))


@statement(ast.Raise)
def _raise(frame: Frame, node: ast.Raise) -> None:
    frame.refuse(Construct.RAISE, node)
    origin = frame.origin(node)
    if node.exc is None:
        frame.refuse(Construct.BARE_RAISE, node)
        handled = frame.interpreter.handled
        raise Raised(handled[-1] if handled else RuntimeError("No active exception to reraise"), origin)
    value = evaluate(frame, node.exc)
    if isinstance(value, type) or (isinstance(value, Abstract) and value.type_name == "type"):
        value = call_value(value, Arguments(), Operation(frame, node.exc))
    raise Raised(value, origin)


@statement(ast.Import)
def _import(frame: Frame, node: ast.Import) -> None:
    frame.refuse(Construct.IMPORT, node)
    site = Operation(frame, node)
    for alias in node.names:
        module = frame.interpreter.environment.import_module(alias.name, site)
        if alias.asname is None and "." in alias.name:
            module = frame.interpreter.environment.import_module(alias.name.split(".")[0], site)
        frame.store(alias.asname or alias.name.split(".")[0], module)


@statement(ast.ImportFrom)
def _import_from(frame: Frame, node: ast.ImportFrom) -> None:
    frame.refuse(Construct.IMPORT, node)
    site = Operation(frame, node)
    name = _absolute_name(frame.module, node)
    module = frame.interpreter.environment.import_module(name, site)
    for alias in node.names:
        if alias.name == "*":
            _import_all(frame, module)
        else:
            frame.store(alias.asname or alias.name, _member(module, name, alias, site))


def _member(module: Value, name: str, alias: ast.alias, site: Operation) -> Value:
    if is_unknown(module):
        return Unknown(f"{name}.{alias.name}")
    if not isinstance(module, Abstract):
        return get_attribute(module, alias.name, site)
    try:
        return module.get_attribute(alias.name, site)
    except Unsupported:
        found = site.interpreter.environment.find_module(f"{name}.{alias.name}", site)
        return Unknown(f"{name}.{alias.name}") if found is None else found


def _import_all(frame: Frame, module: Value) -> None:
    names = getattr(module, "public_names", None)
    if not isinstance(module, Abstract) or names is None:
        frame.module.open = True
        return
    for name, value in names().items():
        frame.store(name, value)
    if isinstance(module, Module) and module.open:
        frame.module.open = True


def _absolute_name(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.name.split(".")
    is_package = module.file.endswith("__init__.py")
    dropped = node.level - 1 if is_package else node.level
    parts = package[: len(package) - dropped] if dropped else package
    return ".".join([*parts, *([node.module] if node.module else [])])


def _traced_jump(frame: Frame, node: ast.stmt, jump: Jump, value: Value) -> Completion | None:
    """STOPPED where the jump leaves a loop or branch that only run time decides, else None."""
    if not _leaves_run_time_region(frame, jump):
        return None
    if not frame.dialect.trace_jump(jump, value, Operation(frame, node)):
        frame.interpreter.report_unsupported(frame.dialect.construct_of(jump), frame, node)
    return STOPPED


def _leaves_run_time_region(frame: Frame, jump: Jump) -> bool:
    for region in reversed(frame.regions):
        if region is TRACED_BRANCH:
            return True
        if isinstance(region, LoopState):
            if region.traced:
                return True
            if jump != "return":
                return False
    return False
