"""Backward, clip, step, clear: do they keep to one accumulation window, and are the gradients reduced?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.library.provenance import symbols_in
from dtlint.machine.library.stepping import GATHERED, INNER, PLAIN
from dtlint.machine.logs import Choice, Event, Loop
from dtlint.machine.values import FALSE, TRUE, Const, Object, Symbol, Unknown, Value
from dtlint.timeline.order import Met, choices_below, exclusive, inside, loops_over, ordered
from dtlint.timeline.symbols import both_hold, constant, leaves, moduli, objects_in, periodic, worth

EXCHANGES = (
    "all_reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "all_gather",
    "all_gather_into_tensor",
    "broadcast",
)
TORCH = "torch."
DDP = "torch.nn.parallel.DistributedDataParallel"
FSDP = "torch.distributed.fsdp.FullyShardedDataParallel"


def events(run: Any, kind: str, *ops: str) -> list[Met]:
    """The events of one kind, in order; sorted into a table once."""
    table: dict[tuple[str, str], list[Met]] | None = run.cache.get("events by kind")
    if table is None:
        table = {}
        for met in ordered(run):
            table.setdefault((met.event.kind, met.event.op), []).append(met)
        run.cache["events by kind"] = table
    found = [met for op in ops for met in table.get((kind, op), ())]
    return sorted(found, key=lambda met: met.number) if len(ops) > 1 else found


def backwards(run: Any) -> list[Met]:
    """`loss.backward()` of torch; frameworks divide and switch by themselves."""
    return [met for met in events(run, "step", "backward") if met.event.api == "Tensor.backward"]


def symbol_of(value: Value | None) -> Symbol | None:
    return value.symbol if isinstance(value, Unknown) else None


def steps(run: Any) -> list[Met]:
    """Optimizer steps; of things nobody knows only those that are cleared like an optimizer, too."""
    found: list[Met] | None = run.cache.get("steps")
    if found is None:
        cleared = {symbol_of(met.event.subject) for met in events(run, "record", "zero-grad") if guessed(met)}
        found = run.cache["steps"] = [
            met
            for met in events(run, "record", "optimizer-step")
            if met.event.api.startswith(TORCH) and (not guessed(met) or symbol_of(met.event.subject) in cleared)
        ]
    return found


def guessed(met: Met) -> bool:
    return bool(met.event.extra.get("guess")) and isinstance(met.event.subject, Unknown)


# --- accumulation windows ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """Gradients of several backward passes add up before one step. `when` are the predicates of the step."""

    loop: Loop  # one turn, one backward
    backward: Met
    step: Met
    when: tuple[tuple[Symbol, bool], ...]
    nested: bool  # the step comes after the loop rather than in some of its turns

    def holds(self, met: Met) -> bool:
        return inside(met, self.loop)


def windows(run: Any) -> list[Window]:
    found: list[Window] | None = run.cache.get("windows")
    if found is None:
        found = run.cache["windows"] = list(find_windows(run))
    return found


def find_windows(run: Any) -> Iterator[Window]:
    known = backwards(run)
    for backward in known:
        loops = loops_over(backward)
        if not loops or aside(backward, loops[-1], known):
            continue
        innermost = loops[-1]
        for step in steps(run):
            if inside(step, innermost):
                if exclusive(step, backward):
                    continue
                above = {id(choice) for choice, _ in choices_below(backward, innermost)}
                own = [(choice, side) for choice, side in choices_below(step, innermost) if id(choice) not in above]
                when = tuple((choice.symbol, side == 0) for choice, side in own if choice.symbol is not None)
                if any(periodic(symbol) and several(symbol) for symbol, _ in when):
                    yield Window(innermost, backward, step, when, False)
                    break
                break  # a step in the same turn: no window
            if step.number > backward.number and len(loops) > 1 and inside(step, loops[-2]):
                above = {id(choice) for choice, _ in choices_below(backward, loops[-2])}
                together = all(id(choice) in above for choice, _ in choices_below(step, loops[-2]))
                adds_up = micro_batches(innermost) or toggles(run, innermost) or divided(backward.event.subject)
                if together and adds_up:
                    yield Window(innermost, backward, step, (), True)
                    break


def aside(backward: Met, loop: Loop, known: list[Met]) -> bool:
    """Is this a pass that only some turns make, besides the one they all make? What becomes of its gradients is a
    matter of its own: a probe that is cleared again, a penalty."""
    own = {(id(choice), side) for choice, side in choices_below(backward, loop)}
    return bool(own) and any(
        other is not backward
        and loops_over(other)[-1:] == [loop]
        and own > {(id(choice), side) for choice, side in choices_below(other, loop)}
        for other in known
    )


def several(symbol: Symbol) -> bool:
    """A remainder of a division by one is always zero."""
    return all(constant(part) not in (0, 1) for part in moduli(symbol))


def micro_batches(loop: Loop) -> bool:
    """A loop that only counts: `for micro in range(n)`."""
    subject = loop.subject
    return isinstance(subject, Object) and subject.kind == "builtins.range"


def toggles(run: Any, loop: Loop) -> bool:
    """Is the reduction switched in the loop's turns? Whoever does that accumulates."""
    return any(inside(met, loop) for met in events(run, "record", "no-sync"))


