"""Errors of the official parser by name. Here one error, with coded findings, stands for all of them."""

from ptoscope_simulator.standins.errors import Rejected

ParserError = ParserSyntaxError = ParserTypeError = Rejected
UndefinedVariableError = SSAViolationError = InvalidOperationError = UnsupportedFeatureError = Rejected
