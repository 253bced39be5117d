"""A person as the expert: a script opens the page like a browser, and answers there."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control.cartpole import CartPoleEnv

import tutelage as tut
from conftest import balance


class Visitor:
    """A client of the page, with its cookie."""

    def __init__(self, url: str) -> None:
        self.base, token = url.split("/?token=")
        self.headers = {"Cookie": f"tutelage-{self.base.rsplit(':', 1)[1]}={token}", "Origin": self.base}

    def ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.headers, "Content-Type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def until(self, holds: Callable[[Any], bool]) -> Any:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            state = self.ask("/api/state")[1]
            if holds(state):
                return state
            time.sleep(0.02)
        raise AssertionError(f"waited in vain: {state}")

    def answer(self, question: Any, action: list[float]) -> Any:
        body = {
            "ticket": question["ticket"],
            "id": f"of {question['ticket']}",
            "what": "answer",
            "action": action,
            "before": question["standing"],
            "seconds": 1.0,
        }
        status, told = self.ask("/api/reply", body)
        assert status == 200, told
        return told


class DrawnCart(CartPoleEnv):
    """CartPole, rendered without any library."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self) -> None:
        super().__init__(render_mode="rgb_array")

    def render(self) -> Any:
        picture = np.full((60, 120, 3), 255, np.uint8)
        place, angle = float(self.state[0]), float(self.state[2])
        for height in np.linspace(0, 1, 80):
            column = int(np.clip(60 + 20 * place + 40 * height * np.sin(angle) * 4, 0, 119))
            picture[int(55 - 45 * height), column] = (200, 100, 0)
        picture[55:, int(np.clip(50 + 20 * place, 0, 100)) :][:, :20] = 0
        return picture


class Lesson:
    """A call of `learn` in a thread, and a client of its page."""

    def __init__(self, env: Any, dir: Path, person: tut.Person, **more: Any) -> None:
        self.person, self.run, self.error = person, None, None
        arguments = {"dir": dir, "hidden": (8,), "budget": "iterations=200", "episodes": 2, "progress": False, **more}

        def learn() -> None:
            try:
                self.run = tut.learn(env, person, **arguments)
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=learn, daemon=True)
        self.thread.start()
        while person.url is None and self.thread.is_alive():
            time.sleep(0.01)
        if self.error is not None:
            raise self.error
        self.visitor = Visitor(person.url)

    def end(self) -> tut.Run:
        self.thread.join(120)
        if self.error is not None:
            raise self.error
        self.person.close()
        return self.run


def teach_all(lesson: Lesson, decide: Callable[[Any], list[float]]) -> list[str]:
    """Answers every question until the lesson is over."""
    answered: list[str] = []
    while True:
        state = lesson.visitor.until(lambda s: s["phase"] == "finished" or (s["phase"] == "asking" and s["question"]))
        if state["phase"] == "finished":
            return answered
        question = state["question"]
        if question["ticket"] not in answered:
            lesson.visitor.answer(question, decide(question))
            answered.append(question["ticket"])


def by_rule(question: Any) -> list[float]:
    return [float(balance(np.array([question["state"]], np.float32))[0])]


def test_a_person_teaches_on_the_page(tmp_path: Path) -> None:
    person = tut.Person(repeat_every=0, undo_seconds=0.0, action_names=["push left", "push right"], goal="balance the pole")
    lesson = Lesson(DrawnCart, tmp_path, person, horizon=200, algorithm="bd-2", rounds=2, states_per_round=6)
    visitor = lesson.visitor
    state = visitor.until(lambda s: s["phase"] == "asking" and s["question"])
    assert state["controls"] == {"choice": ["push left", "push right"]}
    assert (state["task"], state["aim"], state["pace"]) == ("DrawnCart", "balance the pole", 0.02)
    status, clip = visitor.ask("/api/clip/1/0")
    assert status == 200
    assert len(clip["images"]) > clip["here"] > 0
    first, here = clip["images"][0], clip["images"][clip["here"]]
    assert base64.b64decode(here.split(",")[1])[:4] == b"\x89PNG"
    assert here != first
    ways = [visitor.ask("/api/preview", {"round": 1, "row": 0, "action": [side], "then": "hold"})[1] for side in (0, 1)]
    assert ways[0]["images"][0] == ways[1]["images"][0] == here
    assert ways[0]["images"][3] != ways[1]["images"][3], "left is not right"
    answered = teach_all(lesson, by_rule)
    assert len(answered) == 12
    assert visitor.ask("/api/film")[1]["images"]
    assert visitor.ask("/api/training")[1]["share"] == 1.0
    run = lesson.end()
    assert run.finished
    assert len(run.data) == 12
    np.testing.assert_array_equal(run.data.actions, balance(run.data.states))
    with pytest.raises(urllib.error.URLError):
        visitor.ask("/api/state")


