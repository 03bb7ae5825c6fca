"""Classes of the evaluated program and their instances."""

from __future__ import annotations

import abc
import ast
import enum
from collections.abc import Iterable, Iterator, MutableMapping, Sequence

from .dispatch import evaluate
from .errors import Raised, WrongArguments
from .functions import BoundMethod, UserFunction
from .iteration import items_of
from .operation import Operation
from .scope import Frame, Module, Scope
from .site import UNBOUND, Site, WithBlock
from .values import Abstract, Arguments, Builtin, Unknown, Unsupported, Value, is_unknown

_DUNDERS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_BUILTINS = {"str": ("__str__", "__repr__"), "repr": ("__repr__",), "format": ("__str__", "__repr__")}


class UserClass(Abstract):
    """A class of the evaluated program.

    `bases` are values: other user classes, native types, or Unknown. `is_open` says that one of them may have
    attributes which we do not see. `lines_above` is added to the lines of `node` to give those of the file.
    """

    type_name = "type"

    def __init__(
        self,
        name: str,
        node: ast.ClassDef,
        bases: Sequence[Value],
        attributes: dict[str, Value],
        module: Module,
        scope: Scope,
        lines_above: int = 0,
    ) -> None:
        self.name = name
        self.node = node
        self.lines_above = lines_above
        self.bases = tuple(bases)
        self.attributes = attributes
        self.module = module
        self.scope = scope
        self.mro = _linearised(self)
        self.is_open = any(
            not isinstance(base, UserClass) and not _hides_nothing(base) for kind in self.mro for base in kind.bases
        )
        for value in attributes.values():
            _adopt(value, self)

    @property
    def native_types(self) -> tuple[type, ...]:
        """Native classes that instances pass for."""
        natives = [base for kind in self.mro for base in kind.bases if isinstance(base, type)]
        return (*natives, object)

    def find(self, name: str) -> Value:
        """A class attribute along the method resolution order, as written; UNBOUND where there is none."""
        for kind in self.mro:
            value = kind.attributes.get(name, UNBOUND)
            if value is not UNBOUND:
                return value
        return UNBOUND

    def bound(self, name: str, instance: Value, site: Site) -> Value:
        """Attribute `name` of the class as `instance` sees it."""
        return bind_attribute(self.find(name), instance, self, site)

    def annotations(self, site: Site) -> dict[str, Value]:
        """Values of the annotations in the body of this class, in order."""
        scope = Scope(self.scope, variables=self.attributes, is_class=True)
        frame = Frame(site.interpreter, self.module, scope, lines_above=self.lines_above)
        return {name: evaluate(frame, node) for name, node in self.annotation_nodes().items()}

    def annotation_nodes(self) -> dict[str, ast.expr]:
        """The annotations in the body of this class, in order."""
        return {
            statement.target.id: statement.annotation
            for statement in self.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        }

    def get_attribute(self, name: str, site: Site) -> Value:
        value = self.find(name)
        if isinstance(value, ClassMethod):
            return BoundMethod(value.function, self)
        if isinstance(value, StaticMethod):
            return value.function
        if value is not UNBOUND:
            return value
        special = {
            "__name__": self.name,
            "__qualname__": self.name,
            "__module__": self.module.name,
            "__mro__": self.mro,
        }
        if name in special:
            return special[name]
        if self.is_open or name.startswith("__"):
            return Unknown(name)
        raise Unsupported(f"type object '{self.name}' has no attribute '{name}'")

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        site.interpreter.mutating(self.attributes)
        self.attributes[name] = value

    def get_item(self, key: Value, site: Site) -> Value:
        method = self.find("__class_getitem__")
        if method is UNBOUND:
            return self
        return site.call(BoundMethod(getattr(method, "function", method), self), Arguments((key,)))

    def call(self, arguments: Arguments, site: Site) -> Value:
        instance = Instance(self)
        if any(issubclass(kind, BaseException) for kind in self.native_types):
            instance.attributes["args"] = arguments.positional
        initialise = self.find("__init__")
        if initialise is not UNBOUND:
            site.call(BoundMethod(initialise, instance), arguments)
        elif (arguments.positional or arguments.keywords) and not self.is_open and "args" not in instance.attributes:
            assert isinstance(site, Operation)
            return site.fail(WrongArguments(f"{self.name}() takes no arguments"))
        return instance

    def has_instance(self, value: Value, site: Site) -> bool | None:
        if is_unknown(value):
            return None
        kind = getattr(value, "user_class", None) or getattr(type(value), "user_class", None)
        if kind is None:
            return False
        return True if self in kind.mro else None if kind.is_open and self.is_open else False

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator == "|":
            return Unknown("union of types")
        raise Unsupported(f"unsupported operand type(s) for {operator}: 'type' and '{type(other).__name__}'")

    def describe(self) -> str:
        return f"class {self.name}"


