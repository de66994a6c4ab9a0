"""Do values split, merge and join over lanes as sets of ranks should?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dtlint.machine.joining import join
from dtlint.machine.lanes import World, lanes_in, lowest, map_lanes, name_lanes, overlay, restrict, row
from dtlint.machine.values import MISSING, NONE, Cause, Const, Object, Row, Symbols, Unknown, lane_value

WORLD = World(2, 2)
CAUSE = Cause("rank")
constants = st.integers(0, 3).map(Const)
rows = st.tuples(constants, constants, constants, constants).map(lambda lanes: row(lanes, CAUSE))
values = st.one_of(constants, rows)
masks = st.integers(0, WORLD.full)


def held(value, lane):
    return lane_value(value, lane)


@given(values, values, masks)
def test_after_an_assignment_each_lane_holds_its_own(old, new, mask):
    after = overlay(old, new, mask, WORLD, CAUSE)
    for lane in range(WORLD.size):
        assert held(after, lane) == held(new if mask >> lane & 1 else old, lane)


@given(values, values, masks)
def test_equal_lanes_are_one_value(old, new, mask):
    after = overlay(old, new, mask, WORLD, CAUSE)
    lanes = {held(after, lane) for lane in range(WORLD.size)}
    assert isinstance(after, Row) == (len(lanes) > 1)
    assert (after.cause is None) == (len(lanes) == 1)


@given(values, values, values, masks)
def test_the_later_assignment_wins(first, second, third, mask):
    twice = overlay(overlay(first, second, mask, WORLD, CAUSE), third, mask, WORLD, CAUSE)
    assert twice == overlay(first, third, mask, WORLD, CAUSE)


@given(values, masks)
def test_assigning_what_is_there_changes_nothing(value, mask):
    assert overlay(value, value, mask, WORLD, CAUSE) is value


@given(values, masks)
def test_restriction_keeps_what_its_lanes_see(value, mask):
    seen = restrict(value, mask)
    for lane in lanes_in(mask):
        assert held(seen, lane) == held(value, lane)


@given(values, masks)
def test_restriction_to_agreeing_lanes_is_the_same_everywhere(value, mask):
    lanes = {held(value, lane) for lane in lanes_in(mask)}
    if len(lanes) == 1:
        assert restrict(value, mask).cause is None


@given(values, masks, masks)
def test_restrictions_commute(value, one, other):
    both = one & other
    for lane in lanes_in(both):
        assert held(restrict(restrict(value, one), both), lane) == held(restrict(value, both), lane)


@given(values, values)
def test_a_join_of_equals_is_itself(left, right):
    symbols = Symbols()
    joined = join(left, right, symbols, symbols.fresh("branch"), None)
    if left == right:
        assert joined == left


@given(values, values)
def test_a_join_of_agreed_sides_does_not_make_constants_differ(left, right):
    symbols = Symbols()
    joined = join(left, right, symbols, symbols.fresh("branch"), None)
    if left.cause is None and right.cause is None:
        assert joined.cause is None


@given(values, values)
def test_a_join_over_parting_lanes_differs_where_the_sides_do(left, right):
    symbols = Symbols()
    joined = join(left, right, symbols, symbols.fresh("branch"), CAUSE)
    if left != right:
        assert joined.cause is not None


def test_a_join_prefers_the_object_to_nothing():
    symbols = Symbols()
    thing = Object("torch.distributed.ProcessGroup", WORLD.full, 1)
    for left, right in ((thing, NONE), (NONE, thing), (thing, Const(None)), (MISSING, thing)):
        assert join(left, right, symbols, symbols.fresh("branch"), None) is thing


def test_a_join_that_parts_lanes_remembers_the_object():
    symbols = Symbols()
    thing = Object("torch.distributed.ProcessGroup", WORLD.full, 1)
    joined = join(thing, NONE, symbols, symbols.fresh("branch"), CAUSE)
    assert isinstance(joined, Unknown) and joined.like is thing


@given(values, values)
def test_functions_apply_lane_by_lane(left, right):
    total = map_lanes(lambda a, b: Const(a.value + b.value), (left, right), WORLD)
    for lane in range(WORLD.size):
        assert held(total, lane).value == held(left, lane).value + held(right, lane).value


@given(st.integers(1, (1 << 16) - 1))
def test_the_lowest_lane_is_the_first_in_a_mask(mask):
    assert lowest(mask) == next(lanes_in(mask))
    assert sum(1 << lane for lane in lanes_in(mask)) == mask


def test_lanes_are_named_as_people_say_them():
    assert [name_lanes(mask, WORLD) for mask in (0b0001, 0b1110, 0b0101, 0b1111, 0)] == [
        "rank 0",
        "ranks 1-3",
        "ranks 0 and 2",
        "all ranks",
        "no rank",
    ]
