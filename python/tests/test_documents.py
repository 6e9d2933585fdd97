"""What the documentation says of Python runs: notebooks, the page for Python, the environment."""

import re
import sys
from pathlib import Path

import pytest

import petrio

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("notebook", sorted(path.name for path in (DOCS / "notebooks").glob("*.ipynb")))
def test_notebooks_run(notebook):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("pandas"), pytest.importorskip("matplotlib"), pytest.importorskip("optuna")
    if sys.platform == "win32":
        pytest.skip("notebooks of Unix")
    book = nbformat.read(DOCS / "notebooks" / notebook, as_version=4)
    nbclient.NotebookClient(book, timeout=500, kernel_name="python3", resources={"metadata": {"path": str(DOCS / "notebooks")}}).execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in shown) or notebook == "replication.ipynb"


def test_the_first_lines_run(monkeypatch, tmp_path):
    monkeypatch.chdir(DOCS.parent)
    page = (DOCS / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    shown: dict = {"petrio": petrio}
    # Studies of many runs are tried with shorter ones (test_studies); files that aren't there stand for the reader's.
    first = [line for line in blocks[0].splitlines() if not line.startswith(("petrio.explain", "petrio.load", "petrio.compare"))]
    assert len(first) == len(blocks[0].splitlines()) - 3
    exec("\n".join(first), shown)
    assert len(shown["swept"]) == 3
    exec(blocks[1], shown)
    exec(blocks[2], shown)
    engine = next(block for block in blocks if "petrio.Engine(" in block)
    exec(engine, shown)
    assert shown["at"] > 0


def test_policies_that_the_page_writes_run(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "writing-a-policy.md").read_text(), re.DOTALL)
    shown: dict = {"petrio": petrio}
    for block in blocks:
        exec(block, shown)
    assert shown["own"].own_calls[0] > 100
    assert shown["scanned"].own_calls[0] > 100
    assert shown["copied"].own_calls[0] > 100


def test_the_environment_rewards_reading_ahead_within_reason(monkeypatch):
    pytest.importorskip("gymnasium")
    monkeypatch.syspath_prepend(str(DOCS / "notebooks"))
    import read_ahead_env
    from gymnasium.utils.env_checker import check_env

    check_env(read_ahead_env.ReadAhead(), skip_render_check=True)
    none, _ = read_ahead_env.episode(lambda _: 0)
    some, _ = read_ahead_env.episode(lambda _: 2)
    assert some > none
    assert read_ahead_env.AHEAD[read_ahead_env.learnt(8)] > 0