class Instance(Abstract):
    """An instance of a user's class."""

    truth_is_symbolic = False

    def __init__(self, user_class: UserClass) -> None:
        self.user_class = user_class
        self.attributes: MutableMapping[str, Value] = {}
        self.compared: tuple[str, ...] | None = None
        self.is_frozen = False

    @property
    def type_name(self) -> str:  # type: ignore[override]
        return self.user_class.name

    @property
    def native_types(self) -> tuple[type, ...]:
        return self.user_class.native_types

    def get_attribute(self, name: str, site: Site) -> Value:
        found = self.user_class.find(name)
        if name in self.attributes and not isinstance(found, Property):
            return self.attributes[name]
        if found is not UNBOUND:
            return bind_attribute(found, self, self.user_class, site)
        if name == "__class__":
            return self.user_class
        if name == "__dict__":
            return self.attributes
        fallback = self.user_class.find("__getattr__")
        if fallback is not UNBOUND:
            return site.call(BoundMethod(fallback, self), Arguments((name,)))
        if self.user_class.is_open or name.startswith("__"):
            return Unknown(name)
        raise Unsupported(f"'{self.type_name}' object has no attribute '{name}'")

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        found = self.user_class.find(name)
        if isinstance(found, Property):
            if found.setter is None:
                raise Unsupported(f"property '{name}' of '{self.type_name}' object has no setter")
            site.call(BoundMethod(found.setter, self), Arguments((value,)))
            return
        if self.is_frozen:
            raise Unsupported(f"cannot assign to field '{name}'")
        setter = self.user_class.find("__setattr__")
        if setter is not UNBOUND:
            site.call(BoundMethod(setter, self), Arguments((name, value)))
            return
        site.interpreter.mutating(self.attributes)
        self.attributes[name] = value

    def method(self, *names: str) -> BoundMethod | None:
        """The first of these methods that the class defines."""
        for name in names:
            found = self.user_class.find(name)
            if found is not UNBOUND:
                return BoundMethod(found, self)
        return None

    def call(self, arguments: Arguments, site: Site) -> Value:
        return self._ask(("__call__",), arguments, site, f"'{self.type_name}' object is not callable")

    def get_item(self, key: Value, site: Site) -> Value:
        text = f"'{self.type_name}' object is not subscriptable"
        return self._ask(("__getitem__",), Arguments((key,)), site, text)

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        text = f"'{self.type_name}' object does not support item assignment"
        self._ask(("__setitem__",), Arguments((key, value)), site, text)

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator in ("is", "is not", "and", "or") or (operator == "in" and not reflected):
            raise Unsupported(f"'{self.type_name}' object has no '{operator}' of its own")
        if operator == "in":
            name = "__contains__"
        elif operator in _COMPARISONS:
            name = f"__{_COMPARISONS[_MIRRORED[operator] if reflected else operator]}__"
        else:
            name = f"__{'r' if reflected else ''}{_DUNDERS.get(operator, '')}__"
        method = self.method(name)
        if method is not None:
            return site.call(method, Arguments((other,)))
        if operator == "!=" and (method := self.method("__eq__")) is not None:
            answer = site.call(method, Arguments((other,)))
            return answer if is_unknown(answer) else not answer
        if operator in ("==", "!="):
            return (self == other) == (operator == "==")
        if self.user_class.is_open:
            return Unknown(operator)
        raise Unsupported(f"unsupported operand type(s) for {operator}: '{self.type_name}'")

    def unary(self, operator: str, site: Site) -> Value:
        name = _UNARY.get(operator, "")
        return self._ask((name,), Arguments(), site, f"bad operand type for unary {operator}: '{self.type_name}'")

    def truth(self, site: Site) -> bool | None:
        method = self.method("__bool__", "__len__")
        if method is None:
            return True
        answer = site.call(method, Arguments())
        return None if is_unknown(answer) else bool(answer)

    def iterate(self, site: Site) -> Iterable[Value]:
        if self.method("__iter__") is None:
            return self._items_by_index(site)
        source = self._ask(("__iter__",), Arguments(), site, "")
        if source is self or isinstance(source, Instance):
            return source.steps(site)
        items = items_of(source, site)
        if items is None:
            raise Unsupported(f"the items of '{self.type_name}' object are not known")
        return items

    def steps(self, site: Site) -> Iterator[Value]:
        """What `__next__` gives until it raises StopIteration."""
        method = self.method("__next__")
        if method is None:
            raise Unsupported(f"'{self.type_name}' object is not an iterator")
        interpreter = site.interpreter
        while True:
            interpreter.handlers += 1
            try:
                item = site.call(method, Arguments())
            except Raised as raised:
                if isinstance(raised.value, StopIteration):
                    return
                raise
            finally:
                interpreter.handlers -= 1
            yield item

    def trace_with(self, block: WithBlock, site: Site) -> bool:
        enter, leave = self.method("__enter__"), self.method("__exit__")
        if enter is None or leave is None:
            return False
        block.bind(site.call(enter, Arguments()))
        try:
            block.run_body()
        except Raised as raised:
            swallowed = site.call(leave, Arguments((Unknown("type"), raised.value, None)))
            if swallowed is not True:
                raise
        else:
            site.call(leave, Arguments((None, None, None)))
        return True

    def builtin(self, name: str, arguments: Arguments, site: Site) -> Value:
        method = self.method(*_BUILTINS.get(name, (name if name.startswith("__") else f"__{name}__",)))
        if method is not None:
            return site.call(method, Arguments(arguments.positional[1:]))
        if name == "str" and "args" in self.attributes:
            return ", ".join(str(argument) for argument in self.attributes["args"])
        if self.user_class.is_open:
            return Unknown(name)
        return super().builtin(name, arguments, site)

    def describe(self) -> str:
        return f"instance of {self.type_name}"

    def __eq__(self, other: object) -> bool:
        if self.compared is None or not isinstance(other, Instance) or other.user_class is not self.user_class:
            return self is other
        return all(self.attributes.get(name) == other.attributes.get(name) for name in self.compared)

    def __hash__(self) -> int:
        if self.compared is None:
            return id(self)
        return hash(tuple(self.attributes.get(name) for name in self.compared))

    def _ask(self, names: tuple[str, ...], arguments: Arguments, site: Site, otherwise: str) -> Value:
        method = self.method(*names)
        if method is not None:
            return site.call(method, arguments)
        if self.user_class.is_open:
            return Unknown(names[0])
        raise Unsupported(otherwise)

    def _items_by_index(self, site: Site) -> list[Value]:
        if self.method("__getitem__") is None or self.method("__len__") is None:
            raise Unsupported(f"'{self.type_name}' object is not iterable")
        length = self.builtin("len", Arguments((self,)), site)
        if not isinstance(length, int):
            raise Unsupported(f"the length of '{self.type_name}' object is not known")
        return [self.get_item(index, site) for index in range(length)]


