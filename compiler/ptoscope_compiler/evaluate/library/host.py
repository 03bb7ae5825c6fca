"""What host scripts use of the system: `os`, `sys`, `argparse`, `copy`, `types`.

A script is taken to run without arguments.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ..classes import Instance
from ..errors import Raised
from ..natives import native
from ..operation import Operation
from ..site import Site
from ..values import Abstract, Arguments, Builtin, Unknown, Unsupported, Value, is_unknown
from .module import LibraryModule
from .standard import MODULES as STANDARD


class Exit(Builtin):
    """`sys.exit`, `exit`, `quit`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        raise Raised(SystemExit(*arguments.positional), site.origin)


class EnvironmentVariables(Abstract):
    """`os.environ`: the variables that are configured; whether any other is set is not known."""

    type_name = "environ"

    def get_attribute(self, name: str, site: Site) -> Value:
        return GetVariable("get") if name == "get" else Unknown(name)

    def get_item(self, key: Value, site: Site) -> Value:
        return _variables(site).get(key, Unknown("environment variable"))

    def set_item(self, key: Value, value: Value, site: Site) -> None:
        """Scripts set variables for the programs that they start; their own later reads stay Unknown."""

    def binary(self, operator: str, other: Value, reflected: bool, site: Site) -> Value:
        if operator == "in" and reflected:
            return other in _variables(site) or Unknown("environment variable")
        raise Unsupported(f"unsupported operand for {operator}: 'environ'")


class GetVariable(Builtin):
    """`os.environ.get` and `os.getenv`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        key = arguments.positional[0] if arguments.positional else None
        return (
            _variables(site).get(key, Unknown("environment variable")) if isinstance(key, str) else Unknown("variable")
        )


def _variables(site: Site) -> Mapping[str, str]:
    known: Mapping[str, str] = getattr(site.interpreter.environment, "variables", {})
    return known


class Record(Abstract):
    """An object that only has attributes: `types.SimpleNamespace`, the result of `parse_args`."""

    type_name = "namespace"

    def __init__(self, attributes: Mapping[str, Value], complete: bool = True) -> None:
        self.attributes = dict(attributes)
        self.complete = complete

    def get_attribute(self, name: str, site: Site) -> Value:
        if name in self.attributes:
            return self.attributes[name]
        return super().get_attribute(name, site) if self.complete else Unknown(name)

    def set_attribute(self, name: str, value: Value, site: Site) -> None:
        site.interpreter.mutating(self.attributes)
        self.attributes[name] = value


class _SimpleNamespace(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        return Record(dict(arguments.keywords))


class ArgumentParser(Abstract):
    """`argparse.ArgumentParser`: knows the default of each option."""

    type_name = "ArgumentParser"

    def __init__(self) -> None:
        self.defaults: dict[str, Value] = {}

    def get_attribute(self, name: str, site: Site) -> Value:
        return _ParserMethod(name, self)


class _ParserMethod(Builtin):
    def __init__(self, name: str, parser: ArgumentParser) -> None:
        super().__init__(name)
        self.parser = parser

    def call(self, arguments: Arguments, site: Site) -> Value:
        defaults = self.parser.defaults
        if self.name == "add_argument":
            name, default = _option(arguments)
            defaults[name] = default
        elif self.name == "set_defaults":
            defaults.update(dict(arguments.keywords))
        elif self.name == "parse_args":
            return Record(defaults, complete=False)
        elif self.name == "parse_known_args":
            return Record(defaults, complete=False), []
        elif self.name in ("add_argument_group", "add_mutually_exclusive_group"):
            return self.parser
        return Unknown(self.name) if self.name.startswith("add_sub") else None


class _MakeParser(Builtin):
    def call(self, arguments: Arguments, site: Site) -> Value:
        return ArgumentParser()


def _option(arguments: Arguments) -> tuple[str, Value]:
    """The attribute of an option, and its value where the option is not given."""
    options = dict(arguments.keywords)
    flags = [flag for flag in arguments.positional if isinstance(flag, str)]
    named = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
    name = options.get("dest") or named.lstrip("-").replace("-", "_")
    if "default" in options:
        return name, options["default"]
    if options.get("action") in ("store_true", "store_false"):
        return name, options["action"] == "store_false"
    is_required = not named.startswith("-") and options.get("nargs") not in ("?", "*")
    return name, Unknown(name) if is_required or options.get("required") is True else None


class _Copy(Builtin):
    """`copy.copy` and `copy.deepcopy`."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        value = arguments.positional[0] if arguments.positional else None
        if site.interpreter.is_vague(value):
            return Unknown("copy")
        return _copied(value, self.name == "deepcopy", {})


def _copied(value: Value, deep: bool, done: dict[int, Value]) -> Value:
    if id(value) in done:
        return done[id(value)]

    def inner(item: Value) -> Value:
        return _copied(item, True, done) if deep else item

    if type(value) in (list, tuple, set):
        return type(value)(inner(item) for item in value)
    if type(value) is dict:
        return {key: inner(item) for key, item in value.items()}
    if type(value) is Instance:
        copy = done[id(value)] = Instance(value.user_class)
        copy.attributes = {name: inner(item) for name, item in value.attributes.items()}
        copy.compared, copy.is_frozen = value.compared, value.is_frozen
        return copy
    return value


class _SamePath(Builtin):
    """`abspath`, `realpath`, `expanduser`: files keep the name under which they were given."""

    def call(self, arguments: Arguments, site: Site) -> Value:
        path = arguments.positional[0] if arguments.positional else None
        return posixpath.normpath(path) if isinstance(path, str) else Unknown("path")


@native(defaultdict)
def _default_dict(arguments: Arguments, site: Operation) -> Value:
    factory, *rest = arguments.positional or (None,)
    if isinstance(factory, Abstract) or is_unknown(factory) or any(not isinstance(part, dict) for part in rest):
        return Unknown("defaultdict")
    return defaultdict(factory, *rest)


_OS: dict[str, Any] = {
    "environ": EnvironmentVariables(),
    "getenv": GetVariable("getenv"),
    "path": STANDARD["os.path"],
    "sep": "/",
    "linesep": "\n",
}
STANDARD["os.path"].members.update({name: _SamePath(name) for name in ("abspath", "realpath", "expanduser")})
STANDARD["collections"].members["defaultdict"] = defaultdict

MODULES: dict[str, LibraryModule] = {
    name: LibraryModule(name, members)
    for name, members in {
        "os": _OS,
        "sys": {"exit": Exit("exit"), "argv": [""], "maxsize": 2**63 - 1, "byteorder": "little"},
        "argparse": {"ArgumentParser": _MakeParser("ArgumentParser")},
        "types": {"SimpleNamespace": _SimpleNamespace("SimpleNamespace")},
        "copy": {"copy": _Copy("copy"), "deepcopy": _Copy("deepcopy")},
    }.items()
}
