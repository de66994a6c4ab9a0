"""Models and how they are wrapped: whose forward and backward communicate?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import deep_cause, inner_tags, opaque
from dtlint.machine.contents.presence import is_there
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import MADE_OF
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import hooks, own_gradients, parts
from dtlint.machine.library.training.modes import MODE
from dtlint.machine.library.training.modules import HAS_MODELS, is_module
from dtlint.machine.library.training.stepping import GATHERED
from dtlint.machine.names import classes
from dtlint.machine.values import (
    BY_PROCESS,
    CONTAINERS,
    FALSE,
    NONE,
    THERE,
    TRUE,
    Cause,
    ClassRef,
    Const,
    FunctionRef,
    Object,
    Row,
    Tuple,
    Unknown,
    Value,
    content,
)

BUFFERS = "buffers"
ANSWERS = "answers"  # fact of the run: what the symbol of a wrapped model's answer stands for, as its forward gave it


def forward(machine: Machine, model: Object, call: Invocation) -> Value:
    """The wrapped model is called: every rank of its group takes part, and the loss remembers whom it came from."""
    group = model.facts.get("group", machine.world_group)
    if evaluates_alone(machine, model):
        if not buffers_kept_apart(model):  # a library's layers may have some that nobody sees here
            machine.emit_event("record", "may-meet", call.name, call.mask)
    elif not machine.facts.get("join"):
        machine.emit_event(
            "collective",
            "forward",
            call.name,
            call.mask,
            group=group,
            implicit=True,
            subject=model,
            extra={"model": model, "given": call.values},
        )
    inner = model.attributes.get("module", model)  # fully_shard and the like leave the module itself
    result: Value | None = None
    if followed(inner):
        parts.forwarding(machine, model, call.mask)
        if isinstance(inner, Object):
            result = call_module(machine, inner, call.arguments, call.keywords, call.mask)
        else:
            calls_of_lanes(machine, inner, call)
        parts.forwarded(machine)
    cause = next((why for value in call.values if (why := content(value).cause) is not None), None)
    cause = cause or deep_cause(machine, call.values)
    tags = frozenset({("wrapped", model.number)}) | inner_tags(call.values)
    tags |= inner_tags(tuple(map(content, call.values)), 1)  # `model(torch.tensor(rows))`: of what is in the tensor
    tags |= frozenset(tag for value in call.values for tag in value.tags)
    machine.facts.setdefault("models", {})[model.number] = model
    if isinstance(result, Tuple | Object) and not (isinstance(result, Object) and result.kind == "torch.Tensor"):
        return answered(machine, with_tags(machine, result, tags), result)
    if result is not None:
        cause = cause or result.cause
        tags |= frozenset(tag for tag in result.tags if isinstance(tag, tuple) and tag[0] == GATHERED)
    if cause is not None and cause.kind in BY_PROCESS and cause.kind != "group rank":
        cause = Cause("data", cause.trail)  # what a model says of a rank's own input is no number of the rank
    if result is None or is_there(machine, result):
        tags |= {THERE}
    output = machine.unknown("output", model.number, machine.symbols.fresh("time"), cause=cause, tags=tags)
    return answered(machine, output, result)


def answered(machine: Machine, output: Value, result: Value | None) -> Value:
    if isinstance(output, Unknown) and result is not None:
        machine.facts.setdefault(ANSWERS, {})[output.symbol] = result
        output.symbol.behind = result.symbol if isinstance(result, Unknown) else None
    return output


def followed(inner: Value) -> bool:
    """A model of the project, or one per lane."""
    if isinstance(inner, Row):
        return all(followed(held) for held in inner.lanes)
    return isinstance(inner, Object) and (isinstance(inner.kind, ClassRef) or bool(one_by_one(inner)))


SEQUENTIAL = "torch.nn.Sequential"


def one_by_one(model: Object) -> tuple[Object, ...]:
    """What `nn.Sequential(…)` runs, where all of it is known and some of it is the project's."""
    made = model.facts.get("call")
    given = made.arguments if isinstance(made, Invocation) and made.row.name == SEQUENTIAL else ()
    layers = tuple(layer for value in given for layer in (one_of_many(value),) if isinstance(layer, Object))
    own = any(isinstance(layer.kind, ClassRef) or one_by_one(layer) for layer in layers)
    return layers if own and len(layers) == len(given) else ()


def one_of_many(value: Value) -> Value | None:
    """The layer, or for `*[Block() for _ in range(depth)]` the one that stands for all of them."""
    if not isinstance(value, Object) or value.kind != "<spread>":
        return value
    held = value.attributes["value"]
    held = held.attributes.get("[]", held) if isinstance(held, Object) else held
    return held.like if isinstance(held, Unknown) else None


def through(machine: Machine, layers: tuple[Object, ...], given: Value, mask: int) -> Value:
    """Each layer works on what the one before it gave."""
    from dtlint.machine.functions import calls

    depth = machine.facts.get("module depth", 0)
    machine.facts["module depth"] = depth + 1
    try:
        for layer in layers:
            given = calls.call_value(machine, layer, (given,), (), mask)
        return given
    finally:
        machine.facts["module depth"] = depth


