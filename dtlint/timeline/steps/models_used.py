"""Which parts of a wrapped model does its forward pass use, always or only sometimes?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.contents.presence import asks_presence, decided_by
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import inner_symbols, modules_of, symbols_in
from dtlint.machine.library.training.parts import CONSTANT
from dtlint.machine.logs import Call, Choice, Event, Loop, Site
from dtlint.machine.names.subscripts import listed_parts
from dtlint.machine.values import TRUE, ClassRef, Object, Symbol, Unknown
from dtlint.machine.walks import walk
from dtlint.timeline.order import Met, loops_over
from dtlint.timeline.ranks.arrivals import in_constructor
from dtlint.timeline.ranks.inverted import whole_text
from dtlint.timeline.steps import passes, waiting
from dtlint.timeline.steps.each_step import Training, surely_changes
from dtlint.timeline.steps.kinds import TURNS, asks_kind, varies
from dtlint.timeline.steps.model_parts import (
    all_inside,
    children,
    has,
    inside,
    is_module,
    models_in,
    of_project,
    parts,
    surely_made,
    to_pick_from,
)
from dtlint.timeline.steps.names_of_parts import functions, named_once, never_named, passed_by
from dtlint.timeline.steps.stepping import DDP, events
from dtlint.timeline.symbols import LENGTHS, numbers, objects_in

MOST_NAMED = 400  # symbols that are looked through


@dataclass(frozen=True, slots=True)
class Part:
    """A submodule with parameters, by the attribute that holds it."""

    name: str
    module: Object
    use: Met | None = None
    choice: Choice | None = None
    sure: bool = True  # is it certain that there is a step without it?
    without: Event | None = None  # a forward pass that leaves it out, with a backward pass of its own


def wraps(run: Any) -> Iterator[tuple[Met, Any, Object]]:
    """DDP around a module whose layers are known."""
    for met in events(run, "collective", "wrap"):
        call, subject = met.event.extra.get("call"), met.event.subject
        if call is not None and call.row.name == DDP:
            for inner in models_in(subject):
                yield met, call, inner


# --- parts that are left out ---------------------------------------------------------------------------------------


def unused_parts(run: Any) -> Iterator[tuple[Site, Part]]:
    """Where the model is wrapped without a word of missing gradients, and the part that has none in some turns."""
    for met, owner, inner in (*untold_wraps(run), *waiting_frameworks(run)):
        if in_constructor(run, met.event, tuple(node for node, _ in met.above)) or adds_all_numbers(run, inner):
            continue  # which of the methods trains, and with what, is up to whoever made the instance
        forwards = [one for one in events(run, "collective", "forward") if inner in inner_of(one.event)]
        part = surest(part for model in of_project(inner) for part in left_out(run, model, forwards))
        if part is not None:
            yield site_of(met, owner), part
    for met, trainer, module in waiting_trainers(run):
        steps = [one for one in events(run, "record", "loss") if one.event.extra["module"] is module]
        part = surest(left_out(run, module, steps))
        if part is not None:
            yield site_of(met, trainer), part


def adds_all_numbers(run: Any, model: Object) -> bool:
    """`loss + 0 * sum(p.sum() for p in model.parameters())`: each of them has a gradient, in whatever it was used."""
    for met in events(run, "collective", "backward"):
        loss, outer = met.event.extra.get("loss"), met.event.extra.get("model")
        if isinstance(loss, Unknown) and isinstance(outer, Object) and model in inner_of(met.event):
            if not modules_of(loss.symbol).isdisjoint({outer.number, model.number}):
                return True
    return False


def surest(found: Iterator[Part]) -> Part | None:
    """The first that is certain, or else the first."""
    parts = list(found)
    return next((part for part in parts if part.sure), parts[0] if parts else None)


def site_of(met: Met, owner: Object | None) -> Site:
    """Where the options stand: of the wrapper, or of the framework that wraps."""
    if owner is None or owner.at is None:
        return met.event.path, met.event.at, met.event.function
    return owner.path, owner.at, met.event.function


def untold_wraps(run: Any) -> Iterator[tuple[Met, None, Object]]:
    yield from ((met, None, inner) for met, call, inner in wraps(run) if waiting.untold(call))


def waiting_frameworks(run: Any) -> Iterator[tuple[Met, Object, Object]]:
    """DDP by `fabric.setup(model)` or `accelerator.prepare(model, …)`, unless the program may run in some other way."""
    if not run.project.mentioning("distributed_type"):
        yield from (one for one in prepared(run) if waiting.of_framework(one[1]))


def prepared(run: Any) -> Iterator[tuple[Met, Object, Object]]:
    """Models that are handed to a framework, with the one that wraps them."""
    for met in events(run, "collective", "wrap"):
        call = met.event.extra.get("call")
        owner = getattr(call, "receiver", None)
        if call is not None and isinstance(owner, Object):
            for inner in dict.fromkeys(one for value in call.values for one in models_in(value)):
                if is_module(run, inner):
                    yield met, owner, inner


def waiting_trainers(run: Any) -> Iterator[tuple[Met, Object, Object]]:
    """A trainer that wraps the module it is given by DDP, and was not told that parts of it may be missing."""
    for met in events(run, "collective", "fit"):
        call = met.event.extra.get("call")
        trainer, module = getattr(call, "receiver", None), call.get("model") if call is not None else None
        if not isinstance(trainer, Object) or not isinstance(module, Object):
            continue
        by_hand = module.attributes.get("automatic_optimization") not in (None, TRUE)
        if waiting.of_framework(trainer) and not by_hand:
            yield met, trainer, module


def left_out(run: Any, model: Object, forwards: list[Met]) -> Iterator[Part]:
    """Parts that some forward pass does not use."""
    if not isinstance(model.kind, ClassRef) or not forwards:
        return
    training = Training(run, loops_over(forwards[0]), (model, *(one.module for one in parts(model))))
    yield from picked_anew(run, model, forwards[0], training)
    uses = events(run, "record", "module-call")
    called = {model.number}.union(*(numbers_of(met.event.subject) for met in uses))
    frozen = without_gradient(run, model)
    own_passes = list(passes.passes(run, inner_of, model))
    for part in parts(model):
        module, owner = part.module, part.owner
        if module.number in frozen or not is_module(run, module) or not has(run, module, "parameters"):
            continue
        mine = [met for met in uses if called_by(module) & numbers_of(met.event.subject)]
        if not mine:
            if owner is None or owner.number not in called:
                continue
            if never_named(run, owner, part.attribute) or passed_by(run, owner, part.attribute):
                yield Part(part.name, module, sure=surely_made(module))
            continue
        skipped = sometimes(mine, forwards[0]) or between_calls(module, forwards)
        one_pass = passes.without(own_passes, runs, module) if skipped is None else None
        if one_pass is not None:
            yield Part(part.name, module, mine[0], without=one_pass.event)
        if skipped is None or asks_for_itself(run, skipped, part.attribute):
            continue
        if takes_all_numbers(run, skipped.decision, part.name):
            continue
        if not all_of_it(skipped, uses, without=module):
            sure = surely_changes(skipped.symbol, skipped.cause, training)
            handed_on = named_within(run, skipped.decision, part.attribute)
            yield Part(part.name, module, mine[0], skipped, sure and not handed_on)


def asks_for_itself(run: Any, choice: Choice, attribute: str) -> bool:
    """`if self.head is not None: x = self.head(x)`: a part that is there is used."""
    alone = rf"(not )?\w+(\.\w+)*\.{re.escape(attribute)}( is (not )?None)?"
    return bool(attribute) and re.fullmatch(alone, whole_text(run, choice.decision)) is not None


def without_gradient(run: Any, model: Object) -> set[int]:
    """The parts whose gradients are switched off for good, with what is inside of them: nobody waits for these."""
    off_for_good, found = run.facts.get(CONSTANT, ()), set[int]()
    for part in parts(model):
        if token(part.module) in off_for_good:
            found |= {part.module.number, *(one.module.number for one in inside(part.name, part.module))}
    return found


def takes_all_numbers(run: Any, decision: Any, name: str) -> bool:
    """`loss + 0 * sum(p.sum() for p in self.head.parameters())` in the function that decides: nothing is left out of
    `head`, nor of `head.inner`."""
    around = [one.partition("[")[0] for one in name.split(".")]
    here = (one for one in functions(run.project.module(decision.path).body) if one.qualname == decision.function)
    asked = (one.value for function in here for one in every_node(function.body) if is_attribute(one, "parameters"))
    return any(isinstance(one, ir.Attr) and one.name in around for one in asked)


def is_attribute(node: Any, name: str) -> bool:
    return isinstance(node, ir.Attr) and node.name == name


def named_within(run: Any, decision: Any, attribute: str) -> bool:
    """Does a function inside of the one that decides name the part, for somebody else to call?"""
    here = (one for one in functions(run.project.module(decision.path).body) if one.qualname == decision.function)
    inner = (one for function in here for one in every_node(function.body) if isinstance(one, ir.Lambda | ir.Function))
    return any(is_attribute(one, attribute) for node in inner for one in every_node(node.body))


def picked_anew(run: Any, model: Object, forward: Met, training: Training) -> Iterator[Part]:
    """`self.heads[task](x)`: one of several parts, by what changes from step to step, and nothing uses the others."""
    around = {id(node) for node, _ in forward.above}
    for name, module in children(model):
        if sum(has(run, one, "parameters") for one in to_pick_from(module)) < 2:
            continue
        picks = [met for met in events(run, "record", "part-picked") if met.event.subject is module]
        inside = [node for met in picks for node, _ in met.above if id(node) not in around]
        places = {(met.event.path, met.event.at) for met in picks}
        if len(places) != 1 or any(isinstance(node, Loop | Choice) for node in inside):
            continue
        index = picks[0].event.extra["index"]
        own = index.cause is not None and index.cause.kind in ("data", "random")
        if (own or changing(index.symbol)) and named_once(run, model, name):
            yield Part(name, module, picks[0], sure=surely_changes(index.symbol, index.cause, training))


def inner_of(event: Event) -> list[Object]:
    outer = event.extra.get("model")
    return models_in(outer.attributes.get("module", outer)) if isinstance(outer, Object) else []


def called_by(module: Object) -> set[int]:
    """The numbers of what is called where this part is used: of a list of layers, each of them."""
    layers = children(module) if listed_parts(module) is not None else ()
    return {module.number, *(layer.number for _, layer in layers)}


def numbers_of(subject: Any) -> set[int]:
    """What is called: a thing, one of several, or a part of one. A method of what a part has given (`hidden.mean()`)
    belongs to no part."""
    if subject is None or (isinstance(subject, Unknown) and given_by_a_call(subject.symbol)):
        return set()
    return set(named_in(subject.symbol)) if isinstance(subject, Unknown) else objects_in(subject)


def named_in(symbol: Symbol) -> Iterator[int]:
    """What it was computed from, except what was only counted for it: `torch.randint(len(self.layers), ())`"""
    todo, seen = [symbol], set[int]()
    while todo and len(seen) < MOST_NAMED:
        one = todo.pop()
        if id(one) not in seen and one.key[0] not in LENGTHS:
            seen.add(id(one))
            yield from numbers(one.key)
            todo.extend(inner_symbols(one.key))


def given_by_a_call(symbol: Symbol) -> bool:
    """`self.layers[i](x).mean`, `(self.layers[i](x) - y).mean`: of something computed from what a call gave."""
    while symbol.key[0] in ("attr", "item") and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    return any(one.key[0] == "call" and isinstance((*one.key, None)[1], Symbol) for one in symbols_in(symbol))


def sometimes(uses: list[Met], forward: Met) -> Choice | None:
    """The changing decision that every use hangs on, on one side of it."""
    around = {id(node) for node, _ in forward.above}
    turning_in = next((node for node, _ in reversed(forward.above) if isinstance(node, Loop)), None)
    sides: dict[int, set[int]] = {}
    deciding: list[list[Choice]] = []
    for met in uses:
        own = [(node, side) for node, side in met.above if isinstance(node, Choice) and id(node) not in around]
        for choice, side in own:
            sides.setdefault(id(choice), set()).add(side)
        turning = any(isinstance(node, Loop) and id(node) not in around for node, _ in met.above)
        deciding.append(
            [choice for choice, _ in own if changes(choice, turning_in) and not (turning and asks_a_turn(choice))]
        )
    used = {id(met.event) for met in uses}
    skipping = [
        [
            choice
            for choice in choices
            if len(sides[id(choice)]) == 1
            and not fails(choice, 1 - min(sides[id(choice)]))
            and not meet_again(choice, used)
        ]
        for choices in deciding
    ]
    return skipping[0][0] if skipping and all(skipping) else None


def fails(choice: Choice, side: int) -> bool:
    """`if neither_or_both: raise ValueError`: there is no step in which the part is left out."""
    return choice.exits[side] == "raise"


def meet_again(choice: Choice, used: set[int]) -> bool:
    """Do the sides come together again before the use, where a part of one of them has left?"""
    return all(any(id(node) in used for node, _ in walk(log)) for log in (choice.then, choice.other))


def all_of_it(choice: Choice, uses: list[Met], without: Object) -> bool:
    """Does one side of it leave (`if len(batch) == 0: return None`) and use no layer at all? Nothing that could have a
    gradient is computed in such a turn. A block that returns early leaves the layers around it to their work."""
    sides = {side for met in uses for node, side in met.above if node is choice}
    if len(sides) != 1 or "return" not in choice.exits or choice.exits[sides.pop()] != "":
        return False
    outside = [met for met in uses if met.event.function != choice.decision.function]
    return not any(
        isinstance(met.event.subject, Object)
        and not any(node is choice for node, _ in met.above)
        and without not in all_inside(met.event.subject)
        for met in outside
    )


COUNTED = frozenset({"index", "number"})  # what `enumerate` and `range` give in each turn


def asks_a_turn(choice: Choice) -> bool:
    """`if number == 0` in a loop of the forward itself: every forward comes to both sides. Whether any row chose this
    expert, the batch says, and a draw may fall on either side."""
    asked = {one.key[0] for one in symbols_in(choice.symbol)} if choice.symbol is not None else set()
    own = choice.cause is not None and choice.cause.kind in ("data", "random")
    return not asked.isdisjoint(COUNTED) and not own and "drawn" not in asked


def between_calls(module: Object, forwards: list[Met]) -> Choice | None:
    """The changing decision between one call of the model and another that does without this part."""
    sides: dict[int, set[int]] = {}
    choices: dict[int, Choice] = {}
    for met in forwards:
        for node, side in met.above:
            if isinstance(node, Choice):
                choices[id(node)] = node
                sides.setdefault(id(node), set()).add(side)
    places = {(met.event.path, met.event.at) for met in forwards}
    for number, choice in choices.items():
        if len(sides[number]) == 2 and changes(choice):
            for log in (choice.then, choice.other):
                calls = [node for node, _ in walk(log) if isinstance(node, Call) and (node.path, node.at) in places]
                if calls and not any(runs(call, module) for call in calls):
                    return choice
    return None


def runs(call: Call, module: Object) -> bool:
    return any(
        isinstance(node, Event) and node.op == "module-call" and called_by(module) & numbers_of(node.subject)
        for node, _ in walk(call.log)
    )


def changes(choice: Choice, loop: Loop | None = None) -> bool:
    """May the decision be another one in the next step, which is a turn of this loop?"""
    asked = choice.symbol
    decision = decided_by(asked) if asked is not None else None
    presence = asked is not None and asks_presence(asked) and decision is None  # a part of every batch, or of none
    if asked is not None and asks_kind(asked):
        return False
    if choice.cause is not None:
        return choice.cause.kind in ("random", "rank", "clock", "data") and not presence
    return asked is not None and not presence and changing(decision or asked, loop)


def changing(symbol: Symbol, loop: Loop | None = None) -> bool:
    if symbol.key[0] in ("or", "and", "not"):
        return any(isinstance(part, Symbol) and changing(part, loop) for part in symbol.key[1:])
    if asks_kind(symbol):
        return False
    return varies(symbol) and (loop is None or not made_before(symbol, loop))


def made_before(symbol: Symbol, loop: Loop) -> bool:
    """Is all that it is made of older than the first turn?"""
    if symbol.key[2:] == ("fresh",):
        return bool(symbol.key[1] < loop.born[0])
    parts = [part for part in symbol.key[1:] if isinstance(part, Symbol)]
    objects = [part[1] for part in symbol.key[1:] if isinstance(part, tuple) and part[:1] == ("object",)]
    if symbol.key[0] in TURNS or not (parts or objects):
        return False
    return all(number <= loop.objects for number in objects) and all(made_before(part, loop) for part in parts)
