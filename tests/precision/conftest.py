"""The PTO programs by hand are those of the machine's tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "machine"))
