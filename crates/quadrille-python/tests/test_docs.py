"""The Python blocks of the README and of the guide's pages run.

A page is one program. Each section "From …" is a program of its own, after the rest.
"""

from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent
GUIDE = PACKAGE / "../../docs/guide"
PAGES = [PACKAGE / "README.md", GUIDE / "python.md", GUIDE / "globes.md"]


def sections(page: Path) -> dict[str, list[tuple[int, str]]]:
    """The blocks by section, each with the number of its line."""
    title = ""
    blocks: dict[str, list[tuple[int, str]]] = {title: []}
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("## "):
            title = line.removeprefix("## ")
            blocks[title] = []
        if line == "```python":
            end = lines.index("```", number)
            blocks[title].append((number, "\n".join(lines[number + 1 : end])))
    return blocks


def programs() -> list[object]:
    found = []
    for page in PAGES:
        parts = sections(page)
        main = [block for title, blocks in parts.items() if not title.startswith("From ") for block in blocks]
        found.append(pytest.param(page, main, id=page.stem))
        for title, blocks in parts.items():
            if title.startswith("From ") and blocks:
                found.append(pytest.param(page, main + blocks, id=f"{page.stem}: {title}"))
    return found


@pytest.mark.parametrize(("page", "blocks"), programs())
def test_blocks_run(page: Path, blocks: list[tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if any("import shapely" in block for _, block in blocks):
        pytest.importorskip("shapely")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for number, block in blocks:
        # Empty lines before it make errors point into the page.
        code = compile("\n" * (number + 1) + block, str(page), "exec")
        exec(code, names)
