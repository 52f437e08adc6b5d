"""The stubs have what the modules have."""

import ast
import pathlib

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "rooftile"
STUBBED = sorted(path.stem for path in PACKAGE.glob("*.pyi") if path.stem != "_core")


def names_of(tree):
    """Functions and methods with the names of their parameters, properties without."""
    found = {}

    def visit(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                is_property = any(getattr(one, "id", "") == "property" for one in node.decorator_list)
                arguments = node.args
                every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
                found[prefix + node.name] = None if is_property else [one.arg for one in every if one]
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and prefix:
                if getattr(node.value.func, "id", "") == "property":
                    found[prefix + node.targets[0].id] = None

    visit(tree.body, "")
    public = {}
    for name, parameters in found.items():
        last = name.split(".")[-1]
        if last in ("__init__", "_repr_html_") or not last.startswith("_"):
            public[name] = parameters
    return public


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize("module", STUBBED)
def test_a_stub_has_the_names_of_its_module(module):
    assert names_of(parsed(PACKAGE / f"{module}.pyi")) == names_of(parsed(PACKAGE / f"{module}.py"))


def test_python_3_9_reads_every_module():
    for path in PACKAGE.rglob("*.py"):
        parsed(path)
