"""Methods of a tensor. Most are operations with the tensor as first argument; the others write to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..evaluate.values import Arguments, Unknown, Value, is_unknown
from . import api
from .call import bind, default_value
from .errors import Rejected
from .moving import move
from .ops.registry import call_operation, not_modelled

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .tensor import Tensor


def call_method(tensor: Tensor, method: str, arguments: Arguments, site: Site) -> Value:
    """Call `tensor.<method>(...)`."""
    signature = api.signature(f"pypto.Tensor.{method}")
    if signature is None:
        return not_modelled(f"pypto.Tensor.{method}", tensor.session, site)
    try:
        bound = bind(signature, arguments, site)
    except Rejected as rejected:
        site.report(rejected.diagnostic)
        return Unknown("error")
    for parameter in signature.parameters:
        if parameter.default is not None:
            bound.setdefault(parameter.name, default_value(parameter.default))
    special = _SPECIAL.get(method)
    if special is not None:
        return special(tensor, bound, site)
    operation = api.signature(f"pypto.{method}")
    if operation is None:
        return not_modelled(f"pypto.Tensor.{method}", tensor.session, site)
    names = [parameter.name for parameter in operation.parameters[1:]]
    values = {name: bound[own] for name, own in _pairs(names, list(bound))}
    return call_operation(tensor.session, f"pypto.{method}", Arguments((tensor,), values), site)


def _pairs(names: list[str], own: list[str]) -> list[tuple[str, str]]:
    """Parameters of the function beside those of the method: by name, else by position."""
    return [(name, name if name in own else own[at]) for at, name in enumerate(names) if name in own or at < len(own)]


def _move(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    move(tensor, bound["other"], site)
    return None


def _assemble(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    arguments = Arguments((bound["input"], bound["offsets"], tensor), {})
    return call_operation(tensor.session, "pypto.assemble", arguments, site)


def _fill(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    shape, dtype = tensor.get_attribute("shape", site), tensor.get_attribute("dtype", site)
    filled = call_operation(tensor.session, "pypto.full", Arguments((shape, bound["other"], dtype), {}), site)
    move(tensor, filled, site)
    return tensor


def _triangle(name: str, tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    result = call_operation(tensor.session, f"pypto.{name}", Arguments((tensor, bound["diagonal"]), {}), site)
    move(tensor, result, site)
    return tensor


def _copy(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    from .tensor import Tensor

    old = tensor.storage
    name = bound["name"] if isinstance(bound["name"], str) and bound["name"] else tensor.name
    storage = tensor.tracer.new(old.shape, old.dtype, name=name, format=old.raw.format)
    return Tensor(tensor.session, tensor.tracer, storage, created=site.origin)


def _set_cache_policy(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    return None


def _to_tensor(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    if isinstance(bound["name"], str) and bound["name"]:
        tensor.name = bound["name"]
    return tensor


def _where(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    return not_modelled("pypto.Tensor.where", tensor.session, site)


def _is_empty(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    return tensor.rank == 0


def _index_add(tensor: Tensor, bound: dict[str, Value], site: Site) -> Value:
    values = {name: bound[name] for name in ("dim", "index", "source", "alpha")}
    result = call_operation(tensor.session, "pypto.index_add_", Arguments((tensor,), values), site)
    return result if is_unknown(result) else tensor


_SPECIAL = {
    "move": _move,
    "assemble": _assemble,
    "fill_": _fill,
    "triu_": lambda tensor, bound, site: _triangle("triu", tensor, bound, site),
    "tril_": lambda tensor, bound, site: _triangle("tril", tensor, bound, site),
    "copy": _copy,
    "set_cache_policy": _set_cache_policy,
    "to_tensor": _to_tensor,
    "where": _where,
    "is_empty": _is_empty,
    "index_add_": _index_add,
}