def unconditional(met: Met, window: Window) -> bool:
    """In every turn of the window's loop."""
    if not inside(met, window.loop):
        return False
    shared = {(id(choice), side) for choice, side in choices_below(window.backward, window.loop)}
    own = [(id(choice), side) for choice, side in choices_below(met, window.loop)]
    return shared.issuperset(own) and loops_over(met)[-1] is window.loop


def in_every_turn(run: Any, op: str) -> Iterator[tuple[Met, Window]]:
    """Events of a kind that belong to the end of the window but happen in each turn."""
    for window in windows(run):
        if window.nested:
            continue
        for met in events(run, "record", op):
            if (
                met.event.mask & window.step.event.mask
                and unconditional(met, window)
                and same_optimizer(met, window.step)
            ):
                yield met, window


def same_optimizer(met: Met, step: Met) -> bool:
    """Does the event speak of the optimizer (or of no particular one) that the window steps?"""
    mine, other = met.event.subject, step.event.subject
    if "optimizer-step" not in met.event.op and met.event.op == "zero-grad":
        if isinstance(mine, Object) and isinstance(other, Object) and "torch.optim.Optimizer" in met.event.api:
            return mine is other or bool(other.kind == "torch.amp.GradScaler")
        if isinstance(mine, Unknown) and isinstance(other, Unknown):
            return mine.symbol is other.symbol
    return True


# --- synchronising in the wrong turns ------------------------------------------------------------------------------


def needless_syncs(run: Any) -> Iterator[Window]:
    """Windows whose backward passes all reduce, though only the last one has to."""
    reduced = {(met.event.path, met.event.at): met.event for met in events(run, "collective", "backward")}
    for window in windows(run):
        event = window.backward.event
        wrapped = reduced.get((event.path, event.at))
        if wrapped is None or wrapped.api != "Tensor.backward" or event.extra.get("no_sync"):
            continue
        if not switched(run, window) and (not window.nested or divided(event.subject)):
            yield window


def divided(loss: Any) -> bool:
    """Whoever divides the loss means to accumulate; other sums of losses are what they are."""
    if not isinstance(loss, Unknown) or loss.symbol.key[0] != "op /":
        return False
    by = loss.symbol.key[2]
    return not (isinstance(by, tuple) and len(by) == 3)  # a number of ranks says nothing of batches


def switched(run: Any, window: Window) -> bool:
    """Does anything in the window switch the reduction?"""
    around = loops_over(window.backward)[-2:-1] or [window.loop]
    return any(inside(met, around[0]) for met in events(run, "record", "no-sync"))


