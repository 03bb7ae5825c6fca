"""Modules of a workspace are evaluated from their source, on demand and once; foreign modules are Unknown."""

from __future__ import annotations

from evaluation import Workspace, program
from ptoscope_compiler.evaluate.values import is_unknown


def test_names_come_from_other_modules_in_every_form_of_import() -> None:
    workspace = Workspace(
        {
            "program": """
                import package.shapes
                import package.shapes as aliased
                from package import shapes, SIZE
                from package.shapes import rows as height
                from package.deep.inner import double
                from package.shapes import *
                def f():
                    return (package.shapes.rows, aliased.rows, shapes.columns, SIZE, height, double(4), columns,
                            package.shapes.scaled(3))
            """,
            "package": "SIZE = 64",
            "package.shapes": "__all__ = ['columns']\nrows = 8\ncolumns = 16\ndef scaled(n): return n * rows",
            "package.deep": "",
            "package.deep.inner": (
                "from ..shapes import rows\nfrom .. import SIZE\ndef double(n): return n * 2 + rows + SIZE"
            ),
        }
    )
    assert workspace.call("f") == (8, 8, 16, 64, 8, 80, 16, 24)
    assert workspace.findings == []


def test_modules_that_import_each_other_are_evaluated() -> None:
    workspace = Workspace(
        {
            "program": "import other\nbase = 3\ndef f(): return other.g()\ndef own(): return base",
            "other": "import program\ndef g(): return program.own() + 1",
        }
    )
    assert workspace.call("f") == 4


def test_a_module_is_evaluated_once() -> None:
    workspace = Workspace(
        {
            "program": "import state\nimport user\ndef f():\n    state.items.append(2)\n    return user.count()",
            "user": "import state\ndef count(): return len(state.items)",
            "state": "items = [1]",
        }
    )
    assert workspace.call("f") == 2


def test_a_foreign_module_is_unknown_and_no_finding() -> None:
    workspace = program(
        "import foreign\nfrom foreign.part import thing\nclass C(foreign.Base): pass\ndef f(): return thing(C().x)"
    )
    assert is_unknown(workspace.call("f"))
    assert workspace.findings == []


def test_a_name_missing_from_a_module_of_the_workspace_is_found_where_it_is_used() -> None:
    workspace = Workspace({"program": "import other\ndef f(): return other.missing", "other": "here = 1"})
    workspace.call("f")
    assert [finding.message() for finding in workspace.findings] == ["module 'other' has no attribute 'missing'"]


def test_a_mistake_at_the_top_of_a_module_does_not_hide_the_rest() -> None:
    workspace = program("broken = undefined_name + 1\nfine = 2\ndef f(): return fine")
    assert workspace.call("f") == 2


def test_environment_variables_are_unknown_unless_configured() -> None:
    text = """
        import os
        def f():
            return os.environ.get('DEVICE'), os.environ['MODE'], 'MODE' in os.environ, os.getenv('DEVICE', 'none')
        """
    device, mode, is_set, default = program(text, variables={"MODE": "sim"}).call("f")
    assert (mode, is_set) == ("sim", True)
    assert is_unknown(device)
    assert is_unknown(default)


def test_a_script_is_taken_to_run_without_arguments() -> None:
    workspace = program(
        """
        import argparse, sys
        def f():
            parser = argparse.ArgumentParser(description='x')
            parser.add_argument('example', nargs='?')
            parser.add_argument('input')
            parser.add_argument('-n', '--rows-count', type=int, default=4)
            parser.add_argument('--list', action='store_true')
            args = parser.parse_args()
            if args.list:
                sys.exit(0)
            return args.example, args.rows_count, args.list, args.input, len(sys.argv)
        """
    )
    example, rows, listed, given, count = workspace.call("f")
    assert (example, rows, listed, count) == (None, 4, False, 1)
    assert is_unknown(given)


def test_host_code_is_cut_where_a_loop_takes_too_long_and_goes_on_behind_it() -> None:
    workspace = program(
        """
        reached = []
        def f():
            total = 0
            for i in range(10 ** 9):
                total += i
            n = 0
            while n < 10 ** 9:
                n += 1
            reached.append(1)
            return total
        """
    )
    from ptoscope_compiler.evaluate.values import Arguments

    assert is_unknown(workspace.environment.call(workspace.module().scope.variables["f"], Arguments()))
    assert workspace.module().scope.variables["reached"] == [1]
