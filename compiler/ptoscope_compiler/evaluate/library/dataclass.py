"""`dataclasses`: generated `__init__`, comparison, and the functions over fields."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from ..classes import Instance, MethodBuiltin, UserClass
from ..errors import WrongArguments
from ..operation import Operation
from ..site import UNBOUND, Site
from ..values import Abstract, Arguments, Builtin, Unknown, Value, is_unknown
from .module import LibraryModule


@dataclass(frozen=True)
class Field(Abstract):
    """One field: its default or the function that makes it, UNBOUND where it has none."""

    name: str = ""
    default: Value = UNBOUND
    factory: Value = UNBOUND
    in_init: bool = True
    keyword_only: bool = False
    compared: bool = True

    type_name = "Field"

    def get_attribute(self, name: str, site: Site) -> Value:
        known = {"name": self.name, "default": self.default, "init": self.in_init, "kw_only": self.keyword_only}
        return known.get(name, Unknown(name))


@dataclass
class Layout:
    """What `@dataclass` knows of a class."""

    fields: dict[str, Field] = field(default_factory=dict)
    frozen: bool = False
    compared: bool = True

    def compared_names(self) -> tuple[str, ...]:
        """Fields that `==` and `hash` look at."""
        return tuple(item.name for item in self.fields.values() if item.compared)


def layout_of(kind: Value) -> Layout | None:
    """The layout of a dataclass or of an instance of one."""
    owner = getattr(kind, "user_class", kind)
    if not isinstance(owner, UserClass):
        return None
    value = owner.find("__dataclass_fields__")
    return value if isinstance(value, Layout) else None


class _FieldFunction(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        given = dict(arguments.keywords)
        return Field(
            default=given.get("default", UNBOUND),
            factory=given.get("default_factory", UNBOUND),
            in_init=given.get("init", True) is not False,
            keyword_only=given.get("kw_only", False) is True,
            compared=given.get("compare", True) is not False,
        )


class _Decorator(Builtin):
    def __init__(self, options: dict[str, Value] | None = None) -> None:
        super().__init__("dataclass")
        self.options = options or {}

    def call(self, arguments: Arguments, site: Site) -> Value:
        if not arguments.positional:
            return _Decorator(dict(arguments.keywords))
        kind = arguments.positional[0]
        if isinstance(kind, UserClass):
            _lay_out(kind, self.options)
        return kind


def _lay_out(kind: UserClass, options: dict[str, Value]) -> None:
    layout = Layout(frozen=options.get("frozen") is True, compared=options.get("eq", True) is not False)
    for base in reversed(kind.mro[1:]):
        inherited = base.attributes.get("__dataclass_fields__")
        if isinstance(inherited, Layout):
            layout.fields.update(inherited.fields)
    keyword_only = options.get("kw_only") is True
    for name, annotation in kind.annotation_nodes().items():
        text = ast.unparse(annotation)
        if "ClassVar" in text:
            continue
        if text.endswith("KW_ONLY"):
            keyword_only = True
            continue
        layout.fields[name] = _field(kind, name, keyword_only)
    kind.attributes["__dataclass_fields__"] = layout
    kind.attributes["__match_args__"] = tuple(item.name for item in layout.fields.values() if item.in_init)
    if options.get("init", True) is not False and "__init__" not in kind.attributes:
        kind.attributes["__init__"] = GeneratedInit(kind, layout)


def _field(kind: UserClass, name: str, keyword_only: bool) -> Field:
    value = kind.attributes.get(name, UNBOUND)
    if not isinstance(value, Field):
        return Field(name, default=value, keyword_only=keyword_only)
    if value.default is UNBOUND:
        kind.attributes.pop(name)
    else:
        kind.attributes[name] = value.default
    return replace(value, name=name, keyword_only=keyword_only or value.keyword_only)


class GeneratedInit(MethodBuiltin):
    """The generated `__init__`."""

    def __init__(self, kind: UserClass, layout: Layout) -> None:
        super().__init__("__init__")
        self.kind = kind
        self.layout = layout

    def call(self, arguments: Arguments, site: Site) -> Value:
        assert isinstance(site, Operation)
        instance, *positional = arguments.positional
        try:
            values = self._bind(positional, dict(arguments.keywords), site)
        except WrongArguments as error:
            site.fail(error)
            values = {name: Unknown(name) for name in self.layout.fields}
        instance.attributes.update(values)
        if self.layout.compared:
            instance.compared = self.layout.compared_names()
        post = instance.method("__post_init__")
        if post is not None:
            site.call(post, Arguments())
        instance.is_frozen = self.layout.frozen
        return None

    def _bind(self, positional: list[Value], keywords: dict[str, Value], site: Site) -> dict[str, Value]:
        fields = [item for item in self.layout.fields.values() if item.in_init]
        ordered = [item.name for item in fields if not item.keyword_only]
        if len(positional) > len(ordered):
            count, given = len(ordered) + 1, len(positional) + 1
            raise WrongArguments(
                f"{self.kind.name}.__init__() takes {count} positional arguments but {given} were given"
            )
        values = dict(zip(ordered, positional, strict=False))
        for name, value in keywords.items():
            if name not in {item.name for item in fields}:
                raise WrongArguments(f"{self.kind.name}.__init__() got an unexpected keyword argument '{name}'")
            if name in values:
                raise WrongArguments(f"{self.kind.name}.__init__() got multiple values for argument '{name}'")
            values[name] = value
        return {**values, **self._defaults(values, site)}

    def _defaults(self, given: dict[str, Value], site: Site) -> dict[str, Value]:
        values: dict[str, Value] = {}
        missing: list[str] = []
        for item in self.layout.fields.values():
            if item.name in given:
                continue
            if item.factory is not UNBOUND:
                values[item.name] = site.call(item.factory, Arguments())
            elif item.default is not UNBOUND:
                values[item.name] = item.default
            elif item.in_init:
                missing.append(item.name)
        if missing:
            quoted = " and ".join(f"'{name}'" for name in missing)
            plural = "" if len(missing) == 1 else "s"
            raise WrongArguments(
                f"{self.kind.name}.__init__() missing {len(missing)} required positional argument{plural}: {quoted}"
            )
        return values


class _Over(Builtin):
    """A function of module `dataclasses` over an instance or a class."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        value = arguments.positional[0] if arguments.positional else None
        layout = layout_of(value)
        if self.name == "is_dataclass":
            return Unknown("class") if is_unknown(value) else layout is not None
        if layout is None:
            return Unknown(self.name)
        if self.name == "fields":
            return tuple(layout.fields.values())
        if not isinstance(value, Instance):
            return Unknown(self.name)
        if self.name == "replace":
            kept = {item.name: value.attributes.get(item.name) for item in layout.fields.values() if item.in_init}
            return site.call(value.user_class, Arguments((), {**kept, **dict(arguments.keywords)}))
        plain = _plain(value)
        return plain if self.name == "asdict" else tuple(plain.values())


def _plain(value: Value) -> Value:
    layout = layout_of(value) if isinstance(value, Instance) else None
    if layout is not None:
        return {name: _plain(value.attributes.get(name)) for name in layout.fields}
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_plain(item) for item in value)
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


MODULE = LibraryModule(
    "dataclasses",
    {
        "dataclass": _Decorator(),
        "field": _FieldFunction("field"),
        "MISSING": UNBOUND,
        "KW_ONLY": Unknown("KW_ONLY"),
        **{name: _Over(name) for name in ("asdict", "astuple", "fields", "is_dataclass", "replace")},
    },
)