def calls_of_lanes(machine: Machine, inner: Value, call: Invocation) -> None:
    """The ranks hold different models: each runs its own forward."""
    from dtlint.machine.functions import calls

    depth = machine.facts.get("module depth", 0)
    machine.facts["module depth"] = depth + 1
    calls.call_value(machine, inner, call.arguments, call.keywords, call.mask)
    machine.facts["module depth"] = depth


def evaluates_alone(machine: Machine, model: Object) -> bool:
    """Without gradients, or told to evaluate (its backward pass, if there is one, is an event of its own), a replica
    talks to the others only to make its buffers equal; a sharded model always does."""
    from dtlint.machine.library.training.stepping import grad_is_off

    inner = model.attributes.get("module", model)
    if model.facts.get("sharded") or not (grad_is_off(machine) or evaluates(inner)):
        return False
    return buffers_kept_apart(model) or not has_buffers(inner)


def evaluates(inner: Value) -> bool:
    """`model.eval()`"""
    return isinstance(inner, Object) and inner.attributes.get(MODE) == FALSE


def is_wrapper(thing: Object) -> bool:
    """A library's wrapper around a model: `model.forward(batch)` is `model(batch)`."""
    return isinstance(thing.kind, str) and bool(thing.facts.get("wrapped"))


def buffers_kept_apart(model: Object) -> bool:
    """`broadcast_buffers=False`"""
    made = model.facts.get("call")
    return isinstance(made, Invocation) and made.get("broadcast_buffers") == FALSE


def has_buffers(value: Value, depth: int = 6) -> bool:
    """Is there a batch norm, or a buffer of the project's own, somewhere inside? Where settings choose among several
    classes of the project, each of them has to have one."""
    if isinstance(value, Tuple):
        return any(has_buffers(one, depth) for one in value.items)
    if not isinstance(value, Object) or not depth:
        return False
    if not all(has_buffers(other, depth - 1) for _, _, other in value.otherwise):
        return False
    made = value.facts.get("call")
    if BUFFERS in value.facts or (isinstance(made, Invocation) and made.row.extra.get("batch_norm")):
        return True
    inside = (*value.attributes.values(), *(made.arguments if isinstance(made, Invocation) else ()))
    return any(has_buffers(one, depth - 1) for one in inside)


def register_buffer(machine: Machine, call: Invocation) -> Value:
    """Only what every model of the class has: a buffer under a condition may not be there."""
    name, held = call.get("name"), call.get("tensor")
    if isinstance(call.receiver, Object) and isinstance(name, Const) and held is not None:
        machine.set(call.receiver, name.value, held, call.mask)
        if held != NONE and not machine.frame.choices:
            call.receiver.facts[BUFFERS] = True
    return NONE


def with_tags(machine: Machine, value: Value, tags: frozenset[Any], keep: bool = False) -> Value:
    """The value with these tags; `keep`: what cannot have any stays what it is."""
    if isinstance(value, Tuple):
        return Tuple(tuple(with_tags(machine, item, tags, keep) for item in value.items))
    if isinstance(value, Unknown):
        return Unknown(value.symbol, value.cause, value.tags | tags, value.like)
    if isinstance(value, Object) and any(
        isinstance(name, str) and name.startswith(MADE_OF) for name in value.attributes
    ):
        return containers.mapped_items(value, lambda _name, held: with_tags(machine, held, tags))
    if keep and isinstance(value, Object) and holds_parts(machine, value):
        return containers.mapped_items(value, lambda _name, held: with_tags(machine, held, tags, keep))
    if keep:
        return value
    return machine.unknown("output", token(value), cause=value.cause, tags=tags)


def holds_parts(machine: Machine, value: Object) -> bool:
    """`{"depth": …}`, a list, `Output(logits=…)`: what a model gives, part by part."""
    fields = isinstance(value.kind, ClassRef) and "<fields>" in value.kind.attributes
    return value.kind in CONTAINERS or (fields and not is_module(machine, value))


def call_module(machine: Machine, model: Object, arguments: tuple[Value, ...], keywords: Any, mask: int) -> Value:
    """A project's nn.Module is called: its forward runs."""
    from dtlint.machine.functions import calls

    method = classes.in_class(machine, model.kind, "forward") if isinstance(model.kind, ClassRef) else None
    if isinstance(method, FunctionRef):
        depth = machine.facts.get("module depth", 0)
        machine.facts["module depth"] = depth + 1
        try:
            return calls.follow(machine, method, model, arguments, keywords, mask)
        finally:
            machine.facts["module depth"] = depth
    layers = one_by_one(model)
    if layers and len(arguments) == 1:
        return through(machine, layers, arguments[0], mask)
    return opaque(machine, "call", model, *arguments)


def wrapped_models(machine: Machine, value: Value | None) -> list[Object]:
    """The wrapped models a loss was computed with."""
    if value is None:
        return []
    known = machine.facts.get("models", {})
    made_by = (tag[1] for tag in sorted(value.tags, key=repr) if isinstance(tag, tuple) and len(tag) > 1)
    return [known[number] for number in made_by if number in known]


