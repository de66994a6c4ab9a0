"""What happens to parameters, gradients and optimizers between two steps?

Most of it is written as events: which model moves, where gradients are kept from being reduced, what is written onto
a tensor that is thrown away, which gathered tensor a loss is made of. The questions are asked in `timeline`: stepping,
windows, loss_scale, unreduced.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import all_tags, opaque
from dtlint.machine.core import TRAINING, Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import marks, provenance, tensors
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import works
from dtlint.machine.library.training import gradient_parts, parameters, parts
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.logs import Event
from dtlint.machine.names import classes
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import (
    FALSE,
    ITEMS,
    NONE,
    Bound,
    Const,
    External,
    Object,
    Symbol,
    Unknown,
    Value,
    content,
)

OPTIMIZER = "torch.optim.Optimizer"
SHARDED_IN_PLACE = "torch.distributed.fsdp.FSDPModule"
BY_HAND = "differentiated by hand"
MARKED = "marked methods"  # of a wrapper: those that it was told to send through its forward
WITHIN = "within"  # of a module: the wrapper around a model that it is a part of
PARAMETERS = ("weight", "bias")  # of the layers of torch that have parameters
GATHERED: str = "gathered"
INNER: str = "inner"
PLAIN: str = "plain"
LOADED: str = "loaded"
LEARNED: str = "learned"
ASKED: str = "asked"
LEARNED_FROM = ("wrapped", INNER, LEARNED)  # tags of what comes out of a model that is trained
SIDE_BY_SIDE = ("torch.cat", "torch.concat")
ROW_AFTER_ROW = ("torch.cat", "torch.concat", "torch.vstack", "torch.stack")
JOINED = "joined_tensors"  # what is made of several tensors
ANSWERED = ("wrapped", ASKED, INNER, PLAIN)  # tags of what a model says


# --- switching the reduction of gradients off and on -------------------------------------------------------------


def method_of_wrapped(machine: Machine, receiver: Value | None, name: str) -> Any:
    """`fully_shard` gives a module the methods of another class; what a framework wraps has those of its wrapper."""
    outer = receiver.facts.get("wrapper", receiver) if isinstance(receiver, Object) else None
    if not isinstance(outer, Object) or not outer.facts.get("wrapped"):
        return None
    made = outer.facts.get("call")
    wrapper = made.row.extra.get("wrapper") if isinstance(made, Invocation) else None
    if wrapper is None and receiver is outer and outer.facts.get("sharded"):
        wrapper = SHARDED_IN_PLACE
    return machine.knowledge.apis.get(f"{wrapper}.{name}")


def attribute_read(machine: Machine, thing: Object, name: str, mask: int) -> None:
    """`context = model.no_sync if … else nullcontext`: the decision is taken where the method is read."""
    if thing.facts.get("wrapped") and isinstance(thing.kind, str):
        row = machine.knowledge.method(thing.kind, name)
        if row is not None and row.kind == "no_sync":
            machine.emit_event("record", "no-sync", row.name, mask, subject=thing)


def attribute_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    if isinstance(base, Object) and isinstance(base.kind, str) and base.facts.get("wrapped"):
        row = machine.knowledge.attribute(base.kind, name)
        if row is not None and row.record:
            machine.emit_event("record", row.record, row.name, mask, subject=base, extra={"value": value})
    elif isinstance(base, Unknown) and name == "grad":
        if attribute_of(base.symbol) == "data":
            machine.emit_event("record", "lost-write", "data.grad", mask, subject=base)
        machine.emit_event("record", "grad-write", "grad", mask, subject=base)


def attribute_of(symbol: Symbol) -> str | None:
    """The name of the attribute an unknown value was read from."""
    key = symbol.key
    return str(key[2]) if len(key) == 3 and key[0] == "attr" else None


def unknown_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> None:
    """`optimizer.step()` of something nobody knows, also where a framework has prepared it: whether it is an optimizer,
    the other calls say."""
    if isinstance(receiver, Object) and receiver.facts.get("wrapped"):
        receiver = receiver.attributes.get("module", receiver)
    if not isinstance(receiver, Unknown):
        return
    if guessed(machine, receiver, name, call):
        return
    if name.endswith("_") and attribute_of(receiver.symbol) == "grad":
        extra = {"call": call, "by part": gradient_parts.holds_part(machine, call.values)}
        machine.emit_event("record", "grad-write", name, call.mask, subject=receiver, extra=extra)


def guessed(machine: Machine, receiver: Value, name: str, call: Invocation) -> bool:
    """Is this what optimizers are asked for? So are those of libraries that no pack speaks of."""
    row = machine.knowledge.apis.get(f"{OPTIMIZER}.{name}")
    if row is None or not row.record:
        return False
    extra = {"call": call, "guess": True}
    machine.emit_event("record", row.record, row.name, call.mask, subject=receiver, extra=extra)
    return True


# --- gradients on and off ----------------------------------------------------------------------------------------


def no_grad(machine: Machine, call: Invocation) -> Value:
    """`with torch.no_grad():`, `@torch.no_grad()`, `@torch.no_grad`"""
    if call.arguments and not call.row.extra.get("switch"):
        return call.arguments[0]
    made = machine.new("<no_grad>", call.mask)
    made.facts.update(context="no_grad", api=call.row.name)
    return made


def grad_is_off(machine: Machine) -> bool:
    if machine.facts.get("no_grad"):
        return True
    frame: Frame | None = machine.frame
    while frame is not None:
        for decorator in getattr(frame.node, "decorators", ()):
            name = dotted(decorator.func if isinstance(decorator, ir.Call) else decorator, frame.globals.variables)
            row = machine.knowledge.api(name) if name else None
            if row is not None and row.model == "no_grad":
                return True
        frame = frame.caller
    return False


def dotted(expression: ir.Expr, variables: dict[Any, Value]) -> str:
    if isinstance(expression, ir.Name):
        found = variables.get(expression.id)
        return found.name if isinstance(found, External) else ""
    if isinstance(expression, ir.Attr):
        base = dotted(expression.value, variables)
        return f"{base}.{expression.name}" if base else ""
    return ""


# --- collectives on parameters, and on what a loss is made of ------------------------------------------------------


def collective_done(machine: Machine, call: Invocation, event: Event) -> None:
    """Was the tensor a live parameter? Does the gathered result go on without its gradients?"""
    if not call.row.same:
        return
    if event.op in ("all_gather", "all_gather_into_tensor"):
        note_gather(machine, call, event)
        return
    value = call.get(call.row.same[0])
    if value is not None and is_live_parameter(machine, value) and not grad_is_off(machine):
        event.extra["live parameter"] = True


def is_live_parameter(machine: Machine, value: Value) -> bool:
    if isinstance(value, Object):
        return value.kind == "torch.nn.Parameter" and value.facts.get("trainable", True)
    if isinstance(value, Bound):  # `self.head.weight`
        layer, name = value.receiver, getattr(value.function, "name", "").rpartition(".")[2]
        row = machine.knowledge.api(layer.kind) if isinstance(layer, Object) and isinstance(layer.kind, str) else None
        named = row is not None and row.extra.get("parameters") and name in PARAMETERS
        return bool(named) and token(layer) not in machine.facts.get(parts.CONSTANT, ())  # type: ignore[arg-type]
    constant = machine.facts.get(parts.CONSTANT, ())
    return any(owner not in constant for owner in parameters.owners_of(value))


def note_gather(machine: Machine, call: Invocation, event: Event) -> None:
    source = next(
        (value for name in call.row.params if name not in call.row.same and (value := call.get(name)) is not None), None
    )
    held = source.attributes.get("content") if isinstance(source, Object) else source
    if held is None or not needs_gradient(machine, held):
        return
    marks.put(machine, call, call.row.same[0], remembered(machine, event, held))


def remembered(machine: Machine, event: Event, source: Value) -> tuple[str, int]:
    gathers = machine.facts.setdefault("gathers", {})
    gathers[len(gathers)] = event
    event.extra["source"] = source
    return GATHERED, len(gathers) - 1


def given_back(machine: Machine, call: Invocation, event: Event, result: Value) -> Value:
    """`accelerator.gather(features)` gives back constants; others do unless they are told to keep the gradients."""
    keeps = call.row.extra.get("keeps_gradient")
    source = call.arguments[0] if call.arguments else None
    if keeps is None or not isinstance(result, Unknown) or call.get(keeps) not in (None, FALSE):
        return result
    if source is None or not needs_gradient(machine, source):
        return result
    return provenance.marked(result, remembered(machine, event, source))


def item_written(machine: Machine, container: Value, value: Value) -> None:
    """`everything[rank] = features`, `everything[first:last] = features`: this rank's own part is put back where it
    was gathered, if only where a branch asks whether there are gradients."""
    held = container.attributes.get("content", container) if isinstance(container, Object) else container
    for tag in containers.held_in(held).tags | all_tags(*(containers.items_of(machine, held) or ())):
        if isinstance(tag, tuple) and tag[0] == GATHERED and isinstance(value, Unknown):
            gather = machine.facts["gathers"][tag[1]]
            source = gather.extra["source"]
            if isinstance(source, Unknown) and as_it_was(source.symbol) is as_it_was(value.symbol):
                gather.extra[BY_HAND] = True


def as_it_was(symbol: Symbol) -> Symbol:
    """`features.contiguous()` are the same features, laid out for a collective."""
    method = tensors.method_of(symbol)
    while method is not None and method[1] in LAID_OUT and isinstance(method[0], Symbol):
        symbol = method[0]
        method = tensors.method_of(symbol)
    return symbol


def joined(machine: Machine, call: Invocation) -> Value | None:
    """`torch.cat(gathered)` is made of what the list holds; with this rank's own tensor in it, nothing is missing."""
    given = call.get("tensors") if call.get("tensors") is not None else call.get("parameters")
    if given is None:
        return None
    items = containers.items_of(machine, given)
    if items is None:
        items = (containers.element(machine, given),)
    held = tuple(content(item) for item in items)
    result = opaque(machine, call.name, *held)
    longer = containers.length_cause if call.name == "torch.stack" else containers.pieces_cause
    uneven = longer(machine, given) if call.name in ROW_AFTER_ROW else None
    if call.get("dim") not in (None, Const(0)):  # side by side: all have as many rows as the one this rank has chosen
        chosen = (one for one in held if isinstance(one, Unknown) and containers.own_many(one))
        uneven = next((one.cause for one in chosen), None) if call.name in SIDE_BY_SIDE else None
    if uneven is not None:
        symbol = machine.symbols.of(tensors.OWN_ROWS, result.symbol)
        result = Unknown(symbol, uneven, result.tags | {containers.UNEVEN}, result.like)
    for tag in result.tags:
        if isinstance(tag, tuple) and tag[0] == GATHERED:
            source = machine.facts["gathers"][tag[1]].extra.get("source")
            if isinstance(source, Unknown) and any(has_own(item, source.symbol) for item in held):
                return provenance.without(result, GATHERED)
    return result


