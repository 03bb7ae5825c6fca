"""Vector micro instructions: what `vf.*` of Pro mode becomes. They work on registers of 256 bytes and predicates.

Operands: sources in PTO-ISA order, then the predicate where the instruction has one. Inactive lanes of the result are
zero; with attribute `merging` they keep the destination, which then follows the predicate. No public simulator executes
this class, so these functions follow the documentation alone (PTO-ISA `docs/isa/vector`, `docs` of hicann/pypto).
"""

from . import arithmetic, conversion, memory, predicates, rearrangement, reduction  # noqa: F401 (they register)
