"""Which parts of a model do only some ranks build, replace, freeze or run?

Every such step is a `Difference`: what it was done to, by which lanes, under which decision. Whether it matters is
asked later, of the models that are wrapped over those lanes (dtlint/timeline/steps/parts.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.computing.tensors import method_of
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.copies import COPIED
from dtlint.machine.library.training import blamed, own_models, parameters
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.logs import WHAT_IS_CALLED, Decision, decisions
from dtlint.machine.names import subscripts
from dtlint.machine.names.frames import Frame
from dtlint.machine.twins import DEVICES
from dtlint.machine.values import (
    BY_PROCESS,
    BY_RANK,
    FALSE,
    NONE,
    Cause,
    ClassRef,
    Const,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

PARAMETER, LIST = "torch.nn.Parameter", "torch.nn.ModuleList"
KEY = "model differences"
EVERYWHERE = "layers run by all"
CONSTANT = "modules whose gradients are switched off"
LEARNED = "symbols made when gradients were last computed"
LEARNED_BY = "the same for each model inside a wrapper, by its roots"
OWN_SHAPE = BY_PROCESS | {"memory", "random", "local files"}  # what a model's size must not depend on


@dataclass(slots=True)
class Difference:
    """`kind`: built, frozen, run or made. `roots` name what it belongs to: numbers of objects, symbols of unknowns."""

    kind: str
    roots: frozenset[Any]
    mask: int
    decision: Decision | None
    cause: Cause | None
    path: str
    at: tuple[int, int, int, int]
    scope: str
    lanes: tuple[Any, ...] = ()  # what each lane gave, where that is what differs
    made_at: tuple[str, tuple[int, int, int, int]] | None = None  # the call that gave a constructor what differs
    what: tuple[Any, ...] = ()  # which part, and what it is from now on: ranks on another branch may have done the same
    moment: int = 0  # symbols made by then; 0 inside a loop, which comes to everything again


def differences(machine: Machine) -> list[Difference]:
    found: list[Difference] = machine.facts.setdefault(KEY, [])
    return found


def is_part(machine: Machine, value: Value) -> bool:
    if isinstance(value, Row):
        return any(is_part(machine, held) for held in value.lanes)
    return is_module(machine, value) or (isinstance(value, Object) and value.kind == PARAMETER)


def owners(machine: Machine, base: Value, mask: int) -> int:
    """The lanes that hold what these lanes have; what each of several lanes has made alike, nobody else holds."""
    if not isinstance(base, Object):
        return machine.world.full
    return mask if mask & ~base.birth else base.birth


def rank_decision(machine: Machine, mask: int) -> Decision | None:
    """The nearest decision on the way here, calls included, that lets only some ranks through."""
    frame: Frame | None = machine.frame
    while frame is not None:
        for decision in decisions(frame.guards):
            by_rank = decision.cause is not None and decision.cause.kind in BY_PROCESS
            if by_rank and decision.taken & mask == mask and decision.before & ~decision.taken:
                return decision
            if by_rank and not decision.taken & mask:
                return decision
        frame = frame.caller
    return None


def add(
    machine: Machine,
    kind: str,
    base: Value,
    mask: int,
    decision: Decision | None,
    cause: Cause | None,
    *what: Any,
) -> None:
    frame = machine.frame
    found = Difference(kind, roots_of(base), mask, decision, cause, frame.path, machine.current_at, frame.scope)
    found.what = what
    if decision is not None:
        found.made_at = blamed.who_gave(machine, decision)
    if not in_a_loop(frame, base.number if isinstance(base, Object) else 0):
        found.moment = machine.symbols.count
    differences(machine).append(found)


def learned(machine: Machine, models: list[Object]) -> None:
    """Gradients were computed now. A symbol of its own parts what was done before from what is done after."""
    moment = machine.facts[LEARNED] = machine.symbols.fresh("learned").key[1]
    for model in models:
        inner = model.attributes.get("module", model)
        machine.facts.setdefault(LEARNED_BY, {}).update(dict.fromkeys(roots_of(inner), moment))


def in_a_loop(frame: Frame | None, number: int) -> bool:
    """Does a further turn come to the thing with this number again? What a turn itself has made, it makes anew."""
    return frame is not None and (
        any(number <= state.newest for state in frame.loops) or in_a_loop(frame.caller, number)
    )


def written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    """`model.head = …` or `parameter.requires_grad = …` on some ranks only."""
    if name == "requires_grad":
        learning(machine, base, value)
    if mask == owners(machine, base, mask):
        if isinstance(value, Row) and is_part(machine, base) and is_part(machine, value):
            made_differently(machine, base, value)
        elif name == "requires_grad":
            frozen_as_told(machine, base, value)
        return
    frozen = name == "requires_grad"
    if not frozen and (not is_part(machine, value) or only_buffers(machine, base, name, value)):
        return
    if isinstance(base, Object) and not frozen and (not is_part(machine, base) or hung_in_later(machine, base, name)):
        return
    decision = rank_decision(machine, mask)
    if decision is not None:
        add(machine, "frozen" if frozen else "built", base, mask, decision, decision.cause, name, made_shape(value))


def hung_in_later(machine: Machine, base: Object, name: str) -> bool:
    """What a model gets when it is wrapped already, and in place of nothing: the wrapper has never heard of it."""
    return "wrapper" in base.facts and not is_part(machine, base.attributes.get(name, NONE))


def only_buffers(machine: Machine, base: Value, name: str, value: Value) -> bool:
    """`layer.cache = Cache(size)`: nothing in it learns, nor in what was there before."""
    before = base.attributes.get(name, NONE) if isinstance(base, Object) else NONE
    return not learns(machine, value) and not (is_part(machine, before) and learns(machine, before))


def learns(machine: Machine, part: Value, depth: int = 4) -> bool:
    """May there be a parameter in it?"""
    if not isinstance(part, Object) or not isinstance(part.kind, ClassRef) or not depth:
        return True
    inner = [held for held in part.attributes.values() if not isinstance(held, Const | Tuple) or is_part(machine, held)]
    return any(learns(machine, one, depth - 1) for one in inner if not is_tensor(one))


def is_tensor(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "torch.Tensor"


def put(machine: Machine, base: Value, value: Value, mask: int) -> None:
    """`network[2] = …` on some ranks only. A parameter is put in place of one that was made without storage."""
    if (
        mask != owners(machine, base, mask)
        and is_part(machine, value)
        and not (isinstance(value, Object) and value.kind == PARAMETER)
        and (isinstance(base, Unknown) or is_part(machine, base))
    ):
        decision = rank_decision(machine, mask)
        if decision is not None:
            add(machine, "built", base, mask, decision, decision.cause, "[]", made_shape(value))


def part_added(machine: Machine, call: Invocation) -> Value | None:
    """`layers.append(…)`, `network.add_module(name, …)`"""
    if call.receiver is not None and any(is_part(machine, value) for value in call.values):
        if call.mask != owners(machine, call.receiver, call.mask):
            decision = rank_decision(machine, call.mask)
            if decision is not None:
                shapes = map(made_shape, call.values)
                add(machine, "built", call.receiver, call.mask, decision, decision.cause, call.name, *shapes)
                return None
        grown_unevenly(machine, call.receiver)
    if isinstance(call.receiver, Object) and call.receiver.kind == LIST and call.arguments:
        listed(machine, call.receiver, call.arguments[-1], call.mask)
    return None


def listed(machine: Machine, layers: Object, part: Value, mask: int) -> None:
    """What is added to a `ModuleList` is walked over with the rest of it."""
    held = subscripts.listed_parts(layers)
    if held is None:
        held = machine.new("list", mask)
        held.attributes["[]"] = Tuple(())
        machine.set(layers, subscripts.LISTED, held, mask)
    containers.append(machine, held, part, mask)


def grown_unevenly(machine: Machine, base: Value) -> None:
    """A loop that turns more often on some ranks adds a layer in every turn."""
    number = base.number if isinstance(base, Object) else 0
    cause = next((why for newest, why, _ in machine.uneven if number <= newest and why.kind in OWN_SHAPE), None)
    if cause is not None:
        add(machine, "made", base, machine.world.full, None, cause)


def frozen(machine: Machine, call: Invocation) -> Value | None:
    """`part.requires_grad_(False)`"""
    learning(machine, call.receiver, next(iter(call.values), None))
    if call.node is not None and isinstance(call.node.func, ir.Attr) and takes_rows(call.node.func.value):
        return None  # `self.table[:, :length].requires_grad_(False)`: rows of a tensor are new, and no parameters
    if call.receiver is not None and call.mask != owners(machine, call.receiver, call.mask):
        decision = rank_decision(machine, call.mask)
        own = decision is not None and own_models.made_since(machine, call, decision)
        if isinstance(call.receiver, Row) and decision is not None and at_this_line(machine, decision):
            picked(machine, call.receiver)
        elif decision is not None and not own and not at_this_line(machine, decision):
            shapes = map(made_shape, call.values)
            add(machine, "frozen", call.receiver, call.mask, decision, decision.cause, call.name, *shapes)
    elif call.receiver is not None:
        frozen_as_told(machine, call.receiver, next(iter(call.values), None))
    return None


def takes_rows(thing: ir.Expr) -> bool:
    """`table[:, :length]`; a model's layers are taken by their place alone: `layers[:depth]`"""
    if not isinstance(thing, ir.Index) or not isinstance(thing.index, ir.Tup):
        return False
    return any(isinstance(part, ir.Slice) for part in thing.index.items)