def has_own(item: Value, own: Symbol) -> bool:
    """Is this the tensor itself, any item of `[features] + gathered[:rank]`, or what a branch may have put there?"""
    return isinstance(item, Unknown) and (item.symbol is own or is_among(own, item.symbol))


def is_among(own: Symbol, listed: Symbol, depth: int = 6) -> bool:
    if listed.key[0] not in (ITEMS, "item", "phi") or not depth:
        return False
    return any(
        part is own
        or (isinstance(part, tuple) and own in part)
        or (isinstance(part, Symbol) and is_among(own, part, depth - 1))
        for part in listed.key[1:]
    )


def needs_gradient(machine: Machine, value: Value) -> bool:
    """Does it come out of a model that is trained, or of its layers, and was it not detached on the way?"""
    trained: tuple[str, ...] = LEARNED_FROM
    if classes.called_as(machine, lambda known: known.losses):
        trained += (PLAIN,)  # the framework calls this in the forward pass of the model it has wrapped
    if grad_is_off(machine) or not any(isinstance(tag, tuple) and tag[0] in trained for tag in value.tags):
        return False
    return not (isinstance(value, Unknown) and detached(value.symbol))


def differentiated_by_hand(machine: Machine, receiver: Value) -> None:
    """`everybody = gather(features).requires_grad_()`: who wants that gradient hands it on himself."""
    for tag in receiver.tags:
        if isinstance(tag, tuple) and tag[0] == GATHERED:
            machine.facts["gathers"][tag[1]].extra[BY_HAND] = True