def unreduced_steps(run: Any) -> Iterator[tuple[Met, Window]]:
    """The reduction is off in the very turn whose gradients the optimizer uses."""
    for window in windows(run):
        for met in events(run, "record", "no-sync"):
            off = off_when(met, window.loop) if inside(met, window.loop) else None
            if not off:
                continue
            if at_the_end(window.loop, off) if window.nested else both_hold(off, list(window.when)):
                yield met, window
                break


def off_when(met: Met, loop: Loop) -> list[tuple[Symbol, bool]] | None:
    """The predicates that switch the reduction off in a turn: those of the branch, and of what the switch is given."""
    own = choices_below(met, loop)
    found = [(choice.symbol, side == 0) for choice, side in own if choice.symbol is not None]
    if len(found) != len(own):
        return None
    call = met.event.extra.get("call")
    given = met.event.extra.get("value") or (call.get("requires_gradient_sync") if call is not None else None)
    if given is None:
        return found if "no_sync" in met.event.api.rpartition(".")[2] else None
    if isinstance(given, Unknown):
        return [*found, (given.symbol, False)]
    return found if given == FALSE else None


def at_the_end(loop: Loop, predicates: list[tuple[Symbol, bool]]) -> bool:
    """Do they hold in the last turn of a loop that counts?"""
    subject = loop.subject
    count = subject.attributes.get("count") if isinstance(subject, Object) else None
    if not isinstance(subject, Object) or count is None or subject.attributes.get("start") != Const(0):
        return False
    parts = {leaf for symbol, _ in predicates for kind in leaves(symbol) for leaf in kind}
    counter = next((leaf for leaf in parts if leaf.key[:2] == ("number", subject.number)), None)
    if counter is None or parts - {counter, symbol_of(count)}:
        return False
    for turns in (count.value,) if isinstance(count, Const) else (2, 3, 4):
        known = dict.fromkeys(parts, turns) | {counter: turns - 1}
        if not all(worth(symbol, known) is wanted for symbol, wanted in predicates):
            return False
    return True


# --- the size of the loss ------------------------------------------------------------------------------------------


def undivided(run: Any) -> Iterator[Window]:
    """Windows that add up means without dividing by their number."""
    for window in windows(run):
        if window.nested and not toggles(run, window.loop):
            continue  # a sum over steps of time, tasks or pieces may be meant as it is
        if any(inside(met, window.loop) or inside_outer(met, window) for met in events(run, "record", "grad-write")):
            continue
        subject = window.backward.event.subject
        if isinstance(subject, Unknown) and plain_mean(run, subject.symbol):
            yield window


def inside_outer(met: Met, window: Window) -> bool:
    around = loops_over(window.backward)
    return len(around) > 1 and inside(met, around[-2])


def plain_mean(run: Any, symbol: Symbol) -> bool:
    """The mean of a loss function as it is, alone or as a term of a sum."""
    key = symbol.key
    if key[0] == "op +":
        return any(isinstance(part, Symbol) and plain_mean(run, part) for part in key[1:])
    name = key[0]
    if name in ("split", "phi"):
        return given_one(run, key[2:])
    if name == "call" and len(key) > 1:
        name = text(key[1])
    row = run.knowledge.apis.get(name) if isinstance(name, str) else None
    if row is None or "loss" not in row.extra:
        return False
    return not any(text(part) in ("sum", "none") for part in key)


def given_one(run: Any, sides: tuple[Any, ...]) -> bool:
    """A model that answers with a loss where it was given targets, and with None where not."""
    losses = [side for side in sides if side is not None]
    return len(losses) == 1 and isinstance(losses[0], Symbol) and plain_mean(run, losses[0])


def text(part: Any) -> str:
    """The string a token stands for, or nothing."""
    if isinstance(part, tuple) and len(part) >= 2 and part[0] == "str":
        return str(part[1]).strip("'")
    return part if isinstance(part, str) else ""


