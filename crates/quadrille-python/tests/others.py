"""Tests of other packages, from their source distributions, run here unchanged."""

import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

PLUGINS = Path(__file__).parent / "plugins"


def cache(request: pytest.FixtureRequest, without: Path) -> Path:
    """Where source distributions are kept; a folder of the test if pytest keeps nothing (`-p no:cacheprovider`)."""
    known = getattr(request.config, "cache", None)
    return without if known is None else Path(known.mkdir("sources"))


def sources(package: str, version: str, cache: Path) -> tarfile.TarFile:
    """The source distribution of a package. Skips the test if it cannot be downloaded."""
    pattern = f"{package}-{version}.tar.gz"
    if not list(cache.glob(pattern)):
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package]
        done = subprocess.run(
            [*download, "--dest", str(cache), f"{package}=={version}"], capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"{package} {version} cannot be downloaded: {done.stderr.strip().splitlines()[-1]}")
    (archive,) = cache.glob(pattern)
    return tarfile.open(archive)


def run(archive: tarfile.TarFile, test: str, plugin: str, into: Path) -> Counter[str]:
    """Runs one file of tests with a plugin of ours, and returns how many passed, xfailed and so on.

    Only the folder of the tests is unpacked: beside it lies the package without what must be compiled.
    """
    with archive:
        (folder,) = {PurePosixPath(name).parent for name in archive.getnames() if name.endswith(f"/{test}")}
        members = [member for member in archive if member.name.startswith(f"{folder}/")]
        archive.extractall(into, members, filter="data")
    return run_in(into / folder, test, plugin)


def run_in(folder: Path, test: str, plugin: str) -> Counter[str]:
    """The same for a file in a folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider", test]
    paths = os.pathsep.join([str(PLUGINS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.strip().splitlines()[-1]
    return Counter({name: int(count) for count, name in re.findall(r"(\d+) (\w+)", last)})
