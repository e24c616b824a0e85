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
    """What a stub names in public, and its docstrings: of each name the last one."""
    for node in body:
        # A protocol is nothing of the module.
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            thing = getattr(owner, node.name)
            yield f"{getattr(owner, '__name__', '')}.{node.name}", inspect.getdoc(thing), ast.get_docstring(node)
            if isinstance(node, ast.ClassDef):
                yield from documented(node.body, thing)


def test_all_is_documented_and_a_packed_stub_says_the_same():
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    texts = {name: (found, packed) for name, found, packed in documented(stub.body, _core)}
    assert len(texts) > 80
    for name, (found, packed) in texts.items():
        assert found, name
        # Written there by `.ci/documented`.
        assert packed in (None, found), name
