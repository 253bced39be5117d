"""The pages' examples run, and what they say comes out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["docs/PYTHON.md", "README.md"])
def test_the_examples_of_a_page_run_one_after_another(page: str, tmp_path: Path) -> None:
    found = blocks(page)
    assert found
    program = tmp_path / "page.py"
    program.write_text("\n".join(found))
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_small_example_runs(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "python/examples/cart_pole.py"), str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "the expert earns 500.0" in done.stdout
    assert (tmp_path / "run" / "policy.onnx").exists()