def test_the_page_resumes_at_the_same_question_after_a_kill(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    arguments: Any = {"horizon": 200, "algorithm": "dagger", "rounds": 1, "states_per_round": 5}
    lesson = Lesson(DrawnCart, whole, tut.Person(repeat_every=0, undo_seconds=0.0), **arguments)
    teach_all(lesson, by_rule)
    lesson.end()

    program = (
        f"import sys, tutelage as tut; sys.path.insert(0, {str(Path(__file__).parent)!r}); from test_person import DrawnCart; "
        "tut.learn(DrawnCart, tut.Person(repeat_every=0), dir=sys.argv[1], hidden=(8,), budget='iterations=200', episodes=2, "
        "progress=False, horizon=200, algorithm='dagger', rounds=1, states_per_round=5)"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(parts)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url = next(line.strip() for line in process.stdout if "http://" in line)
    visitor = Visitor(url)
    for row in range(2):
        question = visitor.until(lambda s, row=row: s["question"] and s["question"]["ticket"] == f"1.{row}")["question"]
        visitor.answer(question, by_rule(question))
    with pytest.raises(tut.StoreError):
        Lesson(DrawnCart, parts, tut.Person(), **arguments)
    process.kill()
    process.wait()

    lesson = Lesson(DrawnCart, parts, tut.Person(repeat_every=0, undo_seconds=0.0), **arguments)
    assert lesson.visitor.until(lambda s: s["question"])["question"]["ticket"] == "1.2"
    assert teach_all(lesson, by_rule) == ["1.2", "1.3", "1.4"]
    lesson.end()
    assert (whole / "log.bin").read_bytes() == (parts / "log.bin").read_bytes()
    # The same call returns the finished run without questions.
    again = tut.learn(
        DrawnCart, tut.Person(), dir=parts, hidden=(8,), budget="iterations=200", episodes=2, progress=False, **arguments
    )
    assert again.finished


class Pen(gym.Env[Any, Any]):
    """Two numbers move a dot, and the third sets its color."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, render_mode: str | None = "rgb_array") -> None:
        self.render_mode = render_mode
        self.observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)
        self.action_space = spaces.Box(np.array([-1, -2, 0], np.float32), np.array([1, 2, 4], np.float32))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 3).astype(np.float32)
        return self.state, {}

    def step(self, action: Any) -> Any:
        self.state = (0.9 * self.state + 0.1 * action).astype(np.float32)
        return self.state, -float(np.abs(self.state).sum()), False, False, {}

    def render(self) -> Any:
        picture = np.zeros((900, 600, 3), np.uint8)
        x, y = (np.clip(self.state[:2], -1, 1) * 250 + 300).astype(int)
        picture[y : y + 60, x : x + 60] = (255, 128, int(np.clip(100 + 50 * self.state[2], 0, 255)))
        return picture


def test_boxes_become_sliders_and_images_are_downsampled(tmp_path: Path) -> None:
    labels = [("left", "right"), ("up", "down"), ("less", "more")]
    person = tut.Person(repeat_every=0, undo_seconds=0.0, action_names=["x", "y", "blue"], bound_labels=labels)
    lesson = Lesson(Pen, tmp_path, person, horizon=30, algorithm="bd-2", rounds=1, states_per_round=3)
    state = lesson.visitor.until(lambda s: s["phase"] == "asking" and s["question"])
    axes = state["controls"]["axes"]
    assert [(axis["name"], axis["low"], axis["high"]) for axis in axes] == [("x", -1, 1), ("y", -2, 2), ("blue", 0, 4)]
    assert (axes[1]["low_label"], state["pace"]) == ("up", 0.1)
    png = base64.b64decode(lesson.visitor.ask("/api/clip/1/0")[1]["images"][0].split(",")[1])
    assert int.from_bytes(png[16:20], "big") == 300
    assert int.from_bytes(png[20:24], "big") == 450
    outside = {"ticket": "1.0", "id": "x", "what": "answer", "action": [0, 3, 0], "before": "open", "seconds": 1}
    assert lesson.visitor.ask("/api/reply", outside)[0] == 422
    assert lesson.visitor.ask("/api/reply", {**outside, "action": [0, 1]})[0] == 422
    teach_all(lesson, lambda question: [0.5, -1.0, 3.0])
    run = lesson.end()
    np.testing.assert_array_equal(run.data.actions, [[0.5, -1.0, 3.0]] * 3)


def test_a_person_teaches_an_environment_by_id(tmp_path: Path) -> None:
    person = tut.Person(repeat_every=0, undo_seconds=0.0)
    lesson = Lesson("tutelage/HopperBullet-v0", tmp_path, person, rounds=1, states_per_round=1)
    state = lesson.visitor.until(lambda s: s["phase"] == "asking" and s["question"])
    assert [axis["name"] for axis in state["controls"]["axes"]] == ["number 1", "number 2", "number 3"]
    assert lesson.visitor.ask("/api/clip/1/0")[1]["images"]
    teach_all(lesson, lambda question: question["intended"])
    assert len(lesson.end().data) == 1


def test_a_person_takes_over(tmp_path: Path) -> None:
    person = tut.Person(step_seconds=0.005)
    arguments: Any = {"rounds": 1, "states_per_round": 4, "sampling": "stride(3)", "horizon": 40}
    lesson = Lesson(Pen, tmp_path, person, algorithm="take-over-1", **arguments)
    lesson.visitor.until(lambda s: s["phase"] == "driving")
    number = 0

    def drive(state: Any) -> bool:
        nonlocal number
        number += 1
        lesson.visitor.ask("/api/live", {"number": number, "running": True, "action": [0.5, 1, 2]})
        return state["phase"] == "finished"

    lesson.visitor.until(drive)
    run = lesson.end()
    assert run.finished
    np.testing.assert_array_equal(run.data.actions, [[0.5, 1, 2]] * 4)
    assert (tmp_path / "takeover.jsonl").exists()


def test_invalid_environments_and_settings_of_a_person_raise(tmp_path: Path) -> None:
    with pytest.raises(tut.SpecError, match='render_mode="rgb_array"'):
        tut.learn(lambda: Pen(None), tut.Person(), dir=tmp_path / "a", horizon=9)
    with pytest.raises(tut.SpecError, match="action_names has 1 entries, expected 2"):
        tut.learn("CartPole-v1", tut.Person(action_names=["left"]), dir=tmp_path / "b")
    with pytest.raises(tut.SpecError, match="bound_labels has 1 entries, expected 3"):
        tut.learn(Pen, tut.Person(bound_labels=[("a", "b")]), dir=tmp_path / "c", horizon=9)
    with pytest.raises(tut.SpecError, match="give an id, or a factory"):
        tut.learn(Pen(), tut.Person(), dir=tmp_path / "d", horizon=9)
    with pytest.raises(tut.ExpertError):
        tut.learn(Pen, tut.Person(), dir=tmp_path / "e", horizon=9, algorithm="bc", rounds=1)
    for name, value in [("port", 70000), ("repeat_every", -1), ("undo_seconds", -1.0), ("step_seconds", 0.0)]:
        with pytest.raises(tut.SpecError, match=f"{name} = "):
            tut.Person(**{name: value})
    assert not (tmp_path / "a").exists()
