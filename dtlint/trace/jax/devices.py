"""One host with several devices: which device waits where?

The script runs once. Every collective in the programs it launches becomes an event of every device, and a program in
which devices part is stopped before XLA hangs in it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
import traceback
from typing import Any

from dtlint.trace.agreement import rank_words
from dtlint.trace.channel import Channel, Closed
from dtlint.trace.jax import script
from dtlint.trace.serving import tail

RENDEZVOUS = "arrived on time"


class DeviceAgent:
    """Inside the script's process: turns launches into events of devices."""

    def __init__(self, channel: Channel, devices: int, steps: int) -> None:
        self.channel, self.devices, self.steps = channel, devices, steps
        self.numbers = dict.fromkeys(range(devices), 0)
        self.positions: dict[tuple[str, int], int] = {}
        self.begin = time.monotonic()
        self.launches = 0
        self.stopped = ""

    def tell(self, record: dict[str, Any]) -> None:
        self.channel.send(record)

    def event(
        self,
        lane: int,
        operation: str,
        axes: tuple[str, ...],
        members: tuple[int, ...],
        place: dict[str, object],
        stack: list[dict[str, object]],
        state: str,
        detail: str,
    ) -> tuple[int, int]:
        group = "axis " + ",".join(axes)
        self.numbers[lane] += 1
        self.positions[group, lane] = self.positions.get((group, lane), 0) + 1
        now = round(time.monotonic() - self.begin, 6)
        self.tell(
            {
                "type": "event", "rank": lane, "number": self.numbers[lane], "operation": operation, "group": group,
                "members": members, "position": self.positions[group, lane], "detail": detail, "place": place,
                "stack": stack, "start": now, "end": now if state == "done" else None, "state": state,
            }
        )  # fmt: skip
        return lane, self.numbers[lane]

    def launch(self, program: Any, stack: list[dict[str, object]]) -> None:
        from dtlint.trace.jax.programs import SHOWN_LAUNCHES

        if program.devices < 2:
            return
        self.launches += 1
        if self.steps and program.launches > self.steps:
            raise script.StepsDone
        if program.launches > SHOWN_LAUNCHES:
            return
        members = tuple(range(program.devices))
        for collective in program.collectives:
            place = collective.place if collective.place["line"] else program.place
            for lane in members:
                self.event(lane, collective.operation, collective.axes, members, place, stack, "done", program.name)

    def part(self, program: Any, parted: Any, player: Any) -> None:
        """Some devices wait for others that will not come."""
        members = tuple(sorted((*parted.waiting, *parted.absent)))
        keys = []
        for turn in player.turns:
            place = turn.place if turn.place["line"] else program.place
            key = self.event(turn.lane, turn.operation, turn.axes, members, place, [program.place, parted.decision],
                             "done" if turn.done else "waiting", program.name)  # fmt: skip
            if not turn.done:
                keys.append(key)
        verb = "waits" if len(parted.waiting) == 1 else "wait"
        waits = f"{_name(parted.waiting)} {verb} in {parted.operation} at {_short(parted.place)}"
        absent = f"{_name(parted.absent)}, which {parted.how} at {_short(parted.decision)}"
        sentence = f"COLLECTIVE_STATE_MISMATCH: {waits} for {absent}"
        self._finish("deadlock", "COLLECTIVE_STATE_MISMATCH", sentence, keys)

    def drift(self, program: Any, text: str, place: dict[str, object]) -> None:
        self.tell(
            {
                "type": "fact",
                "fact": {"kind": "replicas-drift", "text": f"{_short(place)}: {text}", "place": place, **program.where},
            }
        )
        self._finish("mismatch", "REPLICAS_DRIFT", f"REPLICAS_DRIFT: {text}, at {_short(place)}", [])

    def _finish(self, kind: str, reason: str, sentence: str, keys: list[tuple[int, int]]) -> None:
        from dtlint.trace.jax.programs import Stopped

        self.stopped = sentence
        self.tell({"type": "outcome", "kind": kind, "reason": reason, "sentence": sentence, "events": keys})
        raise Stopped(sentence)