def frozen_as_told(machine: Machine, base: Value, learns: Value | None) -> None:
    """`block.requires_grad_(number % world == rank)`: all come here, and each is told another thing."""
    if isinstance(learns, Row):
        told = tuple(token(held) for held in learns.lanes)
        if learns.cause.kind in BY_PROCESS and len(set(told)) > 1:
            add(machine, "made", base, machine.world.full, None, learns.cause)
            differences(machine)[-1].lanes = told
    elif isinstance(learns, Unknown) and learns.cause is not None and learns.cause.kind in OWN_SHAPE:
        add(machine, "made", base, machine.world.full, None, learns.cause)
    else:
        frozen_unevenly(machine, base)


def picked(machine: Machine, base: Row) -> None:
    """`blocks[rank].requires_grad_(False)`: all come here, each with another part of what every one of them holds."""
    told = tuple(token(held) for held in base.lanes)
    if base.cause.kind in BY_PROCESS and len(set(told)) > 1 and held_by_all(machine, base):
        add(machine, "made", base, machine.world.full, None, base.cause)
        differences(machine)[-1].lanes = told


def held_by_all(machine: Machine, base: Row) -> bool:
    if all(isinstance(held, Object) and held.birth == machine.world.full for held in base.lanes):
        return True
    taken_from = frozenset.intersection(*(roots_of(held) for held in base.lanes))
    return any(isinstance(root, int) for root in taken_from)


