"""Semantics, layouts and cycle costs of PTO instructions. `registry.semantics(opcode)` is the way in."""
