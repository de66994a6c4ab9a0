"""When is the reduction of gradients off, and should it be?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.lanes import token
from dtlint.machine.library.contexts import UNSEEN
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.modules import HAS_MODELS
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.logs import Choice
from dtlint.machine.values import FALSE, TRUE, Const, Object, Symbol, Unknown
from dtlint.timeline.options import default_for, default_in_a_class
from dtlint.timeline.order import Met, choices_below, exclusive, inside, loops_over
from dtlint.timeline.steps.last_turns import at_the_end
from dtlint.timeline.steps.loss_scale import several
from dtlint.timeline.steps.stepping import DDP, backwards, events, reducing, steps
from dtlint.timeline.steps.unreduced import averages_models, reduces_by_hand
from dtlint.timeline.steps.windows import Window, divided, find_windows, windows
from dtlint.timeline.symbols import both_hold, constant, in_windows, moduli, periodic


def needless_syncs(run: Any) -> Iterator[Window]:
    """Windows whose backward passes all reduce, though only the last one has to; one of those that end in one step."""
    told: set[Any] = set()
    reduced = {(met.event.path, met.event.at): met.event for met in events(run, "collective", "backward")}
    for window in find_windows(run, reducing(run)):
        event = window.backward.event
        wrapped = reduced.get((event.path, event.at))
        if wrapped is None or event.extra.get("no_sync"):
            continue
        if wrapped.api != "Tensor.backward" and not (wrapped.extra.get("model") or wrapped.extra.get(HAS_MODELS)):
            continue  # of whichever model: nobody said that it is a wrapped one
        if switched(run, window) or one_batch(run, window):
            continue
        end = (id(window.loop), window.step.event.path, window.step.event.at)
        if end not in told and (not window.nested or divided(event.subject, window.walked)):
            told.add(end)
            yield window


def switched_too_late(run: Any) -> Iterator[tuple[Met, Met, Met]]:
    """DDP decides in the forward pass whether the gradients will be reduced: to switch that off for the backward pass
    alone changes nothing, and what an attribute says of one turn holds for the forward pass of the next. The backward
    pass, the forward pass before it and the switch between."""
    for backward in backwards(run):
        around = loops_over(backward)[-1:]
        switches = [met for met in events(run, "record", "no-sync") if around and inside(met, around[0])]
        between = [met for met in switches if met.number < backward.number and not exclusive(met, backward)]
        said = {met.event.extra["value"] for met in switches if "value" in met.event.extra}
        if not between or (len(said) == 1 and isinstance(next(iter(said)), Const)):
            continue  # what an attribute says holds for the next forward pass as well, and is the same there
        passes = [met for met in forwards(run, backward) if loops_over(met)[-1:] == around]
        kinds = {getattr(met.event.subject, "kind", None) for met in passes}
        if kinds == {DDP} and passes[-1].number < min(met.number for met in switches):
            yield backward, passes[-1], between[-1]


def counted_too_late(run: Any) -> Iterator[tuple[Met, Met, Met]]:
    """`loss = model(batch)` in front of `with accelerator.accumulate(model):`, which switches the reduction off for
    what is inside. The backward pass, the forward pass before it and the context between."""
    for entered in events(run, "record", "accumulate"):
        around = loops_over(entered)[-1:]
        made = entered.event.subject.facts.get("call") if isinstance(entered.event.subject, Object) else None
        if not around or made is None or not several(made.get("gradient_accumulation_steps")):
            continue
        for backward in events(run, "collective", "backward"):
            if loops_over(backward)[-1:] != around or backward.number < entered.number:
                continue
            passes = [met for met in forwards(run, backward) if loops_over(met)[-1:] == around]
            kinds = {getattr(met.event.subject, "kind", None) for met in passes}
            if kinds == {DDP} and passes[-1].number < entered.number:
                yield backward, passes[-1], entered
                break


def forwards(run: Any, backward: Met) -> list[Met]:
    """The forward passes that the loss may come from, of wrapped models."""
    loss = backward.event.extra.get("loss", backward.event.subject)
    tags = loss.tags if loss is not None else frozenset()
    models = {tag[1] for tag in tags if isinstance(tag, tuple) and tag[0] == "wrapped"}
    return [
        met
        for met in events(run, "collective", "forward")
        if isinstance(met.event.subject, Object)
        and met.event.subject.number in models
        and met.number < backward.number
        and not exclusive(met, backward)
    ]


def one_batch(run: Any, window: Window) -> bool:
    """Is one batch all that a window holds, unless somebody gives the option that says otherwise?"""
    subject = window.walked
    counted = subject.attributes.get("count") if window.nested and isinstance(subject, Object) else None
    if counted == Const(1):
        return True
    sizes = [part for symbol, _ in window.when for part in moduli(symbol)]
    if isinstance(counted, Unknown):
        sizes.append(counted.symbol)
    return any(isinstance(part, Symbol) and usually_one(run, part) for part in sizes)


def usually_one(run: Any, symbol: Symbol) -> bool:
    if symbol.key[0] == "phi":  # `window = 1`, until something asks for more
        return any(constant(part) == 1 for part in symbol.key[2:])
    default = default_for(run, symbol) or default_in_a_class(run, attribute_of(symbol))
    return isinstance(default, Const) and constant(token(default)) == 1


def switched(run: Any, window: Window) -> bool:
    """Does anything in the window switch the reduction, or may a context that was given the model do so?"""
    around = (*loops_over(window.backward)[-2:-1], window.loop)
    if any(inside(met, around[0]) for met in events(run, "record", "no-sync")):
        return True
    loss = window.backward.event.subject
    tags = loss.tags if loss is not None else ()
    models = {tag[1] for tag in tags if isinstance(tag, tuple) and tag[0] == "wrapped"}
    return any(
        inside(met, around[0]) and not models.isdisjoint(met.event.extra["given"])
        for met in events(run, "record", UNSEEN)
    )


def unreduced_steps(run: Any) -> Iterator[tuple[Met, Window]]:
    """The reduction is off in the very turn whose gradients the optimizer uses."""
    for window in windows(run):
        for met in events(run, "record", "no-sync"):
            off = off_when(met, window) if inside(met, window.loop) else None
            if off is None or (not off and (comes_on(run, window) or not by_name(met))):
                continue
            if not off:
                yield met, window
                break
            if at_the_end(window.loop, off) if window.nested else both_hold(off, list(window.when)):
                yield met, window
                break


def never_on(run: Any) -> Iterator[tuple[Met, Met, Met]]:
    """`with model.no_sync():` around the whole loop in which the optimizer steps: the switch, the backward pass and
    the step."""
    passes = backwards(run)
    if not all(met.event.extra.get("no_sync") for met in passes) or averages_models(run):
        return
    for met in events(run, "record", "no-sync"):
        if not by_name(met):
            continue
        for backward in passes:
            around = loops_over(backward)[-1:]
            if not around or met.number > backward.number or inside(met, around[0]) or reduces_by_hand(run, around[0]):
                continue
            step = next((one for one in steps(run) if loops_over(one)[-1:] == around), None)
            if step is not None and choices_over(met) <= choices_over(backward):
                yield met, backward, step
                return


def choices_over(met: Met) -> set[int]:
    return {id(node) for node, _ in met.above if isinstance(node, Choice)}


def by_name(met: Met) -> bool:
    """Is the switch itself what is called? A variable may hold one context or another."""
    call = met.event.extra.get("call")
    called = call.node.func if isinstance(call, Invocation) and call.node is not None else None
    return isinstance(called, ir.Attr) and called.name == met.event.api.rpartition(".")[2]


def comes_on(run: Any, window: Window) -> bool:
    """Does anything in the loops around reduce what was added up, after all?"""
    around = (*loops_over(window.backward), window.loop)[0]
    passes = (met for met in events(run, "step", "backward") if inside(met, around))
    exchanged = loops_over(window.backward)[-2:][0] if window.nested else window.loop
    return any(not met.event.extra.get("no_sync") for met in passes) or reduces_by_hand(run, exchanged)


def off_when(met: Met, window: Window) -> list[tuple[Symbol, bool]] | None:
    """The predicates that switch the reduction off in a turn: those of the branch, and of what the switch is given.
    What the backward pass asks as well, other than which turn of a window it is, makes no difference to it."""
    with_it = {
        (id(choice), side)
        for choice, side in choices_below(window.backward, window.loop)
        if not periodic(in_windows(choice.symbol))
    }
    own = [(choice, side) for choice, side in choices_below(met, window.loop) if (id(choice), side) not in with_it]
    asked = [(in_windows(choice.symbol), side == 0) for choice, side in own]
    found = [(symbol, answer) for symbol, answer in asked if symbol is not None]
    if len(found) != len(own):
        return None
    call = met.event.extra.get("call")
    if call is not None and "enabled" in call.row.params:
        enabled = call.get("enabled") or TRUE
        return (
            [*found, (turn_of(enabled), True)] if isinstance(enabled, Unknown) else found if enabled == TRUE else None
        )
    given = met.event.extra.get("value") or (call.get("requires_gradient_sync") if call is not None else None)
    if given is None:
        return found if "no_sync" in met.event.api.rpartition(".")[2] else None
    if isinstance(given, Unknown):
        return [*found, (turn_of(given), False)]
    return found if given == FALSE else None


def turn_of(asked: Unknown) -> Symbol:
    return in_windows(asked.symbol) or asked.symbol
