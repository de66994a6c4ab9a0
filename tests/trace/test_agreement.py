"""Calls that meet, contradict each other, or wait for ever: the coordinator's brain without processes."""

from __future__ import annotations

from typing import Any

from dtlint.trace.agreement import Agreement, Call, Mismatch, rank_words


def call(rank: int, number: int, operation: str = "all_reduce", group: str = "0", **signature: Any) -> Call:
    members = signature.pop("members", (0, 1))
    return Call(rank, number, operation, group, members, signature)


def test_equal_calls_complete_in_group_order() -> None:
    agreement = Agreement(2)
    assert agreement.post(call(1, 1)) is None
    done = agreement.post(call(0, 1))
    assert [item.rank for item in done] == [0, 1]
    assert agreement.pending == {}


def test_different_operations_at_one_position_contradict() -> None:
    agreement = Agreement(2)
    agreement.post(call(0, 1, "barrier"))
    answer = agreement.post(call(1, 1))
    assert isinstance(answer, Mismatch)
    assert answer.word == "COLLECTIVE_TYPE_MISMATCH"


def test_root_size_and_type_are_compared() -> None:
    for name, values, word in (
        ("root", (0, 1), "SIZE_OR_SYNTAX_MISMATCH"),
        ("numels", ([3], [4]), "SIZE_OR_SYNTAX_MISMATCH"),
        ("dtypes", (["float32"], ["int64"]), "COLLECTIVE_DTYPE_MISMATCH"),
    ):
        agreement = Agreement(2)
        agreement.post(call(0, 1, "broadcast", **{name: values[0]}))
        answer = agreement.post(call(1, 1, "broadcast", **{name: values[1]}))
        assert isinstance(answer, Mismatch) and answer.word == word


def test_uneven_gather_is_legal_when_everybody_made_room() -> None:
    for room, fine in (([3, 4], True), ([3, 3], False)):
        agreement = Agreement(2)
        agreement.post(call(0, 1, "all_gather", numels=[3], expects=room))
        answer = agreement.post(call(1, 1, "all_gather", numels=[4], expects=room))
        assert isinstance(answer, Mismatch) is not fine


def test_nobody_is_stuck_while_one_rank_runs() -> None:
    agreement = Agreement(2)
    agreement.post(call(0, 1))
    agreement.wait(0, 1)
    assert agreement.stuck() == []
    agreement.end(1)
    (waiting,) = agreement.stuck()
    assert waiting.rank == 0
    assert agreement.missing(waiting) == [1]


def test_two_groups_in_crossed_order_are_stuck() -> None:
    agreement = Agreement(2)
    for rank, group in ((0, "1"), (1, "2")):
        assert agreement.post(call(rank, 1, group=group)) is None
        agreement.wait(rank, 1)
    assert {item.group for item in agreement.stuck()} == {"1", "2"}


def test_send_and_receive_meet_whatever_comes_first() -> None:
    for order in (("send", "recv"), ("recv", "send")):
        agreement = Agreement(2)
        sides = {"send": call(0, 1, "send", peer=1, tag=5), "recv": call(1, 1, "recv", peer=0, tag=5)}
        assert agreement.post(sides[order[0]]) is None
        assert [item.operation for item in agreement.post(sides[order[1]])] == ["send", "recv"]


def test_other_tag_or_peer_does_not_meet() -> None:
    agreement = Agreement(3)
    agreement.post(call(0, 1, "send", peer=1, tag=5, members=(0, 1, 2)))
    assert agreement.post(call(1, 1, "recv", peer=0, tag=6, members=(0, 1, 2))) is None
    assert agreement.post(call(2, 1, "recv", peer=0, tag=5, members=(0, 1, 2))) is None


def test_receive_from_anybody_takes_the_first() -> None:
    agreement = Agreement(3)
    agreement.post(call(2, 1, "send", peer=0, members=(0, 1, 2)))
    done = agreement.post(call(0, 1, "recv", peer=-1, members=(0, 1, 2)))
    assert [item.rank for item in done] == [2, 0]


def test_crossed_orders_that_got_through_are_seen() -> None:
    agreement = Agreement(2)
    for rank, order in ((0, "12"), (1, "21")):
        for number, group in enumerate(order):
            agreement.post(call(rank, number + 1, group=group))
    assert agreement.crossed() == (0, 1, "1", "2")


def test_rank_words() -> None:
    assert rank_words([1]) == "rank 1"
    assert rank_words([0, 1, 2]) == "ranks 0-2"
    assert rank_words([2, 0]) == "ranks 0 and 2"
