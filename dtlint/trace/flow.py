"""What did the script's own generators hand out? Data comes to most training loops through one.

Told in the form of loaders (see torch/seen.py), so that ranks and hosts are compared in the same way. Only the standard
library.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
from types import CodeType, FrameType
from typing import Any

KEPT = 400  # items of one pass
PASSES = 2
GENERATORS = 40
ENDS = dis.opmap["RETURN_VALUE"], dis.opmap.get("RETURN_CONST", dis.opmap["RETURN_VALUE"])


class Flow:
    def __init__(self) -> None:
        self.passes: dict[CodeType, dict[int, dict[str, Any]]] = {}  # function → pass → what came out
        self.frames: list[FrameType] = []  # kept, so that no two passes have one id

    def returned(self, frame: FrameType, path: str, value: Any) -> None:
        """A function of a watched file gives something back, for now or for good."""
        code = frame.f_code
        if not code.co_flags & inspect.CO_GENERATOR:
            return
        known = self.passes.get(code)
        if known is None:
            if len(self.passes) >= GENERATORS:
                return
            known = self.passes[code] = {}
        state = known.get(id(frame))
        if state is None:
            if len(known) >= PASSES:
                return
            state = known[id(frame)] = {"path": path, "samples": [], "batches": 0, "whole": False, "into": None}
            self.frames.append(frame)
            if frame.f_back is not None:
                taker = frame.f_back.f_code
                state["into"] = {"path": taker.co_filename, "line": taker.co_firstlineno}
        if value is None:
            state["whole"] = code.co_code[frame.f_lasti] in ENDS
            return
        state["batches"] += 1
        if len(state["samples"]) < KEPT:
            state["samples"].append(digest(value))

    def loaders(self) -> list[dict[str, Any]]:
        found = []
        for code, known in self.passes.items():
            states = [state for state in known.values() if all(state["samples"])]
            if states:
                last = max((line for *_, line in code.co_lines() if line is not None), default=code.co_firstlineno)
                data = {"path": states[0]["path"], "first": code.co_firstlineno, "last": last}
                found.append({**told([], states), "into": states[0]["into"], "data": data})
        return found


def told(stack: list[dict[str, object]], epochs: list[dict[str, Any]]) -> dict[str, Any]:
    """In the form of a loader: its samples are known by their values, and it has neither indices nor workers."""
    return {
        "made": stack,
        "read": stack[-1:],
        "workers": 0,
        "by_worker": [],
        "values": True,
        "data": None,
        "epochs": [{**epoch, "indices": [], "trains": True} for epoch in epochs],
    }


def digest(value: Any) -> str:
    """A name for what a value holds; empty where that cannot be told."""
    state = hashlib.blake2b(digest_size=8)
    return state.hexdigest() if _feed(state, value, 0) else ""


def _feed(state: Any, value: Any, depth: int) -> bool:
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    if hasattr(value, "tobytes"):
        state.update(str(getattr(value, "shape", "")).encode() + value.tobytes())
        return True
    if isinstance(value, dict) and depth < 4:
        return all(_feed(state, item, depth + 1) for pair in value.items() for item in pair)
    if isinstance(value, (list, tuple)) and depth < 4:
        state.update(str(len(value)).encode())
        return all(_feed(state, item, depth + 1) for item in value)
    if isinstance(value, (str, bytes, int, float, bool, complex, type(None))):
        state.update(repr(value).encode("utf-8", "replace"))
        return True
    return False
