"""Progress on a terminal, in a notebook, and without either."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tutelage as tut
from conftest import SMALL, Line, brake

SETTINGS: dict[str, Any] = {**{name: value for name, value in SMALL.items() if name != "progress"}, "horizon": 60}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(monkeypatch: pytest.MonkeyPatch, dir: Path, stream: io.StringIO, **settings: Any) -> str:
    """The standard error of a run."""
    monkeypatch.setattr(sys, "stderr", stream)
    tut.learn(Line, brake, dir=dir, **{**SETTINGS, **settings})
    monkeypatch.undo()
    return stream.getvalue()


@pytest.fixture
def no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)


def test_no_progress_without_a_terminal(no_notebook: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert told(monkeypatch, tmp_path / "a", io.StringIO()) == ""
    assert told(monkeypatch, tmp_path / "b", Terminal(), progress=False) == ""


def test_a_terminal_shows_a_bar(no_notebook: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("tqdm")
    text = told(monkeypatch, tmp_path / "run", Terminal(), rounds=2)
    assert "2/2" in text
    assert "annotations=24" in text
    assert "the expert earns" in text
    more = told(monkeypatch, tmp_path / "run", Terminal(), rounds=3)
    assert "3/3" in more
    assert "1/3" not in more, "a resumed run does not start at 0"


def test_a_notebook_shows_a_bar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    assert "3/3" in told(monkeypatch, tmp_path / "run", io.StringIO())


def test_progress_is_lines_without_tqdm(no_notebook: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    lines = told(monkeypatch, tmp_path / "run", io.StringIO(), progress=True).splitlines()
    assert lines[0].startswith("the expert earns")
    assert [line[:10] for line in lines[1:]] == ["round  1/3", "round  2/3", "round  3/3"]
    assert "12 annotations  reward" in lines[1]


@pytest.mark.parametrize("place", ["terminal", "notebook", "nowhere"])
def test_a_sweep_shows_progress(place: str, no_notebook: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stream = Terminal() if place == "terminal" else io.StringIO()
    if place == "notebook":
        monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    monkeypatch.setattr(sys, "stderr", stream)
    tut.sweep(Line, expert=lambda env: brake, dir=tmp_path / "runs", concurrency=1, **{**SETTINGS, "rounds": 1})
    monkeypatch.undo()
    assert ("1 runs, 1 to do" in stream.getvalue()) == (place != "nowhere")