LAID_OUT = frozenset({"contiguous", "clone"})  # methods that give the same numbers, gradients and all
CONSTANT = frozenset({"detach", "data", "argmax", "argmin", "item", "long", "int", "bool", "size", "shape", "numel"})


def detached(symbol: Symbol, depth: int = 3) -> bool:
    """What comes back from these has no gradient."""
    for part in symbol.key:
        if isinstance(part, Symbol) and depth:
            if attribute_of(part) in CONSTANT or detached(part, depth - 1):
                return True
    return attribute_of(symbol) == "data"


# --- wrapped models called by their inside -------------------------------------------------------------------------


@contextmanager
def training(machine: Machine, trains: bool) -> Iterator[None]:
    """Is this the method by which a framework trains the model that it has wrapped?"""
    outer = machine.facts.get(TRAINING)
    machine.facts[TRAINING] = trains
    try:
        yield
    finally:
        machine.facts[TRAINING] = outer


def module_called(machine: Machine, thing: Value, mask: int) -> None:
    """Inside the forward pass of a wrapped model: which of its parts work?"""
    if (machine.facts.get("module depth") and machine.facts.get("watched")) or machine.facts.get(TRAINING):
        machine.emit_event("record", "module-call", "forward", mask, subject=thing)


def inner_called(machine: Machine, thing: Object, result: Value, mask: int) -> Value:
    """`model.module(x)`: the hooks of the wrapper do not run."""
    from dtlint.machine.library.training.models import with_tags

    module_called(machine, thing, mask)
    if works.RUNNING in machine.facts:
        works.parameters_used(machine, thing)
    if "wrapper" not in thing.facts and machine.facts.get("forwarding") and is_module(machine, thing):
        return with_tags(machine, result, frozenset({(LEARNED, thing.number)}))
    if not thing.facts.keys() & {"wrapper", WITHIN}:
        if not machine.facts.get("module depth") and is_module(machine, thing):
            said = ASKED if machine.facts.get("no_grad") else PLAIN  # nobody learns from what is only asked
            return with_tags(machine, result, frozenset({(said, thing.number)}), True)
        return result
    return behind(machine, wrapper_of(thing), thing, result, mask)


