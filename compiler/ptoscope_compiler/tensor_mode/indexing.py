"""`tensor[...]` and `tensor[...] = value` (`Tensor.__getitem__` and `__setitem__` in `python/pypto/tensor.py`).

All slices: a view, or an assemble. Slices and indices: the same, the indexed axes dropped or added by a reshape. All
indices: one element, read or written by the control flow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from ..diagnostics.rules import pt609_wrong_index
from ..evaluate.values import Arguments, Unknown, Value, is_unknown
from ..scalar import ElementRead, ScalarLike, add, known, sub
from .errors import Rejected, Undecided
from .moving import move
from .ops.registry import call_operation
from .region import SetElementNode
from .symbolic import unwrap, wrap
from .text import shape_text

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .tensor import Tensor


@dataclass(frozen=True, slots=True)
class Axis:
    """What the key says of one axis: `start:stop`, or the index `start` where `index` holds."""

    start: ScalarLike | None
    stop: ScalarLike | None
    index: bool = False


def get_item(tensor: Tensor, key: Value, site: Site) -> Value:
    """`tensor[key]`."""
    try:
        if _is_whole(key):
            return tensor
        gathered = _indirect(tensor, key)
        if gathered is not None:
            return call_operation(tensor.session, "pypto.gather", Arguments((tensor, *gathered), {}), site)
        axes = _axes(tensor, key, site)
        if all(axis.index for axis in axes):
            return wrap(
                ElementRead(_buffer(tensor, site), tuple(axis.start for axis in axes if axis.start is not None))
            )
        return _view(tensor, axes, site)
    except Undecided:
        return Unknown("index")
    except Rejected as rejected:
        site.report(rejected.diagnostic)
        tensor.tracer.give_up(site.origin)
        return Unknown("error")


def set_item(tensor: Tensor, key: Value, value: Value, site: Site) -> None:
    """`tensor[key] = value`."""
    try:
        if _is_whole(key):
            move(tensor, value, site)
            return
        gathered = _indirect(tensor, key)
        if gathered is not None:
            call_operation(tensor.session, "pypto.scatter", Arguments((tensor, *gathered, value), {}), site)
            return
        axes = _axes(tensor, key, site)
        if all(axis.index for axis in axes):
            _set_element(tensor, axes, value, site)
        else:
            _assemble(tensor, axes, value, site)
    except Undecided:
        tensor.tracer.give_up(site.origin)
    except Rejected as rejected:
        site.report(rejected.diagnostic)
        tensor.tracer.give_up(site.origin)


def _is_whole(key: Value) -> bool:
    if isinstance(key, slice):
        return key.start is None and key.stop is None and key.step is None
    return isinstance(key, tuple) and all(_is_whole(item) for item in key)


def _indirect(tensor: Tensor, key: Value) -> tuple[Value, Value] | None:
    """Axis and index tensor of `tensor[axis:index]`."""
    from .tensor import Tensor

    if isinstance(key, slice) and isinstance(key.stop, Tensor):
        return key.start, key.stop
    return None


def _axes(tensor: Tensor, key: Value, site: Site) -> list[Axis]:
    items = list(key) if isinstance(key, tuple) else [key]
    rank = tensor.rank
    ellipses = [at for at, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        _wrong(tensor, site, "there is more than one '...'", "出现多个 '...'")
    if len(items) - len(ellipses) > rank:
        _wrong(tensor, site, f"{len(items) - len(ellipses)} entries", f"{len(items) - len(ellipses)} 项")
    missing = rank - (len(items) - len(ellipses))
    at = ellipses[0] if ellipses else len(items)
    full = [*items[:at], *[slice(None)] * missing, *items[at + 1 :]]
    return [_axis(tensor, axis, item, site) for axis, item in enumerate(full)]


def _axis(tensor: Tensor, axis: int, item: Value, site: Site) -> Axis:
    size = tensor.storage.shape[axis]
    if isinstance(item, slice):
        if item.step not in (None, 1):
            _wrong(tensor, site, "a slice has a step", "切片带步长")
        return Axis(_bound(tensor, item.start, size, site), _bound(tensor, item.stop, size, site))
    start = _bound(tensor, item, size, site)
    assert start is not None
    return Axis(start, add(start, 1), index=True)


def _bound(tensor: Tensor, value: Value, size: ScalarLike, site: Site) -> ScalarLike | None:
    if value is None:
        return None
    if is_unknown(value):
        raise Undecided
    scalar = unwrap(value)
    if scalar is None or isinstance(scalar, float):
        kind = getattr(value, "type_name", type(value).__name__)
        _wrong(tensor, site, f"an entry is a {kind}", f"某一项为 {kind}")
    return add(size, scalar) if known(scalar) and isinstance(scalar, int) and scalar < 0 else scalar


def _wrong(tensor: Tensor, site: Site, problem: str, problem_zh: str) -> NoReturn:
    rule = pt609_wrong_index.RULE
    shape = shape_text(tensor.storage.shape)
    raise Rejected(rule.at(site.origin, rank=tensor.rank, shape=shape, problem=problem, problem_zh=problem_zh))


def _view(tensor: Tensor, axes: list[Axis], site: Site) -> Value:
    offsets: list[Value] = []
    sizes: list[Value] = []
    for axis, size in zip(axes, tensor.storage.shape, strict=False):
        start = 0 if axis.start is None else axis.start
        extent = sub(size if axis.stop is None else axis.stop, start)
        if not known(extent):
            _wrong(tensor, site, f"the size of a slice, {extent}, is not a constant", f"切片大小 {extent} 不是常量")
        offsets.append(wrap(start))
        sizes.append(extent)
    view = call_operation(tensor.session, "pypto.view", Arguments((tensor, sizes, offsets), {}), site)
    if is_unknown(view) or not any(axis.index for axis in axes):
        return view
    kept = [size for axis, size in zip(axes, sizes, strict=False) if not axis.index]
    return call_operation(tensor.session, "pypto.reshape", Arguments((view, kept), {}), site)


def _assemble(tensor: Tensor, axes: list[Axis], value: Value, site: Site) -> None:
    from .tensor import Tensor

    if isinstance(value, Tensor) and any(axis.index for axis in axes):
        sizes = iter(value.get_attribute("shape", site))
        kept = [axis for axis in axes if not axis.index]
        if len(kept) != value.rank:
            _wrong(tensor, site, f"{len(kept)} slices take a value of rank {value.rank}",
                   f"{len(kept)} 个切片对应 {value.rank} 维的值")  # fmt: skip
        shape = [1 if axis.index else next(sizes) for axis in axes]
        value = call_operation(tensor.session, "pypto.reshape", Arguments((value, shape), {}), site)
    offsets: list[Value] = []
    for axis, size in zip(axes, tensor.storage.shape, strict=False):
        start = axis.start
        if start is None:
            start = 0 if axis.stop is None else sub(axis.stop, size)
        offsets.append(wrap(start))
    call_operation(tensor.session, "pypto.assemble", Arguments((value, offsets, tensor), {}), site)


def _set_element(tensor: Tensor, axes: list[Axis], value: Value, site: Site) -> None:
    if is_unknown(value):
        raise Undecided
    scalar = unwrap(value)
    if scalar is None:
        _wrong(tensor, site, "an element takes a number", "元素只能写入数")
    indices = tuple(axis.start for axis in axes if axis.start is not None)
    tensor.tracer.nodes.append(SetElementNode(tensor.read(site), indices, scalar, site.origin))


def _buffer(tensor: Tensor, site: Site) -> str:
    raw = tensor.read(site).raw
    if not raw.name:
        raw.name = f"tensor_{raw.id}"
    return raw.name
