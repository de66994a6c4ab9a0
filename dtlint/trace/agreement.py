"""Which calls meet, which contradict each other, and when can nobody go on?

The brain of the coordinator without its hands: no sockets, no torch. A group's n-th call of every member belongs
together; a point-to-point call meets its partner. Feed it posts, waits and ends; it says what is complete.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# results of unequal shape are legal for these, so only the kind of the call is compared
FREE_SHAPES = frozenset({"all_gather", "gather", "scatter", "all_to_all", "all_to_all_single", "reduce_scatter"})
PAIRWISE = frozenset({"send", "recv"})


@dataclass
class Call:
    """One call, as posted by one rank."""

    rank: int
    number: int
    operation: str
    group: str
    members: tuple[int, ...]
    signature: dict[str, Any] = field(default_factory=dict)  # reduce, root, shapes, dtypes, peer, tag, buffered
    asynchronous: bool = False
    library: bool = False  # asynchronous by a library's choice: waited for at once by the lockstep
    payload: Any = None
    position: int = 0
    detail: str = ""

    @property
    def key(self) -> tuple[int, int]:
        return (self.rank, self.number)


@dataclass(frozen=True)
class Mismatch:
    """Two members of a group made different calls at the same position."""

    first: Call
    second: Call
    word: str  # in the vocabulary of PyTorch's flight recorder


@dataclass
class _Group:
    members: tuple[int, ...]
    made: dict[int, int] = field(default_factory=dict)  # rank → calls made so far
    open: dict[int, dict[int, Call]] = field(default_factory=dict)  # position → rank → call


def difference(first: Call, second: Call) -> str:
    """The flight-recorder word for how two calls disagree, empty when they agree."""
    if first.operation != second.operation:
        return "COLLECTIVE_TYPE_MISMATCH"
    for name in ("reduce", "root", "ranks"):
        if first.signature.get(name) != second.signature.get(name):
            return "SIZE_OR_SYNTAX_MISMATCH"
    if first.operation not in FREE_SHAPES and first.signature.get("numels") != second.signature.get("numels"):
        return "SIZE_OR_SYNTAX_MISMATCH"
    if first.signature.get("dtypes") != second.signature.get("dtypes") and first.operation != "barrier":
        return "COLLECTIVE_DTYPE_MISMATCH"
    return ""


def unequal_pieces(calls: list[Call]) -> Mismatch | None:
    """all_gather may have uneven shapes, but every rank must have made room for what the others send."""
    if calls[0].operation != "all_gather":
        return None
    for call in calls:
        expected = call.signature.get("expects", ())
        sent = [
            numel
            for index in range(len(call.signature["numels"]))
            for other in calls
            for numel in other.signature["numels"][index : index + 1]
        ]
        for position, (room, numel) in enumerate(zip(expected, sent)):
            if room != numel:
                return Mismatch(call, calls[position % len(calls)], "SIZE_OR_SYNTAX_MISMATCH")
    return None


class Agreement:
    """State of all ranks of one job."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.groups: dict[str, _Group] = {}
        self.sends: list[Call] = []
        self.receives: list[Call] = []
        self.pending: dict[tuple[int, int], Call] = {}
        self.blocked: dict[int, int] = {}  # rank → number of the call it waits for
        self.ended: set[int] = set()
        self.order: dict[int, list[tuple[str, int]]] = {rank: [] for rank in range(ranks)}

    def post(self, call: Call) -> list[Call] | Mismatch | None:
        """A rank makes a call: the calls that are complete now, a contradiction, or nothing yet."""
        self.pending[call.key] = call
        if call.operation in PAIRWISE:
            return self._pair(call)
        group = self.groups.setdefault(call.group, _Group(call.members))
        call.position = group.made.get(call.rank, 0) + 1
        group.made[call.rank] = call.position
        self.order[call.rank].append((call.group, call.position))
        meeting = group.open.setdefault(call.position, {})
        for other in meeting.values():
            if word := difference(other, call):
                meeting[call.rank] = call
                return Mismatch(other, call, word)
        meeting[call.rank] = call
        if len(meeting) < len(group.members):
            return None
        del group.open[call.position]
        calls = [meeting[rank] for rank in group.members]
        return unequal_pieces(calls) or self._complete(calls)

    def _pair(self, call: Call) -> list[Call] | None:
        waiting = self.receives if call.operation == "send" else self.sends
        for index, other in enumerate(waiting):
            if self._match(call, other):
                del waiting[index]
                return self._complete([call, other] if call.operation == "send" else [other, call])
        (self.sends if call.operation == "send" else self.receives).append(call)
        return None

    @staticmethod
    def _match(call: Call, other: Call) -> bool:
        send, receive = (call, other) if call.operation == "send" else (other, call)
        wanted = receive.signature.get("peer", -1)
        return (
            send.group == receive.group
            and send.signature.get("peer") == receive.rank
            and wanted in (-1, send.rank)
            and send.signature.get("tag", 0) == receive.signature.get("tag", 0)
        )

    def _complete(self, calls: list[Call]) -> list[Call]:
        for call in calls:
            self.pending.pop(call.key, None)
        return calls

    def wait(self, rank: int, number: int) -> None:
        self.blocked[rank] = number

    def release(self, rank: int) -> None:
        self.blocked.pop(rank, None)

    def end(self, rank: int) -> None:
        self.ended.add(rank)
        self.blocked.pop(rank, None)

    def stuck(self) -> list[Call]:
        """The calls that can never finish, when every rank waits or has ended; empty while somebody runs."""
        if len(self.ended) + len(self.blocked) < self.ranks or not self.blocked:
            return []
        calls = [self.pending.get((rank, number)) for rank, number in sorted(self.blocked.items())]
        return [call for call in calls if call is not None] if all(calls) else []

    def crossed(self) -> tuple[int, int, str, str] | None:
        """Two ranks that used the same two groups in different orders and got through: by luck."""
        for first in range(self.ranks):
            for second in range(first + 1, self.ranks):
                ours = [item for item in self.order[first] if second in self.groups[item[0]].members]
                theirs = [item for item in self.order[second] if first in self.groups[item[0]].members]
                common = set(ours) & set(theirs)
                one = [item for item in ours if item in common]
                other = [item for item in theirs if item in common]
                for here, there in zip(one, other):
                    if here != there:
                        return first, second, here[0], there[0]
        return None

    def missing(self, call: Call) -> list[int]:
        """The ranks for which a call waits."""
        if call.operation in PAIRWISE:
            peer = call.signature.get("peer", -1)
            return [peer] if peer >= 0 else [rank for rank in call.members if rank != call.rank]
        group = self.groups.get(call.group)
        here = group.open.get(call.position, {}) if group else {}
        return [rank for rank in call.members if rank not in here]


def rank_words(ranks: Iterable[int]) -> str:
    """`rank 1`, `ranks 0 and 2`, `ranks 1-3`."""
    numbers = sorted(set(ranks))
    if not numbers:
        return "no rank"
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"ranks {numbers[0]}-{numbers[-1]}"
    return "ranks " + ", ".join(map(str, numbers[:-1])) + f" and {numbers[-1]}"
