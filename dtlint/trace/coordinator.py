"""Who decides what happens next? One process that serves all ranks of one job and proves when nobody can go on.

Ranks post calls and wait for results. The arithmetic of a complete call is handed in as `compute`, so that nothing
here knows torch. Everything seen is passed on at once through `emit`, so that a kill loses nothing.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
from collections.abc import Callable
from typing import Any

from dtlint.trace.agreement import Agreement, Call, Mismatch, rank_words
from dtlint.trace.channel import Channel, Closed

Compute = Callable[[list[Call]], list[tuple[list[dict[str, Any]], bytes]]]
Emit = Callable[[dict[str, Any]], None]
GRACE = 1.0  # seconds that a stopped rank has for its `finally` blocks
EVENT_CAP = 50_000
LONGEST_TURN = 3.0  # seconds; who computes longer may be waiting for a file of another rank


class Coordinator:
    """The loop over the sockets of all ranks.

    With `turns`, one rank runs at a time, from one call that has to wait to the next, the lowest first: ranks that
    meet in files do so in the same order every time.
    """

    def __init__(
        self, channels: dict[int, Channel], pids: dict[int, int], compute: Compute, emit: Emit, turns: bool = False
    ) -> None:
        self.channels, self.pids, self.compute, self.emit = channels, pids, compute, emit
        self.agreement = Agreement(len(channels))
        self.results: dict[tuple[int, int], tuple[list[dict[str, Any]], bytes]] = {}
        self.ends: dict[int, dict[str, Any]] = {}
        self.open = dict(channels)
        self.begin = time.monotonic()
        self.events = self.dropped = 0
        self.places: dict[tuple[int, int], str] = {}
        self.mismatch: Mismatch | None = None
        self.stuck: list[Call] = []
        self.stopping: str = ""
        self.stop_time = 0.0
        self.needed = 0
        self.paused: set[int] = set()
        self.turns, self.turn, self.turn_began = turns, -1, 0.0
        self.held: dict[int, tuple[dict[str, Any], bytes]] = {}  # what ranks may have when it is their turn

    def now(self) -> float:
        return round(time.monotonic() - self.begin, 6)

    def run(self, timeout: float) -> None:
        """Serve until every rank has ended, nobody can go on, or the time is over."""
        selector = selectors.DefaultSelector()
        for rank, channel in self.channels.items():
            selector.register(channel, selectors.EVENT_READ, rank)
        while self.open:
            left = timeout - self.now() if not self.stopping else self.stop_time + GRACE - self.now()
            if left <= 0:
                if self.stopping:
                    self._kill()
                    continue
                self.stop("timeout")
                continue
            for key, _ in selector.select(min(left, LONGEST_TURN) if self.held else left):
                rank = key.data
                if rank not in self.open:
                    continue
                try:
                    header, payload = self.open[rank].receive()
                    self._take(rank, header, payload)
                except Closed:
                    selector.unregister(key.fileobj)
                    self._closed(rank)
            if not self.stopping:
                self._look()
        selector.close()

    def _take(self, rank: int, header: dict[str, Any], payload: bytearray) -> None:
        match header["type"]:
            case "call":
                self._call(rank, header, payload)
            case "wait":
                self._wait(rank, int(header["number"]))
            case "pause":
                self.paused.add(rank)
                if self.stopping:
                    self._go_on(rank)
            case "turn":
                self.held[rank] = ({"ok": True, "tensors": ()}, b"")
                if not self.turns or self.stopping:
                    self._all_at_once()
            case "end":
                self.ends[rank] = {**header, "rank": rank, "time": self.now()}
                self.agreement.end(rank)
            case "needs":
                self.needed = max(self.needed, int(header["ranks"]))
                self.stop("needs")
            case "covered" | "notice" | "fact":
                self.emit({**header, "rank": rank} if header["type"] == "covered" else header)

    def _call(self, rank: int, header: dict[str, Any], payload: bytearray) -> None:
        call = Call(
            rank=rank,
            number=int(header["number"]),
            operation=header["operation"],
            group=header["group"],
            members=tuple(header["members"]),
            signature=header["signature"],
            asynchronous=bool(header.get("asynchronous")),
            library=bool(header.get("library")),
            payload=(header.get("tensors", ()), payload),
            detail=header.get("detail", ""),
        )
        answer = None if self.stopping else self.agreement.post(call)
        place = header.get("place") or {"path": "", "line": 0, "function": ""}
        self.places[call.key] = f"{os.path.basename(place['path'])}:{place['line']}"
        self._event(call, header, place)
        if not call.asynchronous:
            self.agreement.wait(rank, call.number)
        if self.stopping:
            if not call.asynchronous:
                self._refuse(rank)
        elif isinstance(answer, Mismatch):
            self.mismatch = self.mismatch or answer
            for item in (answer.first, answer.second):
                self._state(item, "mismatch")
        elif answer:
            self._finish(answer)

    def _event(self, call: Call, header: dict[str, Any], place: dict[str, Any]) -> None:
        self.events += 1
        if self.events > EVENT_CAP:
            self.dropped += 1
            return
        self.emit(
            {
                "type": "event",
                "rank": call.rank,
                "number": call.number,
                "operation": call.operation,
                "group": call.group,
                "members": call.members,
                "position": call.position,
                "detail": call.detail,
                "place": place,
                "stack": header.get("stack", ()),
                "start": self.now(),
                "asynchronous": call.asynchronous or call.library,
            }
        )

    def _state(self, call: Call, state: str) -> None:
        end = self.now() if state == "done" else None
        self.emit({"type": "state", "rank": call.rank, "number": call.number, "state": state, "end": end})

    def _finish(self, calls: list[Call]) -> None:
        try:
            answers = self.compute(calls)
        except Exception as error:
            self.emit({"type": "notice", "text": f"{calls[0].operation} could not be computed: {error}"})
            self.stop("unsupported-op")
            return
        for call, answer in zip(calls, answers, strict=True):
            self.results[call.key] = answer
            self._state(call, "done")
            call.payload = None
            if self.agreement.blocked.get(call.rank) == call.number:
                self._answer(call.rank, call.number)

    def _answer(self, rank: int, number: int) -> None:
        self.agreement.release(rank)
        metas, payload = self.results.pop((rank, number))
        self._send(rank, {"ok": True, "tensors": metas}, payload)

    def _wait(self, rank: int, number: int) -> None:
        if self.stopping:
            self._refuse(rank)
            return
        self.agreement.wait(rank, number)
        if (rank, number) in self.results:
            self._answer(rank, number)

    def _send(self, rank: int, header: dict[str, Any], payload: bytes = b"") -> None:
        if self.turns and rank != self.turn and not self.stopping:
            self.held[rank] = (header, payload)
        elif rank in self.open:
            with contextlib.suppress(Closed):  # the selector will tell that it is gone
                self.open[rank].send(header, payload)

    def _refuse(self, rank: int) -> None:
        self.agreement.release(rank)
        self._send(rank, {"ok": False, "reason": self.stopping})

    def _closed(self, rank: int) -> None:
        self.open.pop(rank).close()
        self.agreement.end(rank)
        try:
            status = os.waitstatus_to_exitcode(os.waitpid(self.pids[rank], 0)[1])
        except ChildProcessError:
            status = 0
        if rank not in self.ends:
            how = "killed" if status < 0 else "exit"
            text = f"signal {-status}" if status < 0 else f"os._exit({status})"
            self.ends[rank] = {"rank": rank, "how": how, "text": text, "time": self.now()}

    def _pass_turn(self) -> None:
        """The next rank that can go on, once the one that runs has to wait."""
        began = self.turn >= 0 or all(rank in self.held or rank not in self.open for rank in self.channels)
        if not began:
            return
        runs = self.turn in self.open and self.turn not in self.agreement.blocked and self.turn not in self.paused
        if runs and self.turn not in self.held:
            if self.held and self.now() - self.turn_began >= LONGEST_TURN:
                self._all_at_once()
        elif self.held:
            self.turn, self.turn_began = min(self.held), self.now()
            self._send(self.turn, *self.held.pop(self.turn))

    def _all_at_once(self) -> None:
        """From now on ranks run beside each other."""
        self.turns = False
        for rank in sorted(self.held):
            self._send(rank, *self.held.pop(rank))

    def _look(self) -> None:
        """Is there anybody who can still move?"""
        if self.turns:
            self._pass_turn()
        if self.paused and all(rank in self.paused or rank in self.agreement.blocked for rank in self.open):
            for rank in sorted(self.paused):
                self._go_on(rank)
            return
        stuck = self.agreement.stuck()
        if stuck:
            self.stuck = stuck
            self.stop("mismatch" if self.mismatch else "deadlock")

    def stop(self, reason: str) -> None:
        if self.stopping:
            return
        self._all_at_once()
        self.stopping, self.stop_time = reason, self.now()
        if not self.stuck:
            numbers = sorted(self.agreement.blocked.items())
            self.stuck = [call for item in numbers if (call := self.agreement.pending.get(item))]
        for rank in list(self.agreement.blocked):
            self._refuse(rank)
        for rank in sorted(self.paused):
            self._go_on(rank)

    def _go_on(self, rank: int) -> None:
        self.paused.discard(rank)
        self._send(rank, {"ok": not self.stopping, "reason": self.stopping, "tensors": ()})

    def _kill(self) -> None:
        """Ranks that compute, swallow the stop, or ended without closing their socket."""
        for rank in list(self.open):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pids[rank], signal.SIGKILL)
            self.ends.setdefault(rank, {"rank": rank, "how": "stopped", "time": self.now()})
            self._closed(rank)

    def who_waits(self, calls: list[Call]) -> str:
        """`rank 0 waits in barrier (train.py:22) for rank 1`, for each call that cannot finish."""
        parts = []
        for call in calls:
            missing = self.agreement.missing(call)
            waits = f" for {rank_words(missing)}" if missing else ""
            parts.append(f"rank {call.rank} waits in {call.operation} at {self.places[call.key]}{waits}")
        return "; ".join(parts)
