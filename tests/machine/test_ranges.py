"""What follows from a comparison is what holds for every number that it holds for."""

import operator

from hypothesis import given
from hypothesis import strategies as st

from dtlint.machine.contents import ranges

WORDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
numbers = st.integers(-4, 4)


@given(st.sampled_from(sorted(WORDS)), numbers, st.sampled_from(sorted(WORDS)), numbers)
def test_what_is_decided_holds_for_every_number(word: str, number: int, holds: str, limit: int) -> None:
    told = ranges.decided(word, number, holds, limit)
    halves = [one / 2 for one in range(-12, 13)]
    answers = {WORDS[word](one, number) for one in halves if WORDS[holds](one, limit)}
    assert answers == ({True, False} if told is None else {told})