def unconfigured(run: Any) -> Iterator[Met]:
    """`accelerator.accumulate()` of an accelerator that was not told how many batches make a step."""
    wanted = ("gradient_accumulation_steps", "gradient_accumulation_plugin", "deepspeed_plugin", "deepspeed_plugins")
    for met in events(run, "record", "accumulate"):
        subject = met.event.subject
        made = subject.facts.get("call") if isinstance(subject, Object) else None
        if made is None or any(name is None or name in wanted for name, _ in made.keywords):
            continue
        attributes = subject.attributes if isinstance(subject, Object) else {}
        if len(made.arguments) <= 3 and not any(name in attributes for name in wanted):
            yield met


def never_accumulated(run: Any) -> Iterator[tuple[Met, Met]]:
    """An accelerator that was told how many batches make a step, and a loop that steps after each of them without
    `accumulate()`: every loss is divided all the same. The backward and the step."""
    if events(run, "record", "accumulate") or events(run, "record", "no-sync"):
        return
    for met in events(run, "record", "backward"):
        made = met.event.subject.facts.get("call") if isinstance(met.event.subject, Object) else None
        count = made.get("gradient_accumulation_steps") if made is not None else None
        around = loops_over(met)
        if not isinstance(count, Const) or not isinstance(count.value, int) or count.value < 2 or not around:
            continue
        for step in steps(run):
            own = choices_below(step, around[-1]) if inside(step, around[-1]) else None
            if own is not None and len(own) <= len(choices_below(met, around[-1])) and loops_over(step) == around:
                yield met, step
                break


def scaled_twice(run: Any) -> Iterator[Met]:
    """A loss divided by the number of ranks, of a model whose wrapper averages over them already."""
    averaged = {DDP, FSDP}
    models = run.facts.get("models", {})
    for met in backwards(run):
        subject = met.event.subject
        if not isinstance(subject, Unknown) or subject.symbol.key[0] != "op /":
            continue
        by = subject.symbol.key[2]
        ranks = isinstance(by, tuple) and len(by) == 3 and by[2] == "world"
        numbers = [tag[1] for tag in subject.tags if isinstance(tag, tuple) and tag[0] == "wrapped"]
        if ranks and any(number in models and models[number].kind in averaged for number in numbers):
            yield met


# --- gradients nobody reduces --------------------------------------------------------------------------------------


def moved_after_wrap(run: Any) -> Iterator[Met]:
    """DDP notes the parameters where they are; the model goes to its device afterwards."""
    for met in events(run, "record", "move"):
        subject, call = met.event.subject, met.event.extra["call"]
        if not (isinstance(subject, Object) and subject.kind == DDP and subject.facts.get("wrapped")):
            continue
        made, inner = subject.facts.get("call"), subject.attributes.get("module")
        if made is None or made.row.name != DDP or not isinstance(inner, Object) or was_moved(run, inner, met):
            continue
        given = made.get("device_ids")
        if given is None or given == Const(None):
            if not is_type(call.arguments[0] if call.arguments else None):
                yield met


def was_moved(run: Any, inner: Object, before: Met) -> bool:
    return any(met.event.subject is inner and met.number < before.number for met in events(run, "record", "move"))


def is_type(value: Any) -> bool:
    """`.to(torch.bfloat16)` moves nothing, `.to("cpu")` neither."""
    name = getattr(value, "name", "")
    return bool(name.startswith("torch.")) or value == Const("cpu")


def inner_calls(run: Any) -> Iterator[tuple[Event, Met]]:
    """Training through `model.module`: the call, and the backward pass that nobody reduces."""
    calls = run.facts.get("inner calls", {})
    for met in backwards(run):
        tags = met.event.subject.tags if met.event.subject is not None else frozenset()
        inner = sorted(tag[1] for tag in tags if isinstance(tag, tuple) and tag[0] == INNER)
        for number in inner:
            if ("wrapped", number) in tags or number not in calls or reduces_by_hand(run, met):
                continue
            if not trains_another(run, met, calls[number].subject):
                yield calls[number], met


