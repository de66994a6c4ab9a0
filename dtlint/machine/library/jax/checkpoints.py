"""What does a checkpoint do to the copies that the devices have of a state?

What is restored has none, unless it was saved with them. What a file of the program's own holds is known where the
program writes the copy of one device into such a file.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax.facts import fact, is_fact, words
from dtlint.machine.library.meeting import collectives
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import NONE, Object, Unknown, Value

GIVEN_BACK = "given back"  # fact: what a restored state was before, if there was no checkpoint in a folder
SAVED_INTO = "saved into"  # fact of the run: folders of the program's own checkpoints
STORED = "stored"  # fact: read from a file, without copies if it was written without them


def restore(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    target = call.get("target")
    if target is not None and any(is_fact(tag, "replicated") for tag in jax_facts.deep((target,))):
        # as the file has it, whatever the target looks like
        over = fact("over copies", jax_facts.place(machine))
        folder = token(call.get("ckpt_dir") or NONE)
        back = () if somebody_looked(machine, folder) else (fact(GIVEN_BACK, folder),)
        return machine.fresh("restored", None, frozenset((fact("array"), over, *back)))
    if target == NONE:  # nothing says what it should look like
        return as_stored(machine, machine.fresh("restored", None, frozenset((fact("array"),))))
    tag = fact("host tree", "restored, without a copy for each device", "restored", jax_facts.place(machine))
    return machine.fresh("restored", None, frozenset((fact("array"), tag)))


def somebody_looked(machine: Machine, folder: Any) -> bool:
    """`if latest_checkpoint(folder): …`, `if os.listdir(folder): …`: there is one, where this is run."""
    frame: Frame | None = machine.frame
    while frame is not None:
        for decision in frame.choices:
            inner = () if decision.symbol is None else symbols_in(decision.symbol)
            if decision.cause is not None or any(one is folder or folder in one.key[1:] for one in inner):
                return True
        frame = frame.caller
    return False


def loaded(machine: Machine, call: Invocation) -> Value | None:
    """`FlaxAutoModel.from_pretrained(name)`: a model with its weights, or the two of them, as the hub has them."""
    from dtlint.machine.library.python import builtins as python

    jax_flow.started(machine)
    made = python.opaque(machine, call)
    tag = fact("host tree", "as it was loaded, without a copy for each device", "loaded", jax_facts.place(machine))
    return jax_facts.with_facts(machine, made, [tag])


def managed(call: Invocation) -> Value | None:
    """The state among the arguments of a method: `args=StandardRestore(state)`, or `items=state`."""
    held = call.get("args") or call.get("items")
    held = None if held == NONE else held
    made = held.facts.get("call") if isinstance(held, Object) else None
    return made.arguments[0] if isinstance(made, Invocation) and made.arguments else held


def manager_restores(machine: Machine, call: Invocation) -> Value | None:
    """`manager.restore(step, args=StandardRestore(state))`"""
    target = managed(call)
    if machine.flow is None:
        return None
    collectives.perform_collective(machine, call)
    if target is None or not words(jax_facts.deep((target,)), "replicated"):
        return as_stored(machine, machine.fresh("restored", None, frozenset((fact("array"),))))
    return machine.fresh("restored", None, frozenset((fact("array"), fact("over copies", jax_facts.place(machine)))))


def manager_saves(machine: Machine, call: Invocation) -> Value | None:
    into_file(machine, managed(call), call.mask)
    return None


def save(machine: Machine, call: Invocation) -> Value | None:
    backend = call.get("orbax_checkpointer")
    if backend is not None and backend != NONE:
        machine.emit_event(
            "collective",
            "save_checkpoint",
            call.name,
            call.mask,
            group=machine.world_group,
            implicit=True,
            extra={"call": call},
        )
    machine.facts.setdefault(SAVED_INTO, set()).add(token(call.get("ckpt_dir") or NONE))
    for_any_reader(machine, call.get("target"), call.mask)
    return None


def save_weights(machine: Machine, call: Invocation) -> Value | None:
    """`model.save_pretrained(folder, params=state.params)`: who loads it knows nothing of this program's devices."""
    if machine.flow is not None:
        for_any_reader(machine, call.get("params"), call.mask)
    return None


def for_any_reader(machine: Machine, target: Value | None, mask: int) -> None:
    if target is None:
        return
    jax_flow.used(machine, (target,), machine.facts.get(jax_facts.DONATED, {}))
    found = jax_facts.deep((target,))
    alone(machine, found)
    if words(found, "replicated"):
        made = [tag[2] for tag in words(found, "output")]
        origins = machine.facts.get("jax origins", {})
        jax_facts.note(machine, "saved copies", mask, origin=origins.get(made[0]) if made else None)


def written(machine: Machine, call: Invocation) -> Value | None:
    """`pickle.dump(unreplicate(state), file)`; or as the devices have it, which is right for who reads it like that."""
    into_file(machine, call.get("obj"), call.mask)
    return None


def into_file(machine: Machine, given: Value | None, mask: int) -> None:
    if machine.flow is not None and given is not None:
        jax_flow.used(machine, (given,), machine.facts.get(jax_facts.DONATED, {}))
        found = jax_facts.deep((given,))
        alone(machine, found)
        if words(found, "replicated"):
            jax_facts.note(machine, "written copies", mask)


def alone(machine: Machine, found: Any) -> None:
    if any(tag[3] == "unreplicated" for tag in words(found, "host tree")):
        machine.facts[jax_facts.SAVED_ALONE] = True


def read_back(machine: Machine, call: Invocation) -> Value | None:
    """`pickle.load(file)`"""
    from dtlint.machine.library.python import builtins as python

    made = python.opaque(machine, call)
    return as_stored(machine, made) if machine.flow is not None and isinstance(made, Unknown) else made


def as_stored(machine: Machine, made: Unknown) -> Value:
    machine.facts[jax_facts.READ_BACK] = True
    text = "read from a file, without a copy for each device"
    return jax_facts.with_facts(machine, made, [fact(STORED, text, jax_facts.place(machine))], frozenset())


MODELS: dict[str, Any] = {
    "orbax_restored": manager_restores,
    "orbax_saved": manager_saves,
    "flax_restore": restore,
    "flax_loaded": loaded,
    "flax_save_checkpoint": save,
    "flax_save_weights": save_weights,
    "jax_written": written,
    "jax_read_back": read_back,
}
