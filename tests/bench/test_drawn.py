"""Do the played ranks of drawn programs and dtlint agree?"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.drawn.__main__ import count
from bench.drawn.draw import program
from bench.drawn.play import Verdict, all_come, verdict
from bench.drawn.vocabulary import CLASS, FUNCTIONS, TAIL, Vocabulary
from bench.running import check

MISSED: tuple[int, ...] = ()
FALSE_ALARMS: tuple[int, ...] = ()


def written(words: Vocabulary, helper: str, body: str) -> str:
    """A program with one helper of interest and this main part."""
    inner = "    " * words.depth
    first, second = words.definitions
    lines = (first, f"{inner}{helper}", "", second, f"{inner}return True", "", words.main, f"{inner}{body}")
    return words.before + "\n".join(lines) + words.after


@pytest.mark.parametrize("words", [FUNCTIONS, CLASS], ids=lambda words: words.name)
def test_played_ranks_part_where_one_calls_and_the_others_do_not(words: Vocabulary) -> None:
    assert verdict(written(words, "return False", f"if lead(): {words.calls[0]}")).parts
    assert not verdict(written(words, "return False", f"if {words.flags[0]}: {words.calls[0]}")).parts


@pytest.mark.parametrize("words", [FUNCTIONS, CLASS], ids=lambda words: words.name)
def test_a_helper_is_played_on_its_own_too(words: Vocabulary) -> None:
    found = verdict(written(words, f"if lead(): {words.calls[0]}", "pass"))
    assert found == Verdict(parts=False, helpers=True)


def test_what_each_rank_draws_parts_them_and_what_the_first_tells_does_not() -> None:
    draw, call = "random.random() < 0.5", FUNCTIONS.calls[0]
    assert verdict(written(FUNCTIONS, "return False", f"if {draw}: {call}")).parts
    assert not verdict(written(FUNCTIONS, "return False", f"if agreed({draw}): {call}")).parts


def test_who_waits_in_one_group_does_not_come_to_another() -> None:
    first, second = frozenset((0, 1)), frozenset((1, 2))
    one, other = ("all_reduce", first), ("all_reduce", second)
    assert all_come([(one,), (one, other), (other,)])
    assert not all_come([(one,), (other, one), (one, other)])
    assert not all_come([(one,), (), ()])


def test_programs_are_drawn_alike_every_time_and_end_alike() -> None:
    assert [program(number) for number in range(20)] == [program(number) for number in range(20)]
    assert all(program(number).endswith(TAIL) for number in range(20))


def test_drawn_programs_are_judged_as_they_play(tmp_path: Path) -> None:
    """A program that is judged right from now on comes off the lists."""
    counted = count(range(5000, 5300), tmp_path)
    assert not counted.failed
    assert len(counted.bugs) > 100 and len(counted.correct) > 60
    assert counted.missed == MISSED
    assert counted.false_alarms == FALSE_ALARMS


def test_as_many_processes_as_there_are_tell_the_same(tmp_path: Path) -> None:
    """What one of them has learned of a program says nothing of the next that it looks at."""
    for number in range(5050, 5200):
        (tmp_path / f"drawn_{number}.py").write_text(program(number), encoding="utf-8")
    alone, together = (check(tmp_path, options=("--select", "DT1", "--jobs", jobs)) for jobs in ("1", "2"))
    assert alone.findings == together.findings
