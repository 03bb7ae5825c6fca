"""What the syntax tree holds beside the standard `ast` nodes: the statements and places that do not parse."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Why and where a text is not Python: lines from 1, columns in UTF-8 bytes from 0, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    reason: str

    def moved(self, lines: int) -> SyntaxProblem:
        return SyntaxProblem(self.line + lines, self.column, self.end_line + lines, self.end_column, self.reason)


class ErrorStatement(ast.stmt):
    """A statement that does not parse, in the place where it stands.

    `targets` are the variables that it may bind: nothing is known of them afterwards. `body` holds the statements
    inside it that do parse, where its header does not.
    """

    _fields = ("targets", "body")
    targets: list[ast.Name]
    body: list[ast.stmt]
    problem: SyntaxProblem
