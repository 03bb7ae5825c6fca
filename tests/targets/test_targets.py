import json
from importlib.resources import files

import pytest
from ptoscope_compiler import targets
from ptoscope_compiler.hardware import MemorySpace


def test_known_figures_of_the_two_main_families():
    older, newer = targets.load("a2a3"), targets.load("950")
    assert (older.arch, older.cube_cores, older.vector_cores, older.clock_mhz) == ("2201", 24, 48, 1850)
    assert older.usable(MemorySpace.UB) == 192 * 1024
    assert older.capacity(MemorySpace.L0C) == 128 * 1024
    assert (newer.arch, newer.capacity(MemorySpace.UB), newer.usable(MemorySpace.UB)) == (
        "3510",
        256 * 1024,
        248 * 1024,
    )


def test_only_the_newer_family_moves_from_the_accumulator_to_the_vector_buffer():
    edge = (MemorySpace.L0C, MemorySpace.UB)
    assert edge not in targets.load("a2a3").moves
    assert edge in targets.load("950").moves


def test_a_target_answers_to_its_aliases_in_any_case():
    assert targets.load("Ascend910B1").name == targets.load("A2A3").name == "a2a3"
    assert targets.load("kirinx90").name == "KirinX90"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(targets.UnknownTarget) as error:
        targets.load("a7")
    assert "a7" in str(error.value)
    assert all(name in str(error.value) for name in targets.names())


@pytest.mark.parametrize("name", targets.names())
def test_every_figure_has_a_source(name):
    entry = json.loads((files("ptoscope_compiler.targets") / "data" / f"{name}.json").read_text(encoding="utf-8"))

    def figures(node):
        for value in node.values():
            if isinstance(value, dict):
                if "value" in value:
                    yield value
                else:
                    yield from figures(value)

    assert all(figure["source"] for figure in figures(entry))
    assert targets.load(name).usable(MemorySpace.UB) <= targets.load(name).capacity(MemorySpace.UB)
