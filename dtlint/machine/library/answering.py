"""What do values answer that nobody can follow: unknown things, models, instances of library classes?"""

from __future__ import annotations

from dataclasses import replace

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.contents import containers, dictionaries
from dtlint.machine.contents.opaque import opaque, wherever
from dtlint.machine.core import Machine
from dtlint.machine.lanes import is_switch, token
from dtlint.machine.library.computing import devices, elements, provenance, tensors
from dtlint.machine.library.feeding import data, loaders, whole_batches
from dtlint.machine.library.invocation import LOCAL, Invocation, Keywords
from dtlint.machine.library.jax import hosts as jax_hosts
from dtlint.machine.library.meeting import unheard, works
from dtlint.machine.library.python import clocks, copies, files, replaced, run_later
from dtlint.machine.library.python import methods as python_methods
from dtlint.machine.library.reading import uneven_length
from dtlint.machine.library.training import gradient_parts, hooks, models, operations, own_gradients, parts, stepping
from dtlint.machine.values import BY_RANK, Const, Object, Row, Symbol, Unknown, Value

MOVES = frozenset({"to", "cuda", "cpu", "xpu", "npu", "hpu", "to_empty"})  # where a thing lives is not what it holds


def call_unknown(
    machine: Machine,
    callee: Value,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
) -> Value:
    """Nobody knows what is called: the result depends on the arguments."""

    if isinstance(callee, Const):
        return callee  # a well-known member, spelled as a method
    receiver = machine.receiver if machine.receiver is not None else callee  # before functions that are handed over run
    run_later.handed_over(machine, Invocation("", LOCAL, None, arguments, keywords, mask, node))
    stepping.module_called(machine, callee, mask)
    own_gradients.handed_on(machine, arguments, mask)
    method: str | None = None
    if node is not None and isinstance(node.func, ir.Attr):
        method = node.func.name
    else:
        holder = taken_from(callee)
        if holder is not None:
            receiver, method = holder
    if method is not None:
        files.note_looked_for(machine, receiver, method, arguments)
        told_alike = clocks.of_moment(machine, callee, method, arguments)
        if told_alike is not None:
            return told_alike
        found = call_method(machine, receiver, Invocation(method, LOCAL, receiver, arguments, keywords, mask, node))
        if found is not None:
            return found
        if method == "pop" and arguments:
            dictionaries.take_out(machine, receiver, arguments[0], mask)
        if method in machine.knowledge.joining:  # `pending.result()`: of None at first, later of what was submitted
            machine.emit_event("record", "thread-join", method, mask, subject=receiver)
        if method in machine.knowledge.agreeing:  # `strategy.broadcast(path)`
            return machine.unknown("agreed", token(callee), *map(token, arguments))
        if unheard.speaks_of_meeting(machine, method):  # `trainer.fabric.barrier()`
            machine.emit_event("record", unheard.MEETS, method, mask)
    elif (arguments or keywords) and given_by_nobody_seen(callee):
        machine.emit_event("record", unheard.MEETS, "", mask)
    made: Value = opaque(machine, "call", callee, *arguments, *wherever(machine, keywords))
    if node is not None and isinstance(node.func, ir.Attr) and node.func.name == "item" and isinstance(made, Unknown):
        made = Unknown(made.symbol, made.cause, made.tags - {containers.UNEVEN}, made.like)  # a number has no length
    if method == "detach":  # nobody wants a gradient of what was gathered here
        made = provenance.without(made, stepping.GATHERED)
    return made if callee.cause is not None else told(machine, made, (*arguments, *(value for _, value in keywords)))


def given_by_nobody_seen(callee: Value) -> bool:
    """`def evaluate(model, …)` is run for itself, and calls the model: the ranks meet in it if it is wrapped."""
    return isinstance(callee, Unknown) and callee.symbol.key[0] == "parameter"


def taken_from(callee: Value) -> tuple[Value, str] | None:
    """`apply = state.apply_fn`, and `apply` is called, here or by somebody it was given to: whose method is it?"""
    key = callee.symbol.key if isinstance(callee, Unknown) else ()
    if len(key) != 3 or key[0] != "attr" or not isinstance(key[1], Symbol) or not isinstance(key[2], str):
        return None
    return Unknown(key[1], callee.cause, getattr(callee, "tags", frozenset())), key[2]


