"""The examples run, and print the documented results."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tutelage as tut
from tutelage import _native

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["docs/PYTHON.md", "README.md"])
def test_examples_of_a_page_run(page: str, tmp_path: Path) -> None:
    found = blocks(page)
    assert found
    program = tmp_path / "page.py"
    program.write_text("\n".join(found))
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_documented_defaults_of_learn_are_right() -> None:
    text = re.sub(r"^    ", "", inspect.cleandoc(tut.learn.__doc__ or ""), flags=re.MULTILINE)
    documented = dict(re.findall(r"^(\w+): (?:(?!^\w+: ).)*?Default:\s+``([^`]+)``\.", text, re.MULTILINE | re.DOTALL))
    assert documented == {name: str(value) for name, value in _native.defaults().items()}


def test_a_small_example_runs(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "python/examples/cart_pole.py"), str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "the expert earns 500.0" in done.stdout
    assert (tmp_path / "run" / "policy.onnx").exists()


# The unchanged example with less training and evaluation.
SMALLER = """
import runpy, sys
from pathlib import Path
import tutelage as tut
learn, evaluate = tut.learn, tut.evaluate
little = {"rounds": 2, "states_per_round": 10, "episodes": 1, "budget": "iterations=20"}
tut.learn = lambda *given, **settings: learn(*given, **{**settings, **little})
tut.evaluate = lambda *given, **settings: evaluate(*given, **{**settings, "episodes": 2})
del sys.argv[0]
sys.path.insert(0, str(Path(sys.argv[0]).parent))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_smaller(example: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", SMALLER, str(ROOT / "python" / "examples" / example), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pendulum_example(tmp_path: Path) -> None:
    told = run_smaller("pendulum.py", tmp_path, "runs")
    assert [line.split()[0] for line in told.splitlines()[:4]] == ["bc", "dagger", "bd-5", "mp-5(50)"]
    assert told.count("the members differ by") == 9


def test_planner_example(tmp_path: Path) -> None:
    told = run_smaller("planner.py", tmp_path, "runs")
    milliseconds = [float(line.split()[1]) for line in told.splitlines() if line.endswith("ms a decision")]
    assert len(milliseconds) == 2
    assert milliseconds[1] < milliseconds[0]


def test_four_tasks_example(tmp_path: Path) -> None:
    lines = run_smaller("four_tasks.py", tmp_path, "runs").splitlines()
    assert len(lines) == 12
    for line in lines:
        learned, expert, chance, share = (
            float(number) for number in re.findall(r"(?:seed \d: +|expert +|chance +|: +(?=-?\d+ %))(-?[\d.]+)", line)
        )
        assert share == pytest.approx(100 * (learned - chance) / (expert - chance), abs=1)


def test_mujoco_example(tmp_path: Path) -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    pytest.importorskip("mujoco")
    sb3.SAC("MlpPolicy", "Hopper-v5", seed=1).save(tmp_path / "model.zip")
    assert "after 20 annotations" in run_smaller("hopper_mujoco.py", tmp_path, "model.zip", "runs")
    assert (tmp_path / "runs" / "policy.onnx").exists()