def trains_another(run: Any, backward: Met, model: Value | None) -> bool:
    """Is it certain that the step which uses these gradients is one of another model's parameters? A generator learns
    through a critic whose own gradients are cleared before anybody uses them."""
    around = loops_over(backward)[-1:]
    later = [met.number for met in backwards(run) if met.number > backward.number]
    following = [
        met
        for met in steps(run)
        if loops_over(met)[-1:] == around and backward.number < met.number < min(later, default=met.number + 1)
    ]
    own = {model.number, *objects_in(model.attributes.get("module", FALSE))} if isinstance(model, Object) else set()
    return bool(following) and all(trained(met) and not trained(met) & own for met in following)


def reduces_by_hand(run: Any, backward: Met) -> bool:
    """Is anything communicated between backward and step, that could be gradients?"""
    loops = loops_over(backward)
    around = loops[-1] if loops else None
    for met in events(run, "collective", *EXCHANGES):
        if around is None or inside(met, around):
            return True
    return any(around is None or inside(met, around) for met in events(run, "record", "reduce-gradients"))


def wrapped_in_loop(run: Any) -> Iterator[Met]:
    """A wrapper made anew around the same model in each step."""
    inner = {id(loops_over(met)[-1]) for met in events(run, "step", "backward") if loops_over(met)}
    for met in events(run, "collective", "wrap"):
        loops = loops_over(met)
        if loops and id(loops[-1]) in inner and met.event.api in (DDP, FSDP) and older(run, met, loops[-1]):
            yield met


def older(run: Any, wrap: Met, loop: Loop) -> bool:
    """Is the model older than the loop? An optimizer outside of it holds its parameters."""
    model = wrap.event.subject
    return isinstance(model, Object) and any(
        met.number < wrap.number and not inside(met, loop) and model.number in optimised(met)
        for met in events(run, "record", "optimizer")
    )


def optimised(made: Met) -> set[int]:
    first = made.event.extra["call"].get("params")
    return objects_in(first) if first is not None else set()


def never_reduced(run: Any) -> Iterator[Met]:
    """Sharded data, a process group, an optimizer, a model called as it is, and nothing that reduces."""
    started = [met for met in events(run, "record", "init") if met.event.api.startswith("torch.distributed")]
    if not started or events(run, "collective", "wrap"):
        return
    for met in backwards(run):
        subject = met.event.subject
        if subject is None or subject.cause is None or subject.cause.kind != "data" or reduces_by_hand(run, met):
            continue
        plain: set[Any] = {tag[1] for tag in subject.tags if isinstance(tag, tuple) and tag[0] == PLAIN}
        plain |= set(symbols_in(subject.symbol)) if isinstance(subject, Unknown) else set()
        stepped = any(plain & trained(step) and loops_over(step)[-1:] == loops_over(met)[-1:] for step in steps(run))
        if plain and stepped and met.event.mask == run.world.full and loops_over(met):
            yield met


def wrapped_sometimes(run: Any) -> Iterator[tuple[Met, Met]]:
    """The only wrap depends on an option that nothing else of the job depends on: neither the process group nor the
    training. The wrap, and the backward pass that is left alone without it."""
    wraps = events(run, "collective", "wrap")
    started = [met for met in events(run, "record", "init") if met.event.api.startswith("torch.distributed")]
    if len(wraps) != 1 or not started or wraps[0].event.extra.get("wrap") not in (DDP, FSDP):
        return
    choices = [(node, side) for node, side in wraps[0].above if isinstance(node, Choice)]
    if len(choices) != 1 or choices[0][0].cause is not None or not is_option(choices[0][0].symbol):
        return
    option = choices[0][0].symbol
    samplers = events(run, "record", "sampler")
    needed = [*started, *samplers]
    if not samplers or any(depends(met, option) for met in needed):
        return
    for met in backwards(run):
        subject = met.event.subject
        learns = subject is not None and subject.cause is not None and subject.cause.kind == "data"
        if learns and loops_over(met) and not depends(met, option) and not reduces_by_hand(run, met):
            yield wraps[0], met
            return


