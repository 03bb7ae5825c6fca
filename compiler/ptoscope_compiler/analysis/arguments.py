"""The arguments of a call in the order of the parameters."""

from __future__ import annotations

from ..evaluate.functions import UserFunction
from ..evaluate.values import Arguments, Unknown, Value


def in_order(function: UserFunction, arguments: Arguments) -> list[Value]:
    """One value for each positional parameter: what the call gives, else its default, else Unknown."""
    parameters = [parameter.arg for parameter in (*function.node.args.posonlyargs, *function.node.args.args)]
    values: dict[str, Value] = {name: Unknown(name) for name in parameters}
    if function.defaults:
        values.update(zip(parameters[-len(function.defaults) :], function.defaults, strict=True))
    values.update(zip(parameters, arguments.positional, strict=False))
    values.update((name, value) for name, value in dict(arguments.keywords).items() if name in values)
    return list(values.values())
