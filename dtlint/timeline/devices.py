"""Which device does a move name, and what does a choice by the GPUs that are there come to?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.logs import Event
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value

MOVES = ("move", "tensor-move")


def named(event: Event) -> Value | None:
    """`"cuda"` of `.to("cuda")` and of `.to(torch.device("cuda"))`, and for `.cuda()`; None where nobody knows it."""
    if event.kind != "record" or event.op not in MOVES:
        return None
    call = event.extra["call"]
    if call.row.name.endswith(".cuda"):
        return Const("cuda") if not call.arguments and not call.keywords else Const("cuda:…")
    given: Value | None = call.arguments[0] if call.arguments else call.get("device")
    if isinstance(given, Object) and given.kind == "torch.device":
        made = given.facts.get("call")
        if made is None or not made.arguments:
            return None
        numbered = len(made.arguments) > 1 or made.keywords
        return Const("cuda:…") if numbered and made.arguments[0] == Const("cuda") else made.arguments[0]
    return given


def named_at(event: Event) -> tuple[str, int] | None:
    """Where the `torch.device("cuda")` was made that the move was handed, if that is another line."""
    call = event.extra.get("call")
    given = (call.arguments[0] if call.arguments else call.get("device")) if call is not None else None
    if not isinstance(given, Object) or given.kind != "torch.device" or given.at is None:
        return None
    place = (given.path, given.at[0])
    return place if place != (event.path, event.at[0]) else None


def with_gpus(run: Any, value: Value | None) -> Value | None:
    """What `"cuda" if torch.cuda.is_available() else "cpu"`, and what is decided by that in turn, is on machines for
    which the program is written."""
    found = resolved(run, value.symbol) if isinstance(value, Unknown) and value.cause is None else None
    return Const(found) if isinstance(found, str) else value


def resolved(run: Any, part: Any) -> Any:
    if not isinstance(part, Symbol):
        return part
    kind, *parts = part.key
    if kind == "same" and len(parts) == 1:
        row = run.knowledge.apis.get(parts[0])
        return True if row is not None and row.extra.get("finds_gpus") else None
    if kind == "phi" and len(parts) == 3:
        decided = resolved(run, parts[0])
        return None if decided is None else resolved(run, parts[1] if decided else parts[2])
    if kind in ("not", "bool") and len(parts) == 1:
        inner = resolved(run, parts[0])
        return None if inner is None else bool(inner) is (kind == "bool")
    if kind in ("compare ==", "compare !=") and len(parts) == 2:
        left, right = (resolved(run, one) for one in parts)
        return (left == right) is (kind == "compare ==") if isinstance(left, str) and isinstance(right, str) else None
    return None


def on_cuda(event: Event) -> bool:
    """Does something go to a GPU here, whichever?"""
    device = named(event)
    return isinstance(device, Const) and isinstance(device.value, str) and device.value.startswith("cuda")
