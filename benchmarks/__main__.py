"""`make bench`: compile times, recompile times, run times, beside the official compiler and bare numpy.

    python -m benchmarks [--sources DIR] [--official FILE]

Without arguments the shipped examples are measured. `--sources` names a checkout of hicann/pypto, whose example scripts
are measured instead; `--official` a record of the official compiler's times for them (from the same machine, if the
ratio is to mean anything).
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from pathlib import Path

from rich.console import Console

from . import edits, kernels, tiles

_EXAMPLES = (
    "00_hello_world/hello_world.py",
    "01_beginner/basic/basic_ops.py",
    "01_beginner/compute/elementwise_ops.py",
    "01_beginner/compute/matmul_ops.py",
    "01_beginner/compute/reduce_ops.py",
    "01_beginner/tiling/tiling_config.py",
    "01_beginner/transform/transform_ops.py",
    "01_beginner/transform/add_scalar_loop_view_assemble.py",
    "02_intermediate/operators/softmax/softmax.py",
    "02_intermediate/operators/activation/activation.py",
    "02_intermediate/basic_nn/layer_normalization/layer_norm.py",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--official", type=Path)
    options = parser.parse_args()
    if options.sources is not None:
        scripts = [options.sources / "examples" / name for name in _EXAMPLES]
    else:
        scripts = sorted(Path(__file__).parents[1].joinpath("examples").glob("*.py"))
    console = Console(width=150)
    console.rule("cold compile and run")
    if importlib.util.find_spec("torch") is None:
        console.print("torch is not installed: the scripts cannot run")
    else:
        kernels.report(scripts, options.official, console)
    console.rule("recompile after a one-line edit")
    edits.report(scripts, options.official, console)
    console.rule("compile time over the number of tiles")
    with tempfile.TemporaryDirectory() as folder:
        tiles.report(Path(folder), console)


if __name__ == "__main__":
    main()
