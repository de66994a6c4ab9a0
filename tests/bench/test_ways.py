"""Are the ways of Python what they say, and does dtlint judge the programs around them as they run?"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from bench.ways.__main__ import checked, failures, misjudged
from bench.ways.play import parted
from bench.ways.ways import FOLDER, PARAMETERS, Way, ways
from bench.ways.write import DRAWN, Program, carrying_things, chained, single

FEW = 24  # one of so many programs is judged in the fast suite
THINGS = 4  # and one of so many that carry things in the slow one


def functions(kind: str) -> list[tuple[Way, Callable[..., Any]]]:
    modules = {way.module: importlib.import_module(f"bench.ways.{kind}.{way.module}") for way in ways(kind)}
    return [(way, getattr(modules[way.module], way.function)) for way in ways(kind)]


@pytest.mark.parametrize("given", (True, False))
@pytest.mark.parametrize("other", (True, False))
def test_what_is_carried_arrives(given: bool, other: bool) -> None:
    wrong = [way.name for way, function in functions("carried") if bool(function(given, other)) is not given]
    assert wrong == []


@pytest.mark.parametrize("given", (True, False))
@pytest.mark.parametrize("kind", ("decided", "anyway"))
def test_the_call_is_made_where_it_is_said(kind: str, given: bool, capsys: pytest.CaptureFixture[str]) -> None:
    for way, function in functions(kind):
        calls: list[int] = []
        function(given, lambda calls=calls: calls.append(1))
        assert len(calls) == (1 if kind == "anyway" else int(given)), way.name


def test_every_function_that_looks_like_a_way_is_one() -> None:
    for kind, parameters in PARAMETERS.items():
        for module in {way.module for way in ways(kind)}:
            members = vars(importlib.import_module(f"bench.ways.{kind}.{module}")).values()
            own = [one for one in members if inspect.isfunction(one) and one.__module__.endswith(module)]
            count = sum(tuple(inspect.signature(one).parameters) == parameters for one in own)
            assert count == sum(way.module == module for way in ways(kind))


def test_labels_are_what_four_ranks_do() -> None:
    programs = (*single(), *single(DRAWN), *chained(range(200)))
    assert [one.name for one in programs if parted(one.source) is not one.wrong] == []


def test_some_are_judged_as_they_run(tmp_path: Path) -> None:
    judged(list(single())[::FEW], tmp_path)


@pytest.mark.slow
def test_all_are_judged_as_they_run(tmp_path: Path) -> None:
    wrong = judged([*single(), *chained(range(300)), *list(carrying_things())[::THINGS]], tmp_path)
    assert sorted({name for one in wrong for name in known() if one.name.startswith(f"{name}_")}) == sorted(known())


@pytest.mark.slow
def test_all_are_judged_where_each_rank_draws(tmp_path: Path) -> None:
    told, answer = checked(programs := list(single(DRAWN)), tmp_path)
    assert failures(answer) == []
    wrong = {one.name.rsplit("_", 2)[0] for one in misjudged(programs, told)} - set(known())
    assert sorted(wrong) == sorted(known("drawn.txt"))


def judged(programs: list[Program], folder: Path) -> list[Program]:
    told, answer = checked(programs, folder)
    assert failures(answer) == []
    wrong = misjudged(programs, told)
    assert [one.name for one in wrong if not is_known(one)] == []
    return wrong


def is_known(one: Program) -> bool:
    by_its_way = (f"def {name.split('_', 2)[2]}(" in one.source or one.name.startswith(f"{name}_") for name in known())
    return one.name in known("things.txt") or any(by_its_way)


def known(name: str = "known.txt") -> Iterable[str]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
