"""Do the fifteen situations really behave as their expectation says?"""

from __future__ import annotations

import pytest

from bench.mbi.simulate import simulate
from bench.parcoach15.__main__ import Situation, situations


def test_there_are_fifteen_of_them_each_with_a_program() -> None:
    every = situations()
    assert len({one.file for one in every}) == 15
    assert {one.file for one in every} == {path.name for path in every[0].source.parent.glob("*.py")}
    assert 5 <= sum(not one.lines for one in every) <= 10


@pytest.mark.parametrize("situation", situations(), ids=lambda one: one.file)
def test_four_simulated_ranks_agree_with_the_expectation(situation: Situation) -> None:
    world = simulate(situation.source.read_text(encoding="utf-8"))
    assert (world.verdict == "finished") is not bool(situation.lines), world.reason
    assert world.verdict != "crash", world.reason