def divided(machine: Machine, left: Value, result: Value) -> None:
    """What a wrapped model gave is divided here: a fact, as a loss may be divided by the wrong number."""
    if isinstance(result, Unknown) and wrapped_models(machine, left):
        frame = machine.frame
        machine.facts.setdefault("quotients", {})[result.symbol] = (frame.path, machine.current_at, frame.scope)


def backward(machine: Machine, call: Invocation) -> Value:
    """`loss.backward()` through a wrapped model reduces gradients over its group."""
    loss = call.receiver
    held = loss.attributes.get("content") if isinstance(loss, Object) else loss
    models = wrapped_models(machine, held)
    if models and not machine.facts.get("no_sync") and not machine.facts.get("join"):
        group = models[0].facts.get("group", machine.world_group)
        machine.emit_event(
            "collective",
            "backward",
            "Tensor.backward",
            call.mask,
            group=group,
            implicit=True,
            subject=models[0],
            extra={"model": models[0], "loss": held},
        )
    if not models:
        own_gradients.passed_back(machine, held)
    joined = models and machine.facts.get("join") and not machine.facts.get("no_sync")
    parts.learned(machine, models)
    machine.emit_event(
        "step",
        "backward",
        "Tensor.backward",
        call.mask,
        subject=held,
        group=models[0].facts.get("group", machine.world_group) if joined else None,
        extra={"no_sync": machine.facts.get("no_sync", 0)},
    )
    if hooks.GRADIENT_HOOKS in machine.facts:
        hooks.backward(machine, call.mask)
    return NONE


def framework_backward(machine: Machine, call: Invocation) -> Value:
    """`accelerator.backward(loss)` reduces gradients, of whichever model the framework prepared."""
    loss = call.arguments[0] if call.arguments else next((value for _, value in call.keywords), None)
    held = loss.attributes.get("content") if isinstance(loss, Object) else loss
    models = wrapped_models(machine, held)
    if not machine.facts.get("no_sync") and not machine.facts.get("join"):
        group = models[0].facts.get("group", machine.world_group) if models else machine.world_group
        machine.emit_event(
            "collective",
            "backward",
            call.name,
            call.mask,
            group=group,
            implicit=True,
            subject=models[0] if models else None,
            extra={
                "call": call,
                "loss": held,
                **({"model": models[0]} if models else {}),
                HAS_MODELS: of_prepared(call),
            },
        )
    parts.learned(machine, models)
    off = machine.facts.get("no_sync", 0)
    counts = bool(call.row.extra.get("counts_by_steps")) or told_a_window(call)
    extra = {"no_sync": off, "as it is": as_it_is(call), "in each turn": not counts}
    machine.emit_event("step", "backward", call.name, call.mask, subject=held, extra=extra)
    return NONE


def of_prepared(call: Invocation) -> bool:
    """Did the framework whose method this is prepare a model?"""
    return isinstance(call.receiver, Object) and bool(call.receiver.facts.get(HAS_MODELS))


def as_it_is(call: Invocation) -> bool:
    """Does the framework hand the loss on without dividing it: never, or because its maker has named no number?"""
    made = made_with_options(call)
    if made is None:
        return bool(call.row.extra.get("as_it_is"))
    return not any(name is None for name, _ in made.keywords) and not told_a_window(call)


def told_a_window(call: Invocation) -> bool:
    """Has its maker named how many turns it takes, or is the maker out of sight?"""
    made = made_with_options(call)
    options = call.row.extra.get("divides_by", ())
    return any(made is None or made.get(option) not in (None, NONE, Const(1)) for option in options)


def made_with_options(call: Invocation) -> Invocation | None:
    """The call that made the framework, where the loss is divided by what that was told."""
    made = call.receiver.facts.get("call") if isinstance(call.receiver, Object) else None
    if not call.row.extra.get("divides_by") or not isinstance(made, Invocation):
        return None
    return made if isinstance(call.receiver, Object) and made.name == call.receiver.kind else None


def scaled_step(machine: Machine, call: Invocation) -> Value:
    """`scaler(loss, optimizer, need_update=last)`: backward and step of the optimizer in one call."""
    from dtlint.machine.functions import calls
    from dtlint.machine.names import attributes

    loss, optimizer, now = call.get("loss"), call.get("optimizer"), call.get("need_update")
    if loss is not None:
        backward(machine, replace(call, receiver=loss))
    if optimizer is not None and (now is None or now == TRUE):
        calls.call_value(machine, attributes.read(machine, optimizer, "step", call.mask), (), (), call.mask)
    return NONE


def join_context(machine: Machine, call: Invocation) -> Value:
    made = machine.new("<join>", call.mask)
    made.facts["context"] = "join"
    return made


MODELS = {
    "backward": backward,
    "accelerate_backward": framework_backward,
    "join": join_context,
    "scaled_step": scaled_step,
    "register_buffer": register_buffer,
}