class _Wrapper(Abstract):
    """A function that the class binds in its own way."""

    def __init__(self, function: Value) -> None:
        self.function = function


class StaticMethod(_Wrapper):
    """`@staticmethod`."""

    type_name = "staticmethod"

    def call(self, arguments: Arguments, site: Site) -> Value:
        return site.call(self.function, arguments)


class ClassMethod(_Wrapper):
    """`@classmethod`."""

    type_name = "classmethod"


class Property(_Wrapper):
    """`@property`, with its setter."""

    type_name = "property"

    def __init__(self, function: Value, setter: Value = None) -> None:
        super().__init__(function)
        self.setter = setter

    def get_attribute(self, name: str, site: Site) -> Value:
        if name == "setter":
            return PropertySetter(self)
        if name in ("getter", "deleter"):
            return Unknown(name)
        return super().get_attribute(name, site)


class PropertySetter(Builtin):
    """`@x.setter`."""

    def __init__(self, owner: Property) -> None:
        super().__init__("setter")
        self.owner = owner

    def call(self, arguments: Arguments, site: Site) -> Value:
        return Property(self.owner.function, arguments.positional[0])


class Super(Abstract):
    """`super()`: the attributes of `instance` behind `owner` in the method resolution order."""

    type_name = "super"

    def __init__(self, owner: UserClass, instance: Value) -> None:
        self.owner = owner
        self.instance = instance

    def get_attribute(self, name: str, site: Site) -> Value:
        kind = self.instance if isinstance(self.instance, UserClass) else self.instance.user_class
        behind = kind.mro[kind.mro.index(self.owner) + 1 :] if self.owner in kind.mro else ()
        for candidate in behind:
            if name in candidate.attributes:
                return bind_attribute(candidate.attributes[name], self.instance, kind, site)
        if name == "__init__":
            return _Initialise(self.instance)
        return Unknown(name)


