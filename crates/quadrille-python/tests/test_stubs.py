"""The stubs say what the module does, and type checkers accept programs by them."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pyquadrille
import pytest
from pyquadrille import _core

PACKAGE = Path(pyquadrille.__file__).parent
HERE = Path(__file__).parent


def run(*command):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=HERE / "typing")
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_accepts_the_example():
    pytest.importorskip("mypy")
    run("mypy", "--strict", "--warn-unused-ignores", "example.py")


def test_stubs_have_the_signatures_of_the_module():
    pytest.importorskip("mypy")
    run("mypy.stubtest", "pyquadrille._core", "--ignore-missing-stub", "--allowlist", "allowed.txt")


def documented(body, owner):
    """The docstrings of a stub: of each name the last one that has one."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            text = ast.get_docstring(node)
            if text and node.name != "__new__":
                yield getattr(owner, node.name), f"{getattr(owner, '__name__', '')}.{node.name}", text
        # A protocol is nothing of the module.
        if isinstance(node, ast.ClassDef) and hasattr(owner, node.name):
            yield from documented(node.body, getattr(owner, node.name))


def test_docstrings_are_those_of_the_stubs():
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    texts = {name: (inspect.getdoc(thing), text) for thing, name, text in documented(stub.body, _core)}
    assert len(texts) > 80
    for name, (found, expected) in texts.items():
        assert "__" in name or found == expected, name