def at_this_line(machine: Machine, decision: Decision) -> bool:
    """A line that does the same to what each rank holds: all of them come to the line, with a model of their own."""
    frame = machine.frame
    return (
        decision.text == WHAT_IS_CALLED
        and (decision.path, decision.at) == (frame.path, machine.current_at)
        and decision in decisions(frame.guards)
    )


def learning(machine: Machine, part: Value | None, learns: Value | None) -> None:
    """Of a module, or of the parameters it has given: somebody switches their gradients off."""
    if isinstance(learns, Const) and learns.value is False:
        owners = parameters.owners_of(part) if isinstance(part, Unknown) else (token(part),) if part else ()
        machine.facts.setdefault(CONSTANT, set()).update(owners)


def copied(machine: Machine, model: Object, copy: Object) -> None:
    """`copy.deepcopy(model)`: what learns no more does not learn as a copy either."""
    constant = machine.facts.get(CONSTANT, set())
    if token(model) in constant:
        constant.add(token(copy))


def stands_for(machine: Machine, symbol: Symbol, model: Object) -> None:
    """`make(options).requires_grad_(False).to(device)`, of which an annotation says that it is a model, or a copy."""
    asked: Any = symbol
    while isinstance(asked, Symbol):
        method = method_of(asked)
        if method is not None and method[1] == "requires_grad_" and asked.key[2:] == (token(FALSE),):
            machine.facts.setdefault(CONSTANT, set()).add(token(model))
            return
        asked = method[0] if method is not None else asked.key[1] if asked.key[0] == COPIED else None


