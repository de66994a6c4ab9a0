"""Where do things that are loaded from files go, and who forgot to say so?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import variables_in
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.stepping import LOADED
from dtlint.machine.values import NONE, Const, Value


def load_state(machine: Machine, call: Invocation) -> Value:
    """`torch.load(path)`: what came from the file remembers it. A helper that takes `map_location` passes it on."""
    number = len(machine.facts.setdefault("loads", {}))
    frame = machine.frame
    names = {param.name for param in frame.node.params} if isinstance(frame.node, ir.Function) else set()
    ignored = isinstance(frame.node, ir.Function) and MAPS & names and not variables_in(frame.node.body) & MAPS
    machine.facts["loads"][number] = machine.emit_event(
        "record",
        "load",
        call.name,
        call.mask,
        subject=call.arguments[0] if call.arguments else None,
        extra={"call": call, "number": number, "not forwarded": bool(ignored)},
    )
    file = call.get("f")  # where it goes to says nothing of what is in it
    cause = deep_cause(machine, (file,)) if file is not None else None
    tags = frozenset({(LOADED, number)})
    found = machine.unknown("loaded", number, machine.symbols.fresh("file"), cause=cause, tags=tags)
    place = frame.path, machine.current_at, token(file) if file is not None else None
    earlier = machine.facts.setdefault("loaded at", {})
    lanes, before = earlier.get(place, (0, found))
    if lanes & call.mask:
        lanes, before = 0, found
    earlier[place] = lanes | call.mask, before  # who come apart read the same
    return provenance.own_data(machine, before)


def numbered(machine: Machine, call: Invocation) -> Value:
    """`get_accelerator().device_name(local_rank)` is `"cuda:1"`."""

    def one(number: Value) -> Value:
        if isinstance(number, Const) and type(number.value) is int:
            return Const(f"cuda:{number.value}")
        return machine.unknown("device name", token(number))

    number = call.get("device_index")
    return Const("cuda") if number is None or number == NONE else map_lanes(one, (number,), machine.world)


def tensor_made(machine: Machine, call: Invocation) -> None:
    """The first `torch.ones(…, device="cuda")` starts CUDA."""
    for name, value in call.keywords:
        if name == "device" and isinstance(value, Const) and str(value.value).startswith("cuda"):
            key = ("cuda", len(machine.stack) > 0)
            if key not in machine.facts.setdefault("backends", set()):
                machine.facts["backends"].add(key)
                machine.emit_event("record", "backend", call.name, call.mask, extra={"starts": "cuda", "device": value})


def sample_moved(machine: Machine, receiver: Value, call: Invocation) -> None:
    """`x.to(device)` of something unknown, where samples are made: a worker may do that, forked after CUDA was used."""
    row = machine.knowledge.apis.get(f"torch.Tensor.{call.name}")
    if machine.facts.get("inside") and row is not None and row.record:
        extra = {"call": replace(call, row=row)}
        machine.emit_event("record", row.record, row.name, call.mask, subject=receiver, extra=extra)


MAPS = frozenset({"map_location"})


MODELS: dict[str, Any] = {"device_name": numbered, "load_state": load_state}
