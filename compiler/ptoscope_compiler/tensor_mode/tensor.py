"""`pypto.Tensor` while a kernel is traced: a variable that holds a logical tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dtype import DType
from ..evaluate.values import Abstract, Arguments, Builtin, Unsupported, Value
from ..ir.graph import LogicalTensor
from ..origin import Origin
from ..scalar import text
from . import api
from .enums import member, of_dtype
from .region import Carry
from .symbolic import wrap

if TYPE_CHECKING:
    from ..evaluate.site import Site
    from .session import Session
    from .tracer import Tracer

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Tensor(Abstract):
    """A tensor of the kernel.

    `storage` is what it holds now; `move` and `x[:] =` replace it, which loops and run-time branches must know: `read`
    and `write` keep their books. `parameter` is the name of the kernel's parameter that it is, `created` where it was
    made, `original` what it held first.
    """

    type_name = "pypto.Tensor"

    def __init__(
        self,
        session: Session,
        tracer: Tracer,
        storage: LogicalTensor,
        parameter: str | None = None,
        created: Origin | None = None,
    ) -> None:
        self.session = session
        self.tracer = tracer
        self.parameter = parameter
        self.created = created
        self.name = storage.raw.name
        self.depth = tracer.depth
        self.original = storage
        self._storage = storage

    @property
    def storage(self) -> LogicalTensor:
        """What the tensor holds, without any bookkeeping; for shapes and types."""
        return self._storage

    @property
    def dtype(self) -> DType:
        return self._storage.dtype

    @property
    def rank(self) -> int:
        return self._storage.rank

    def read(self, site: Site) -> LogicalTensor:
        """What the tensor holds, for use by an operation."""
        for frame in self.tracer.loops:
            if frame.depth > self.depth and id(self) not in frame.touched:
                initial = self._storage
                entry = self.tracer.builder.tensor(initial.raw, initial.shape, valid_shape=initial.valid_shape)
                carry = Carry(self.parameter or self.name, entry, initial, entry, entry)
                frame.touched[id(self)] = (self, carry)
                self._storage = entry
        return self._storage

    def write(self, storage: LogicalTensor, site: Site) -> None:
        """Let the tensor hold something else from here on."""
        self.read(site)
        self.write_from_loop(storage)

    def write_from_loop(self, storage: LogicalTensor) -> None:
        """As `write`, by a loop that has read the tensor already."""
        for arm in self.tracer.arms:
            if arm.depth > self.depth:
                arm.before.setdefault(id(self), (self, self._storage))
        self._storage = storage

    def restore(self, storage: LogicalTensor) -> None:
        """Put back what the tensor held before a loop or an arm."""
        self._storage = storage

    def describe(self) -> str:
        sizes = ", ".join(map(text, self._storage.shape))
        return f"Tensor ({sizes}) {self.dtype}"

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "shape":
            return [wrap(size) for size in self._storage.shape]
        if name == "valid_shape":
            return [wrap(size) for size in self._storage.valid_shape]
        if name == "dtype":
            return of_dtype(self.dtype)
        if name == "dim":
            return self.rank
        if name == "format":
            return member("TileOpFormat", f"TILEOP_{self._storage.raw.format}")
        if name == "name":
            return self.name
        if name == "id":
            return self._storage.id
        if name in api.members("pypto.Tensor"):
            return Method(self, name)
        guess = api.nearest(name, api.members("pypto.Tensor"))
        raise Unsupported(f"pypto.Tensor has no attribute '{name}'" + (f"; did you mean '{guess}'?" if guess else ""))

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        if name != "name":
            raise Unsupported(f"pypto.Tensor has no attribute '{name}' that can be set")
        self.name = str(value)

    def get_item(self, key: Value, site: Site) -> Value:
        from .indexing import get_item

        return get_item(self, key, site)

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        from .indexing import set_item

        set_item(self, key, value, site)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        from .operators import binary

        if operator in ("is", "is not"):
            return (self is other) == (operator == "is")
        if operator not in _OPERATORS:
            raise Unsupported(f"pypto.Tensor does not support '{operator}'")
        sign = _MIRRORED.get(operator, operator) if reflected and operator in _MIRRORED else operator
        return binary(self, _OPERATORS[sign], other, reflected and operator not in _MIRRORED, site)

    def unary(self, operator: str, site: Site) -> Value:
        from .operators import negative

        if operator == "+":
            return self
        if operator == "-":
            return negative(self, site)
        raise Unsupported(f"pypto.Tensor does not support unary '{operator}'")

    def truth(self, site: Site) -> bool | None:
        raise Unsupported("the truth of a pypto.Tensor is not defined; compare its elements")


class Method(Builtin):
    """A method of a tensor."""

    def __init__(self, tensor: Tensor, name: str) -> None:
        super().__init__(f"pypto.Tensor.{name}")
        self.tensor = tensor
        self.method = name

    def call(self, arguments: Arguments, site: Site) -> Value:
        from .methods import call_method

        return call_method(self.tensor, self.method, arguments, site)
