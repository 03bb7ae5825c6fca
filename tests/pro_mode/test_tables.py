"""The operation tables are complete and hang together."""

import pytest
from ptoscope_compiler.pro_mode.api import load
from ptoscope_compiler.pro_mode.binding import default_of
from ptoscope_compiler.pro_mode.call import family_of
from ptoscope_compiler.pro_mode.module import language
from ptoscope_simulator.instructions.registry import opcodes

ENTRIES = [(table, entry) for table in ("operations", "system", "vector") for entry in load(table).values()]


@pytest.mark.parametrize(("table", "entry"), ENTRIES, ids=[f"{table}.{entry.name}" for table, entry in ENTRIES])
def test_an_entry_is_complete(table, entry):
    assert language().members["jit"]
    assert entry.en and entry.zh
    if entry.family:
        assert family_of(entry.family)
    for parameter in entry.parameters:
        if parameter.default is not None:
            default_of(parameter)
    names = {parameter.name for parameter in entry.parameters}
    if not entry.family:
        for step in (step for steps in entry.steps.values() for step in steps):
            opcode, *words = step.split()
            assert opcode in opcodes(), f"{entry.name} emits {opcode}, which has no semantics"
            assert {word.partition("=")[0] for word in words if "=" not in word} <= names


def test_a_signature_reads_as_python():
    assert load("operations")["load"].signature == "(dst_tile, src_tensor, offsets, *, order=None)"
    assert load("operations")["printf"].signature == "(format_str, *args, loc=False)"