def rebuilt(machine: Machine, call: Invocation) -> Value | None:
    """`SyncBatchNorm.convert_sync_batchnorm(model)`: puts other layers into what it is given."""
    base = call.arguments[0] if call.arguments else None
    decision = (
        rank_decision(machine, call.mask)
        if base is not None and call.mask != owners(machine, base, call.mask)
        else None
    )
    if base is not None and decision is not None:
        add(machine, "built", base, call.mask, decision, decision.cause, call.name)
    return None


def frozen_unevenly(machine: Machine, base: Value) -> None:
    """A loop that turns more often on some ranks, or a branch that nobody can decide and that asks for the rank, says
    how much is frozen; the branch is around this, or some have left the function there."""
    decided = (*decisions(machine.frame.guards), *(one.decision for one in machine.frame.leavings))
    branches = (one.cause for one in decided if one.kind == "branch" and not at_this_line(machine, one))
    loops = (why for _, why, _ in machine.uneven)
    cause = next((why for why in (*loops, *branches) if why is not None and why.kind in OWN_SHAPE), None)
    if cause is not None:
        add(machine, "made", base, machine.world.full, None, cause)


def constructed(machine: Machine, made: Object, call: Invocation) -> None:
    """A layer whose size, or a container whose number of layers, differs by rank."""
    if not is_part(machine, made):
        return
    places = [value for name, value in call.keywords if name in DEVICES]  # where the layer is says nothing of it
    for value in call.values:
        if any(value is one for one in places):
            continue
        if isinstance(value, Object) and value.kind == "<spread>":
            value = value.attributes.get("value", value)
        if isinstance(value, Row) and value.cause.kind in BY_PROCESS and plain(value):
            made_differently(machine, made, value)
            return
        if isinstance(value, Unknown) and value.cause is not None and of_own_size(value, value.cause):
            add(machine, "made", made, machine.world.full, None, value.cause)
            return
        cause = containers.length_cause(machine, value)
        if cause is not None and cause.kind in BY_PROCESS and isinstance(made.kind, str):
            add(machine, "made", made, 1, None, cause)
            return


def of_own_size(value: Unknown, cause: Cause) -> bool:
    """Free memory, or how much there is in this rank's share: `Embedding(len(vocabulary), 64)`"""
    counted = cause.kind in ("shard", "data") and any(one.key[0] == "len" for one in symbols_in(value.symbol))
    return counted or cause.kind in OWN_SHAPE - BY_PROCESS or (cause.kind in BY_RANK and is_count(value.symbol))


def is_count(symbol: Symbol) -> bool:
    """`len(words)`, `len(words) + 2`: of what each rank has found in its share, however large that is."""
    if symbol.key[0] == "len":
        return True
    parts = [part for part in symbol.key[1:] if isinstance(part, Symbol)]
    return symbol.key[0] in ("op +", "op -") and len(parts) == 1 and is_count(parts[0])


def plain(value: Row) -> bool:
    kinds = (int, float, bool, str)
    return all(isinstance(held, Const) and isinstance(held.value, kinds) for held in value.lanes)


def made_differently(machine: Machine, base: Value, value: Row) -> None:
    """The lanes hold different things here: as many as there are kinds of them."""
    if value.cause.kind not in BY_PROCESS:
        return
    shapes = tuple(made_shape(held) for held in value.lanes)
    if len(set(shapes)) > 1:
        add(machine, "made", base, machine.world.full, None, value.cause)
        differences(machine)[-1].lanes = shapes


def made_shape(value: Value) -> Any:
    """What a module looks like: its class, and the constants or the layers it was made with."""
    if isinstance(value, Const):
        return repr(value.value)
    if not isinstance(value, Object):
        return "?" if isinstance(value, Unknown) else type(value).__name__
    kind = value.kind if isinstance(value.kind, str) else value.kind.name
    call = value.facts.get("call")
    if isinstance(call, Invocation):
        return (kind, tuple(made_shape(one) for one in call.arguments))
    layers = [(str(name), made_shape(held)) for name, held in value.attributes.items() if is_layer(held)]
    return (kind, tuple(sorted(layers, key=repr)))


