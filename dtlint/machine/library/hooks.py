"""What runs when an optimizer steps? Functions that were registered to be called before or after it."""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Object, Tuple, Value

HOOKS = "step hooks"
RUNNING = "step hooks running"
HANDLE = "torch.utils.hooks.RemovableHandle"


def registered(machine: Machine, call: Invocation) -> Value:
    handle = machine.new(HANDLE, call.mask)
    hook = call.get("hook")
    if isinstance(call.receiver, Object) and hook is not None:
        call.receiver.facts.setdefault(HOOKS, {})[handle.number] = (call.name.endswith("pre_hook"), hook)
        handle.facts["owner"] = call.receiver
    return handle


def removed(machine: Machine, call: Invocation) -> Value:
    handle = call.receiver
    if isinstance(handle, Object) and isinstance(handle.facts.get("owner"), Object) and not machine.frame.guards:
        handle.facts["owner"].facts[HOOKS].pop(handle.number, None)
    return NONE


def stepped(machine: Machine, call: Invocation) -> Value | None:
    """The step itself is in the log: now what hangs on it, the hooks before it first."""
    from dtlint.machine import calls

    optimizer = call.get("optimizer") or call.receiver
    if not isinstance(optimizer, Object) or machine.facts.get(RUNNING):
        return None
    machine.facts[RUNNING] = True
    for _, hook in sorted(optimizer.facts.get(HOOKS, {}).values(), key=lambda one: not one[0]):
        calls.call_value(machine, hook, (optimizer, Tuple(()), machine.new("dict", call.mask)), (), call.mask)
    machine.facts[RUNNING] = False
    return None


MODELS: dict[str, Any] = {"step_hook": registered, "step_hook_removed": removed, "optimizer_stepped": stepped}
