"""What does the end of a job mean? From the coordinator's last state to agreed, mismatch, deadlock or inconclusive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dtlint.trace.agreement import Call, rank_words
from dtlint.trace.coordinator import Coordinator
from dtlint.trace.model import Outcome

LIBRARY_PROOFS = ("DDP expects same model across all ranks",)
UNREDUCED = re.compile(r"Parameter indices which did not receive grad for rank \d+:([ \d]+)")
GRADIENTS = "GRADIENTS_MISMATCH"
ENDED = {
    "finished": "had finished",
    "exit": "had exited",
    "exception": "had failed",
    "steps": "had made its steps",
    "killed": "was killed",
    "stopped": "was stopped",
}


def decide(run: Coordinator) -> Outcome:
    if run.mismatch is not None:
        return _mismatch(run)
    match run.stopping:
        case "deadlock":
            return _deadlock(run, run.stuck)
        case "timeout":
            return _keep(run, "timeout", run.who_waits(run.stuck) or "some rank still computed when the time was over")
        case "needs":
            return _keep(run, "needs-ranks", f"the script wants {run.needed} ranks")
        case "unsupported-op":
            return _keep(run, "unsupported-op", "the traced run does not know one of the calls")
    return _all_ended(run)


def _keep(run: Coordinator, reason: str, sentence: str) -> Outcome:
    return Outcome("inconclusive", reason, sentence, tuple(call.key for call in run.stuck))


def _mismatch(run: Coordinator) -> Outcome:
    assert run.mismatch is not None
    first, second = sorted((run.mismatch.first, run.mismatch.second), key=lambda call: call.rank)
    sides = ", ".join(f"rank {call.rank} = {_title(call)} at {run.places[call.key]}" for call in (first, second))
    keys = {first.key: None, second.key: None, **{call.key: None for call in run.stuck}}
    return Outcome("mismatch", run.mismatch.word, f"{run.mismatch.word}: {sides}", tuple(keys))


def _title(call: Call) -> str:
    return f"{call.operation}({call.detail})" if call.detail else call.operation


def _deadlock(run: Coordinator, calls: list[Call]) -> Outcome:
    keys = tuple(call.key for call in calls)
    awaited = {rank for call in calls for rank in run.agreement.missing(call)} & {
        rank for rank, end in run.ends.items() if end["how"] != "stopped"
    }
    for rank in sorted(awaited):
        end = run.ends[rank]
        how, origin = end["how"], end.get("origin", "")
        if how == "exception" and (left := unreduced(end)) and all(map(_reduces_gradients, calls)):
            # the others have these gradients and reduce them: DDP says so on this rank, and waits there
            text = f"COLLECTIVE_STATE_MISMATCH: {run.who_waits(calls)}; rank {rank} {_no_gradients(left)}"
            return Outcome("mismatch", GRADIENTS, text, keys)
        if how == "exception" and origin != "user":
            reason = "injected-failure" if origin == "injected" else "rank-error"
            return Outcome("inconclusive", reason, f"rank {rank} failed: {end.get('text', '')}", keys)
        if how in ("killed", "steps"):
            reason = "step-limit" if how == "steps" else "rank-killed"
            return Outcome("inconclusive", reason, f"rank {rank} {ENDED[how]}; {run.who_waits(calls)}", keys)
    groups = {call.group for call in calls}
    if len(groups) > 1 and any(call.library for call in calls):
        return Outcome("inconclusive", "order-hazard", f"asynchronous calls cross: {run.who_waits(calls)}", keys)
    sentence = "COLLECTIVE_STATE_MISMATCH: " + run.who_waits(calls)
    for rank in sorted(awaited):
        sentence += f"; rank {rank} {ENDED[run.ends[rank]['how']]}"
    return Outcome("deadlock", "COLLECTIVE_STATE_MISMATCH", sentence, keys)


def unreduced(end: Mapping[str, Any]) -> str:
    """The parameters for which DDP on this rank waited in vain, when that ended the rank."""
    return parameters_without_gradient(end.get("text", "")) if end["how"] == "exception" else ""


def parameters_without_gradient(text: str) -> str:
    """As DDP numbers them in what it says."""
    found = UNREDUCED.search(text)
    return found.group(1).strip() if found else ""


def _no_gradients(parameters: str) -> str:
    return f"had no gradients for parameters {parameters}"


def _reduces_gradients(call: Call) -> bool:
    return call.operation == "all_reduce" and call.library


def _all_ended(run: Coordinator) -> Outcome:
    ends = [run.ends[rank] for rank in sorted(run.ends)]
    failed = [end for end in ends if end["how"] in ("exception", "killed")]
    proof = next((end for end in failed for word in LIBRARY_PROOFS if word in end.get("text", "")), None)
    if proof is not None and len(failed) == len(ends):
        # every rank heard from every other rank before it said so
        return Outcome("mismatch", "SIZE_OR_SYNTAX_MISMATCH", f"SIZE_OR_SYNTAX_MISMATCH: {proof['text'][:300]}")
    parameters = [unreduced(end) for end in ends]
    if all(parameters) and len(set(parameters)) > 1:
        texts = [f"rank {end['rank']} {_no_gradients(left)}" for end, left in zip(ends, parameters, strict=True)]
        return Outcome("mismatch", GRADIENTS, f"{GRADIENTS}: {', '.join(texts)}")
    if failed:
        injected = any(end.get("origin") == "injected" for end in failed)
        reason = "injected-failure" if injected else "all-ranks-failed" if len(failed) == len(ends) else "rank-error"
        who = rank_words(end["rank"] for end in failed)
        return Outcome("inconclusive", reason, f"{who} failed: {failed[0].get('text', '')}")
    left = sorted(run.agreement.pending.values(), key=lambda call: call.key)
    if left and not any(end["how"] == "steps" for end in ends):
        sentence = f"COLLECTIVE_STATE_MISMATCH: {run.who_waits(left)} when every rank had ended"
        return Outcome("deadlock", "COLLECTIVE_STATE_MISMATCH", sentence, tuple(call.key for call in left))
    if crossed := run.agreement.crossed():
        first, second, here, there = crossed
        sentence = f"ranks {first} and {second} use groups {here} and {there} in different orders, without waiting"
        return Outcome("inconclusive", "order-hazard", sentence)
    if not run.events:
        status = {end.get("text", "") for end in ends if end["how"] == "exit"} - {"exit status 0"}
        why = f": the script itself ended with {min(status)}" if status else ""
        return Outcome("inconclusive", "nothing-communicated", f"no rank made a call that communicates{why}")
    steps = sorted({int(end.get("steps", 0)) for end in ends})
    count = f"{run.events} calls, {len(ends)} ranks"
    if any(steps):
        count += f", {steps[0]} optimizer steps" if len(steps) == 1 else f", {steps[0]} to {steps[-1]} optimizer steps"
    return Outcome("agreed", "", f"every rank made the same calls and ended ({count})")


GLOO_WAITED = ("Timed out", "timed out", "timeout", "Connection closed", "Connection reset", "mismatch", "Wait timeout")


def second_opinion(run: Coordinator) -> Outcome:
    """What real gloo processes said: they know no calls, only that one waited in vain."""
    ends = [run.ends[rank] for rank in sorted(run.ends)]
    if run.stopping == "timeout":
        return Outcome("inconclusive", "timeout", "real gloo processes still ran when the time was over")
    waited = [end for end in ends if any(word in end.get("text", "") for word in GLOO_WAITED)]
    if waited:
        first = waited[0]
        place = first.get("place") or {}
        where = f" at line {place['line']}" if place else ""
        text = first.get("text", "").splitlines()[0][:160]
        return Outcome("deadlock", "gloo", f"real gloo: rank {first['rank']} waited in vain{where} ({text})")
    failed = [end for end in ends if end["how"] in ("exception", "killed")]
    if failed:
        text = str(failed[0].get("text", ""))[:160]
        return Outcome("inconclusive", "rank-error", f"real gloo: rank {failed[0]['rank']} failed: {text}")
    return Outcome("agreed", "", "real gloo: every rank ended")
