"""Do two predicates ever hold in the same turn? Tried on small numbers, and only where they can be computed."""

from __future__ import annotations

import pytest

from dtlint.machine.values import Symbols
from dtlint.timeline.symbols import both_hold, periodic, worth

SYMBOLS = Symbols()
STEP, STEPS, OTHER = SYMBOLS.fresh("index"), SYMBOLS.fresh("n"), SYMBOLS.fresh("length")


def every(counter, modulus, rest=0):
    return SYMBOLS.of("compare ==", SYMBOLS.of("op %", counter, modulus), rest)


NEXT = SYMBOLS.of("op +", STEP, 1)


@pytest.mark.parametrize("modulus", [2, 4, STEPS])
def test_the_same_boundary_never_meets_its_complement(modulus):
    step = every(NEXT, modulus)
    assert both_hold([(step, False)], [(step, True)]) is False
    assert both_hold([(SYMBOLS.of("not", step), True)], [(step, True)]) is False


@pytest.mark.parametrize("modulus", [2, 4, STEPS])
def test_boundaries_one_turn_apart_meet(modulus):
    assert both_hold([(every(STEP, modulus), False)], [(every(NEXT, modulus), True)]) is True


def test_two_spellings_of_one_boundary():
    last = every(STEP, STEPS, SYMBOLS.of("op -", STEPS, 1))
    assert both_hold([(last, False)], [(every(NEXT, STEPS), True)]) is False


def test_the_end_of_the_loader_changes_nothing():
    step = SYMBOLS.of("or", every(NEXT, STEPS), SYMBOLS.of("compare ==", NEXT, OTHER))
    assert both_hold([(step, False)], [(step, True)]) is False


def test_what_cannot_be_computed_is_not_guessed():
    unknown = SYMBOLS.of("call", STEP)
    assert both_hold([(SYMBOLS.of("compare ==", unknown, 0), True)], [(every(NEXT, 2), True)]) is not True
    assert worth(unknown, {STEP: 1}) is None


def test_periodic_predicates_have_a_remainder():
    assert periodic(every(STEP, 4))
    assert not periodic(SYMBOLS.of("compare ==", STEP, 4))
    assert not periodic(None)