WRAPPED_SYMBOLS = "wrapped symbols"  # fact of the run: wrappers, by the symbols of the models nobody knows within


def unknown_called(machine: Machine, callee: Value, result: Value, mask: int) -> Value:
    """`model.module(x)`, of a model that nobody knows."""
    known = machine.facts.get(WRAPPED_SYMBOLS) if isinstance(callee, Unknown) else None
    outer = known.get(callee.symbol) if known else None  # type: ignore[attr-defined]
    return result if outer is None else behind(machine, outer, callee, result, mask)


def wrapper_of(thing: Object) -> Value | None:
    """The wrapper around this module, or around the model that it is a part of."""
    found: Value | None = thing.facts.get("wrapper", thing.facts.get(WITHIN))
    return found


def behind(machine: Machine, outer: Value | None, thing: Value, result: Value, mask: int) -> Value:
    """The result was computed by a wrapped model without its wrapper."""
    from dtlint.machine.library.training.models import with_tags

    if not isinstance(outer, Object) or outer is thing or machine.facts.get("module depth"):
        return result
    if grad_is_off(machine):
        return with_tags(machine, result, frozenset({(ASKED, outer.number)}), True)
    own = methods_around(machine, outer)
    if any(scope.rpartition(".")[2] in sent_through(outer) for _, scope in own):
        return with_tags(machine, result, frozenset({("wrapped", outer.number)}))
    event = machine.emit_event("record", "inner-forward", "forward", mask, subject=outer, extra={"methods": own})
    machine.facts.setdefault("inner calls", {})[outer.number] = event
    return with_tags(machine, result, frozenset({(INNER, outer.number)}))


def sent_through(outer: Object) -> tuple[str, ...]:
    """Methods that this wrapper sends through its forward, by itself or as it was told."""
    made = outer.facts.get("call")
    return (*(made.row.extra.get("forwards", ()) if made is not None else ()), *outer.facts.get(MARKED, ()))


def method_marked(machine: Machine, call: Invocation) -> Value:
    """`model.mark_forward_method("loss")`, or the method itself."""
    given = call.get("method")
    name = given.value if isinstance(given, Const) else getattr(getattr(given, "function", None), "name", None)
    outer = call.receiver.facts.get("wrapper", call.receiver) if isinstance(call.receiver, Object) else None
    if isinstance(outer, Object) and isinstance(name, str):
        outer.facts[MARKED] = (*outer.facts.get(MARKED, ()), name.rpartition(".")[2])
    return NONE


def methods_around(machine: Machine, outer: Object) -> frozenset[tuple[str, str]]:
    """Those of the modules inside that are being run here: who called the first of them went by the wrapper."""
    found = set()
    frame: Frame | None = machine.frame
    while frame is not None and isinstance(frame.receiver, Object) and wrapper_of(frame.receiver) is outer:
        found.add((frame.path, frame.scope))
        frame = frame.caller
    return frozenset(found)


MODELS: dict[str, Any] = {"no_grad": no_grad, JOINED: joined, "method_marked": method_marked}
