"""The example and the benchmarks run, in small."""

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent


def run(script: str, *options: str) -> str:
    command = [sys.executable, str(PACKAGE / script), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_flock_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / "flock.png"
    assert "500 birds" in run("examples/flock.py", "--birds", "500", "--ticks", "3", "--picture", str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_circles_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / "circles.png"
    printed = run("examples/circles.py", "--taxis", "500", "--ticks", "4", "--picture", str(picture))
    assert "of the circles have come or gone" in printed and picture.read_bytes().startswith(b"\x89PNG")


def test_contenders_answer_alike() -> None:
    pytest.importorskip("scipy", reason="scipy is not installed")
    # Any title; nothing is written.
    table = run("benches/compare.py", "2000", "--rounds", "1", "--only", "")
    assert "| nearest 1 |" in table and "| tick on a torus, 6 neighbours |" in table