class _Initialise(Builtin):
    """`__init__` of a native base."""

    def __init__(self, instance: Value) -> None:
        super().__init__("__init__")
        self.instance = instance

    def call(self, arguments: Arguments, site: Site) -> Value:
        if isinstance(self.instance, Instance) and "args" in self.instance.attributes:
            self.instance.attributes["args"] = arguments.positional
        return None


def bind_attribute(value: Value, instance: Value, kind: UserClass, site: Site) -> Value:
    """A class attribute as seen through an instance."""
    if isinstance(value, Property):
        return site.call(value.function, Arguments((instance,)))
    if isinstance(value, StaticMethod):
        return value.function
    if isinstance(value, ClassMethod):
        return BoundMethod(value.function, kind)
    if isinstance(value, (UserFunction, MethodBuiltin)):
        return BoundMethod(value, instance)
    return value


class MethodBuiltin(Builtin):
    """A method that the evaluator supplies; its first argument is the instance."""


def _hides_nothing(base: Value) -> bool:
    """Whether a base that is no user class adds no attributes that matter."""
    if not isinstance(base, type):
        return False
    return base in (object, abc.ABC) or issubclass(base, (BaseException, enum.Enum))


def _adopt(value: Value, owner: UserClass) -> None:
    function = getattr(value, "function", value)
    if isinstance(function, UserFunction) and function.owner is UNBOUND:
        function.owner = owner


def _linearised(kind: UserClass) -> tuple[UserClass, ...]:
    """The method resolution order (C3) over user classes."""
    bases = [base for base in kind.bases if isinstance(base, UserClass)]
    sequences = [list(base.mro) for base in bases] + [list(bases)]
    order = [kind]
    while sequences := [sequence for sequence in sequences if sequence]:
        heads = (sequence[0] for sequence in sequences)
        head = next((h for h in heads if not any(h in sequence[1:] for sequence in sequences)), sequences[0][0])
        order.append(head)
        sequences = [[item for item in sequence if item is not head] for sequence in sequences]
    return tuple(order)
