"""Stand-in for `pypto_pro.language.parser.diagnostics`."""

from ._exceptions import InvalidOperationError, ParserError, ParserSyntaxError, ParserTypeError, UnsupportedFeatureError

__all__ = ["InvalidOperationError", "ParserError", "ParserSyntaxError", "ParserTypeError", "UnsupportedFeatureError"]
