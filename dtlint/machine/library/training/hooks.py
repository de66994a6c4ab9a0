"""What runs when an optimizer steps, a gradient is there or a state is saved? What was registered for that."""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import works
from dtlint.machine.library.training import own_gradients
from dtlint.machine.values import NONE, Bound, FunctionRef, Object, Tuple, Value

HOOKS = "step hooks"
GRADIENT_HOOKS = "gradient hooks"
AT_THE_END = "called as backward ends"
MOST = 8
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


def run_first(machine: Machine, call: Invocation) -> None:
    """`optimizer.step(closure)`: the function that computes the loss and its gradients comes before the step."""
    from dtlint.machine.functions import calls

    given = call.get(call.row.extra["first"])
    if isinstance(given, FunctionRef | Bound):
        calls.call_value(machine, given, (), (), call.mask)


def stepped(machine: Machine, call: Invocation) -> Value | None:
    """The step itself is in the log: now what hangs on it, the hooks before it first."""
    from dtlint.machine.functions import calls

    own_gradients.used(machine)
    optimizer = call.get("optimizer") or call.receiver
    if not isinstance(optimizer, Object) or machine.facts.get(RUNNING):
        return None
    hooked = optimizer.facts.get(HOOKS, {}).values()
    for early in (True, False):
        machine.facts[RUNNING] = True
        for before, hook in hooked:
            if before is early:
                calls.call_value(machine, hook, (optimizer, Tuple(()), machine.new("dict", call.mask)), (), call.mask)
        machine.facts[RUNNING] = False
        if early:
            works.gradients_used(machine)
    return None


OF_GRADIENT = {"register_post_accumulate_grad_hook": "", "register_hook": "grad"}


def of_gradient(machine: Machine, receiver: Value, call: Invocation) -> Value | None:
    """`parameter.register_hook(…)`: the hook is given the gradient, or the parameter that has it by then."""
    if call.name not in OF_GRADIENT or not call.values or not isinstance(call.values[0], FunctionRef | Bound):
        return None
    known = machine.facts.setdefault(GRADIENT_HOOKS, [])
    if len(known) < MOST:
        known.append((receiver, call.name, call.values[0], call.mask))
    return machine.new(HANDLE, call.mask)


def backward(machine: Machine, mask: int) -> None:
    from dtlint.machine.functions import calls
    from dtlint.machine.names import attributes

    for receiver, name, hook, lanes in machine.facts.get(GRADIENT_HOOKS, ()):
        part = OF_GRADIENT[name]
        given = attributes.read(machine, receiver, part, mask) if part else receiver
        calls.call_value(machine, hook, (given,), (), mask & lanes)
    for callback, lanes in machine.facts.pop(AT_THE_END, ()):
        calls.call_value(machine, callback, (), (), mask & lanes)


def at_the_end(machine: Machine, call: Invocation) -> Value | None:
    """A hook asks the engine to call something when all gradients are there."""
    callback = call.get("callback")
    known = machine.facts.setdefault(AT_THE_END, [])
    if callback is not None and len(known) < MOST:
        known.append((callback, call.mask))
    return None


def registered_for_state(machine: Machine, call: Invocation) -> Value:
    """`accelerator.register_save_state_pre_hook(hook)`"""
    hook = call.get("hook")
    if isinstance(call.receiver, Object) and hook is not None:
        call.receiver.facts.setdefault(call.row.name, []).append(hook)
    return machine.new(HANDLE, call.mask)


def state_handled(machine: Machine, call: Invocation) -> Value | None:
    """Whoever saves or loads the state runs the hooks for it first, with the models and the folder."""
    from dtlint.machine.functions import calls

    known = call.receiver.facts.get(str(call.row.extra["hooks"]), ()) if isinstance(call.receiver, Object) else ()
    folder = call.get(call.row.params[0])
    given = [machine.new("list", call.mask) for _ in range(int(call.row.extra["lists"]))]
    for held in given:
        held.attributes["[]"] = machine.fresh("items")
    for hook in known:
        calls.call_value(machine, hook, (*given, folder if folder is not None else NONE), (), call.mask)
    return None


MODELS: dict[str, Any] = {
    "state_hook": registered_for_state,
    "state_handled": state_handled,
    "backward_ends": at_the_end,
    "step_hook": registered,
    "step_hook_removed": removed,
    "optimizer_stepped": stepped,
}
