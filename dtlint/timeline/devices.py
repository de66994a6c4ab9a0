"""Which device does a move name?"""

from __future__ import annotations

from dtlint.machine.logs import Event
from dtlint.machine.values import Const, Object, Value

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


def on_cuda(event: Event) -> bool:
    """Does something go to a GPU here, whichever?"""
    device = named(event)
    return isinstance(device, Const) and isinstance(device.value, str) and device.value.startswith("cuda")