def call_method(machine: Machine, receiver: Value, call: Invocation) -> Value | None:
    """A method of something unknown, told by what it is called; None: it is like any other."""
    name = call.name
    if name == "backward":
        return models.backward(machine, call)
    if name == "size":
        rows = uneven_length(machine, receiver, call.mask) if call.arguments == (Const(0),) else None
        return rows if rows is not None else machine.unknown("size", token(receiver), *map(token, call.arguments))
    if name in ("numel", "nelement") and (
        loaders.stacked(machine, receiver) or own_gradients.made_of_gradients(machine, receiver)
    ):
        return machine.unknown("size", token(receiver), "numel")
    other = replaced.method(machine, receiver, name, call)
    if other is not None:
        return other
    unique = machine.knowledge.anywhere.get(name)
    if unique is not None:
        return library.calling.perform(machine, unique, receiver, call.arguments, call.keywords, call.mask, call.node)
    hooked = hooks.of_gradient(machine, receiver, call)
    if hooked is not None:
        return hooked
    stepping.unknown_method(machine, receiver, name, call)
    if name in MOVES and isinstance(receiver, Unknown) and not elements.retyped(receiver, call):
        devices.sample_moved(machine, receiver, call)
        return receiver
    works.unknown_method(machine, receiver, name, call)
    known = files.anywhere(machine, name)
    if known is not None:
        return library.calling.perform(machine, known, receiver, call.arguments, call.keywords, call.mask, call.node)
    if name == "requires_grad_":
        parts.frozen(machine, call)
        stepping.differentiated_by_hand(machine, receiver)
    for answer in ANSWERS:
        found = answer(machine, receiver, name, call)
        if found is not None:
            return found
    return None


# Asked in turn; the first that has something to say is right.
ANSWERS = (
    gradient_parts.taken_out,
    tensors.unknown_method,
    data.unknown_method,
    python_methods.view_of_numbers,
    python_methods.extended,
    copies.of_settings,
    jax_hosts.unknown_method,
)


def without_flags(call: Invocation) -> Invocation:
    """`resume(path, verbose=rank == 0)`: who tells that to a function nobody knows wants it to talk, on one rank."""
    return replace(call, keywords=tuple((name, value) for name, value in call.keywords if not is_switch(value)))


def told(machine: Machine, made: Value, given: tuple[Value, ...]) -> Value:
    """Something unknown was made with arguments that tell who this rank is. What a rank has picked tells something
    else: all of `loads(lines[rank])` is this rank's own."""
    own = any(held.cause is not None and picked(held) for value in given for held in provenance.parts(value, 1))
    if isinstance(made, Unknown) and made.cause is not None and made.cause.kind in BY_RANK and not own:
        machine.facts.setdefault("told", set()).add(made.symbol)
    return made


def picked(value: Value) -> bool:
    if isinstance(value, Row):
        return any(isinstance(held, Unknown) for held in value.lanes)
    taken = isinstance(value, Unknown) and value.symbol.key[0] in ("item", "slice")
    return taken or provenance.has_mark(value, "shard", 0)


def call_model(
    machine: Machine,
    thing: Object,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
) -> Value:
    """An instance of a project class without `__call__` of its own."""
    whole_batches.into_graph(machine, thing, arguments[:1], mask)
    if thing.facts.get("wrapped"):
        invocation = Invocation("forward", LOCAL, thing, arguments, keywords, mask, node)
        return models.forward(machine, thing, invocation)
    if "forwarding" in machine.facts:
        parts.called(machine, thing, mask)
    made = models.call_module(machine, thing, arguments, keywords, mask)
    return stepping.inner_called(machine, thing, made, mask)


def call_instance(
    machine: Machine,
    thing: Object,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
) -> Value:
    """An instance of a library class is called."""
    whole_batches.into_graph(machine, thing, arguments[:1], mask)
    if thing.facts.get("wrapped"):
        known = machine.knowledge.method(str(thing.kind), "__call__") or LOCAL
        return models.forward(
            machine, thing, Invocation(f"{thing.kind}.forward", known, thing, arguments, keywords, mask, node)
        )
    if thing.kind == operations.OPERATION:
        return operations.apply(machine, thing, arguments, keywords, mask)
    row = machine.knowledge.method(str(thing.kind), "__call__")
    if row is not None:
        return library.calling.perform(machine, row, thing, arguments, keywords, mask, node)
    invocation = Invocation("__call__", LOCAL, thing, arguments, keywords, mask, node)
    found = jax_hosts.called(machine, thing, invocation)
    if found is not None:
        return found
    if "forwarding" in machine.facts:
        parts.called(machine, thing, mask)
    layers = models.one_by_one(thing)
    if layers and len(arguments) == 1:
        result = models.through(machine, layers, arguments[0], mask)
    else:
        result = opaque(machine, "call", Const(str(thing.kind)), *arguments, *(value for _, value in keywords))
    return stepping.inner_called(machine, thing, result, mask)