def is_layer(value: Value) -> bool:
    return isinstance(value, Object) and isinstance(value.kind, str) and value.kind.startswith("torch.nn.")


# --- running ---------------------------------------------------------------------------------------------------


def forwarding(machine: Machine, model: Object, mask: int) -> None:
    """From here on, layers run inside this wrapped model's forward, on these lanes."""
    machine.facts.setdefault("forwarding", []).append((model, mask))


def forwarded(machine: Machine) -> None:
    machine.facts["forwarding"].pop()


def called(machine: Machine, layer: Object, mask: int) -> None:
    """A layer is run by some ranks only, inside a forward pass whose gradients are recorded."""
    from dtlint.machine.library.training.stepping import grad_is_off

    inside = machine.facts.get("forwarding")
    if not inside or not is_part(machine, layer) or grad_is_off(machine):
        return
    if mask == layer.birth:
        machine.facts.setdefault(EVERYWHERE, set()).add(layer.number)
        return
    model, _ = inside[-1]
    decision = rank_decision(machine, mask)
    if decision is not None:
        add(machine, "run", model, mask, decision, decision.cause)
        found = differences(machine)[-1]
        found.roots |= roots_of(model.attributes.get("module", model))
        found.lanes = (layer.number,)


# --- belonging -------------------------------------------------------------------------------------------------


def roots_of(value: Value) -> frozenset[Any]:
    """The objects and unknowns a value was taken from."""
    if isinstance(value, Object):
        return frozenset({value.number})
    if isinstance(value, Row):
        return frozenset(root for held in value.lanes for root in roots_of(held))
    if isinstance(value, Unknown):
        found: set[Any] = set()
        roots_of_symbol(value.symbol, found, 0)
        return frozenset(found)
    return frozenset()


def roots_given(value: Unknown) -> set[Any]:
    """What a maker was given may be inside of what it made; `options` of `make(options.name)` are not."""
    found: set[Any] = set()
    roots_of_symbol(value.symbol, found, 0, frozenset({"phi", COPIED, "attr"}))
    return found


def roots_of_symbol(part: Any, found: set[Any], depth: int, last: frozenset[str] = frozenset({"phi", COPIED})) -> None:
    """`last`: what is looked at, but not below it."""
    if isinstance(part, Symbol):
        found.add(part)
        if depth < 8 and part.key and part.key[0] not in last:
            for inner in part.key[1:3]:
                roots_of_symbol(inner, found, depth + 1, last)
    elif isinstance(part, tuple) and len(part) == 2 and part[0] == "object":
        found.add(part[1])
    elif isinstance(part, tuple) and depth < 8:
        for inner in part:
            roots_of_symbol(inner, found, depth + 1, last)


def numbers_below(value: Value, depth: int = 0) -> frozenset[Any]:
    """Everything a model consists of, as roots."""
    found = set(roots_of(value))
    if isinstance(value, Object) and "wrapper" in value.facts:
        found |= roots_of(value.facts["wrapper"])
    if depth < 6:
        for inner in inside_of(value):
            found |= numbers_below(inner, depth + 1)
        for given in given_to(value):
            found |= numbers_below(given, depth + 1) if not isinstance(given, Unknown) else roots_given(given)
    return frozenset(found)


def inside_of(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Row):
        return value.lanes
    if isinstance(value, Tuple):
        return value.items
    if not isinstance(value, Object):
        return ()
    held = (stand_in(one) for one in value.attributes.values())
    return tuple(one for one in held if isinstance(one, Object | Row | Tuple))


def stand_in(value: Value) -> Value:
    """The one thing that each of many stands for, as a comprehension has made them."""
    return value.like if isinstance(value, Unknown) and value.like is not None else value


def given_to(value: Value) -> tuple[Value, ...]:
    """What something of a library was made of."""
    call = value.facts.get("call") if isinstance(value, Object) and isinstance(value.kind, str) else None
    return call.values if isinstance(call, Invocation) else ()


MODELS = {"module_part": part_added, "module_frozen": frozen, "module_rebuilt": rebuilt}