def is_option(symbol: Symbol | None) -> bool:
    """An attribute of the options, asked as it is."""
    return symbol is not None and symbol.key[0] == "attr"


def depends(met: Met, option: Symbol | None) -> bool:
    """Does it happen under a branch on the same option, or behind one that left?"""
    return any(isinstance(node, Choice) and node.symbol is option for node, _ in met.above)


def trained(step: Met) -> set[Any]:
    """The models whose parameters the stepped optimizer holds: numbers, and symbols of models that libraries made."""
    subject = step.event.subject
    call = subject.facts.get("call") if isinstance(subject, Object) else None
    if call is None or not call.arguments:
        return set()
    given = call.arguments[0]
    symbols = symbols_in(given.symbol) if isinstance(given, Unknown) else ()
    asked = {one.key[1] for one in symbols if one.key[0] == "attr" and one.key[2:] == ("parameters",)}
    return {*objects_in(given), *(one for one in asked if isinstance(one, Symbol))}


def stale_optimizers(run: Any) -> Iterator[tuple[Met, Met]]:
    """Optimizers that hold parameters which a later wrap replaces, with the wrap."""
    made = events(run, "record", "optimizer")
    for wrap in events(run, "collective", "wrap"):
        model = wrap.event.subject
        if not isinstance(model, Object) or not replaces(run, wrap):
            continue
        known = {model.number}
        for met in made:
            call = met.event.extra["call"]
            first = call.get("params")
            if met.number > wrap.number or first is None or not known & objects_in(first) or exclusive(met, wrap):
                continue
            again = [
                other
                for other in made
                if other.number > wrap.number and known & objects_in(other.event.extra["call"].get("params") or FALSE)
            ]
            if not again and not handed_over(wrap, call):
                yield met, wrap


def replaces(run: Any, wrap: Met) -> bool:
    call, kind = wrap.event.extra.get("call"), wrap.event.extra.get("wrap")
    if kind == FSDP:
        return call is None or call.get("use_orig_params") != TRUE
    if kind == "prepare":
        owner = call.receiver if call is not None else None
        return isinstance(owner, Object) and bool(owner.facts.get("sharded"))
    return kind == "fully_shard" and wrap.event.api.endswith("fully_shard")


def handed_over(wrap: Met, optimizer: Any) -> bool:
    """The wrapper gets the optimizer as well, and exchanges its parameters."""
    call = wrap.event.extra.get("call")
    given = call.values if call is not None else ()
    return any(
        isinstance(value, Object) and getattr(value.facts.get("call"), "node", None) is optimizer.node
        for value in given
    )


# --- statements without effect, collectives on parameters, losses of gathered tensors ------------------------------


def live_parameters(run: Any) -> Iterator[Met]:
    for met in ordered(run):
        if met.event.extra.get("live parameter"):
            yield met


def gathers_in_losses(run: Any) -> Iterator[tuple[Event, Met]]:
    gathers = run.facts.get("gathers", {})
    for met in events(run, "step", "backward"):
        tags = met.event.subject.tags if met.event.subject is not None else frozenset()
        for number in sorted(tag[1] for tag in tags if isinstance(tag, tuple) and tag[0] == GATHERED):
            if number in gathers:
                yield gathers[number], met


def sharded_clips(run: Any) -> Iterator[Met]:
    """torch's own clip on parameters that FSDP1 has divided."""
    sharded = {
        number: met
        for met in events(run, "collective", "wrap")
        if met.event.extra.get("wrap") == FSDP and isinstance(met.event.subject, Object)
        for number in (met.event.subject.number, wrapper_number(met.event.subject))
    }
    for met in events(run, "record", "clip"):
        call = met.event.extra["call"]
        given = call.get("parameters")
        if given is not None and call.row.name.startswith("torch.nn.utils.") and objects_in(given) & sharded.keys():
            yield met


def wrapper_number(inner: Object) -> int:
    outer = inner.facts.get("wrapper")
    return outer.number if isinstance(outer, Object) else inner.number
