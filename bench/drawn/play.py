"""May the ranks part? Four of them run the program, one after the other, for all that they may be told and draw."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from bench.drawn.vocabulary import OPTIONS, TAIL

RANKS = 4
ALL = frozenset(range(RANKS))
Call = tuple[str, frozenset[int]]  # what it is, and who has to come
ENOUGH = 150  # calls of one rank
DRAWN = ((0.0,) * RANKS, (1.0,) * RANKS, (0.0, 1.0, 1.0, 1.0), (1.0, 0.0, 0.0, 0.0))
ITEMS = ((), ("one",), ("one", "two"))


class Enough(Exception):
    """A rank has called so much that it will call no other."""


@dataclass(slots=True)
class Rank:
    """Stands in for `torch.distributed`. The first rank has run before the others: what it told them is known."""

    number: int
    told: list[Any]
    calls: list[Call] = field(default_factory=list)
    heard: int = 0

    def get_rank(self) -> int:
        return self.number

    def get_world_size(self) -> int:
        return RANKS

    def new_group(self, members: list[int]) -> frozenset[int]:
        self.call("new_group")
        return frozenset(members)

    def barrier(self) -> None:
        self.call("barrier")

    def monitored_barrier(self) -> None:
        self.call("monitored_barrier")

    def all_reduce(self, tensor: object, group: frozenset[int] = ALL) -> None:
        self.call("all_reduce", group)

    def send(self, tensor: object, dst: int) -> None:
        self.call("message", frozenset((self.number, dst)))

    def recv(self, tensor: object, src: int) -> None:
        self.call("message", frozenset((src, self.number)))

    def broadcast(self, tensor: object, source: int) -> None:
        self.call("broadcast")

    def broadcast_object_list(self, box: list[Any], src: int) -> None:
        self.call("broadcast_object_list")
        if self.number == src:
            self.told.append(box[0])
        elif self.heard < len(self.told):
            box[0] = self.told[self.heard]
        self.heard += 1

    def call(self, name: str, members: frozenset[int] = ALL) -> None:
        if self.number in members:
            self.calls.append((name, members))
        if len(self.calls) > ENOUGH:
            raise Enough


@dataclass(frozen=True, slots=True)
class Verdict:
    """`parts`: the ranks may part. `helpers`: they may where a helper is called by all of them, as a reader of that
    function alone would see it."""

    parts: bool
    helpers: bool


def verdict(source: str) -> Verdict:
    body = "\ndef lead():" + source.partition("def lead():")[2].replace(TAIL, "")
    code = compile(body, "drawn", "exec")
    draws = source.count("random.random()")
    return Verdict(
        parts=any(parted(code, situation, "run") for situation in situations(draws)),
        helpers=any(parted(code, situation, name) for name in ("prepare", "finish") for situation in situations(draws)),
    )


@dataclass(frozen=True, slots=True)
class Situation:
    options: SimpleNamespace
    drawn: tuple[float, ...]  # by rank


def situations(draws: int) -> Iterator[Situation]:
    for answers in itertools.product((False, True), repeat=len(OPTIONS)):
        for items in ITEMS:
            for drawn in DRAWN if draws else DRAWN[:1]:
                yield Situation(SimpleNamespace(**dict(zip(OPTIONS, answers, strict=True)), items=items), drawn)


def parted(code: Any, situation: Situation, entry: str) -> bool:
    told: list[Any] = []
    return not all_come(calls_of(code, situation, entry, Rank(number, told)) for number in range(RANKS))


def all_come(calls: Iterable[tuple[Call, ...]]) -> bool:
    """Is every call made by all who have to come, none of whom waits in another one?"""
    waiting = [list(reversed(one)) for one in calls]
    while any(waiting):
        met = next((one[-1] for one in waiting if one and complete(one[-1], waiting)), None)
        if met is None:
            return False
        for number in met[1]:
            waiting[number].pop()
    return True


def complete(call: Call, waiting: list[list[Call]]) -> bool:
    return all(waiting[number] and waiting[number][-1] == call for number in call[1])


def calls_of(code: Any, situation: Situation, entry: str, rank: Rank) -> tuple[Call, ...]:
    names: dict[str, Any] = {
        "dist": rank,
        "torch": SimpleNamespace(ones=lambda size: size),
        "random": SimpleNamespace(random=lambda: situation.drawn[rank.number]),
        "contextmanager": contextmanager,
        "print": lambda *words: None,
        "__name__": "drawn",
    }
    exec(code, names)
    options = situation.options
    try:
        if entry == "run":
            names["run"](options)
        elif "Job" in names:
            getattr(names["Job"](options), entry)()
        else:
            names[entry](options, rank.number, None, frozenset((0, 1)))
    except Enough:
        pass
    return tuple(rank.calls)
