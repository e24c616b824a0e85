"""The Python blocks of the README and of the guide's page run, section by section, each after the blocks of the page's beginning."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent
PAGES = [PACKAGE / "README.md", PACKAGE / "../../docs/guide/python.md"]
OPTIONAL = {"matplotlib", "mesa", "rtree", "scipy", "shapely"}


def sections(page: Path) -> dict[str, list[tuple[int, str]]]:
    """The blocks by section, each with the number of its line."""
    title, blocks = "", {"": []}
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("## "):
            title = line[3:]
            blocks[title] = []
        if line == "```python":
            end = lines.index("```", number)
            blocks[title].append((number, "\n".join(lines[number + 1 : end])))
    return blocks


def programs() -> list[object]:
    """A program for each section with blocks."""
    return [
        pytest.param(page, title, id=f"{page.name}-{re.sub('[^a-z]+', '-', title.lower())}")
        for page in PAGES
        if page.exists()
        for title, blocks in sections(page).items()
        if blocks
    ]


@pytest.mark.parametrize(("page", "title"), programs())
def test_blocks_run(page: Path, title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = sections(page)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {"__name__": "page"}
    for number, block in blocks[""] + (blocks[title] if title else []):
        # Empty lines before it make errors point into the page.
        code = compile("\n" * (number + 1) + block, str(page), "exec")
        try:
            exec(code, names)
        except ModuleNotFoundError as error:
            if error.name is not None and error.name.split(".")[0] in OPTIONAL:
                pytest.skip(f"{error.name} is not installed")
            raise