def _name(lanes: tuple[int, ...]) -> str:
    return rank_words(lanes).replace("rank", "device")


def _short(place: dict[str, object]) -> str:
    return f"{os.path.basename(str(place['path']))}:{place['line']}" if place["line"] else "an unknown place"


def run(job: dict[str, Any], channel: Channel, devices: int, log: str) -> None:
    """The whole life of the script's process. Never returns."""
    status = 1
    try:
        script.prepare(devices, log, int(job.get("seed", 0)) * 1000)
        from dtlint.trace.jax import programs

        agent = DeviceAgent(channel, devices, int(job.get("steps") or 0))
        tpu = (job.get("extra") or {}).get("backend") == "tpu"
        watcher = programs.Watcher(agent.tell, agent.launch, agent.part, agent.drift, tpu)
        for text in programs.install(watcher):
            agent.tell({"type": "notice", "text": text})
        script.keep_flags(os.environ["XLA_FLAGS"])
        end = script.execute(job, 0, lambda: agent.stopped, agent.tell)
        seen = {
            "programs": len(watcher.ran),
            "launches": agent.launches,
            "collectives": sum(len(program.collectives) for program in watcher.ran),
        }
        channel.send({"type": "end", **end, **seen})
        status = 0
    except BaseException as error:
        text = f"{type(error).__name__}: {error}"
        with contextlib.suppress(Closed):
            channel.send({"type": "notice", "text": f"the traced run itself failed ({text})"[:400]})
        traceback.print_exc()
    finally:
        os._exit(status)


def serve(job: dict[str, Any], channel: Channel, child: int, devices: int, log: str, stream: Any) -> None:
    """In the coordinating process: pass on what the script's process says, and judge how it ended."""
    deadline = time.monotonic() + float(job["timeout"])
    outcome: dict[str, Any] | None = None
    end: dict[str, Any] | None = None
    timed_out = False
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([channel], [], [], left)[0]:
            timed_out = True
            break
        try:
            record, _ = channel.receive()
        except Closed:
            break
        match record["type"]:
            case "outcome":
                outcome = record
            case "end":
                end = record
            case "covered":
                for device in range(devices):
                    stream({**record, "rank": device})
            case _:
                stream(record)
    if timed_out:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    output = tail(log)
    if end is None:
        how, text = (
            ("stopped", "")
            if timed_out or outcome
            else ("killed", f"signal {-status}" if status < 0 else f"exit {status}")
        )
        end = {"how": how, "text": text}
    outcome = outcome or _judge(end, status, output, timed_out)
    for device in range(devices):
        fields = {name: end[name] for name in ("how", "text", "place", "stack", "origin") if end.get(name)}
        stream({"type": "end", "rank": device, **fields, "output": output if device == 0 else ""})
    stream({**outcome, "type": "outcome"})


def _judge(end: dict[str, Any], status: int, output: str, timed_out: bool) -> dict[str, Any]:
    def answer(kind: str, reason: str, sentence: str) -> dict[str, Any]:
        return {"kind": kind, "reason": reason, "sentence": sentence, "events": ()}

    if timed_out:
        return answer("inconclusive", "timeout", "the script still ran when the time was over")
    if RENDEZVOUS in output:
        line = next(text for text in output.splitlines() if RENDEZVOUS in text).strip()
        return answer("deadlock", "COLLECTIVE_STATE_MISMATCH", f"COLLECTIVE_STATE_MISMATCH: XLA gave up: {line[-300:]}")
    match end["how"]:
        case "killed":
            return answer("inconclusive", "rank-killed", f"the script's process was killed ({end.get('text', '')})")
        case "exception":
            reason = "injected-failure" if end.get("origin") == "injected" else "rank-error"
            return answer("inconclusive", reason, f"the script failed: {end.get('text', '')[:300]}")
    if not end.get("launches"):
        return answer("inconclusive", "nothing-communicated", "no program ran on more than one device")
    count = f"{end['programs']} programs, {end['launches']} launches, {end['collectives']} collectives"
    return answer("agreed", "", f"every device made the same calls ({count})")
