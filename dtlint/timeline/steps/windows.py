"""Which steps belong to one accumulation window, and does what happens in it keep to the window?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.control.agreeing import settled
from dtlint.machine.lanes import token
from dtlint.machine.library.contexts import UNSEEN
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.modules import HAS_MODELS
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.library.training.trainers import TURNS
from dtlint.machine.logs import Call, Choice, Loop, plain_question
from dtlint.machine.values import FALSE, TRUE, Const, Object, Symbol, Unknown
from dtlint.timeline.options import default_for, default_in_a_class
from dtlint.timeline.order import Met, choices_below, exclusive, in_each_turn, inside, loops_over
from dtlint.timeline.steps.models_used import made_before
from dtlint.timeline.steps.retries import left_after
from dtlint.timeline.steps.stepping import DDP, backwards, events, reducing, steps, symbol_of
from dtlint.timeline.steps.unreduced import averages_models, reduces_by_hand
from dtlint.timeline.symbols import FAR, LENGTHS, both_hold, constant, in_windows, leaves, moduli, periodic, worth

MANY = (2, 3, 8)
LONG = 64  # turns of a window, more than most have
Turns = Loop | Call


@dataclass(frozen=True, slots=True)
class Window:
    """Gradients of several backward passes add up before one step. `when` are the predicates of the step."""

    loop: Turns  # one turn, one backward; or the method that a trainer calls in each turn of its own
    backward: Met
    step: Met
    when: tuple[tuple[Symbol, bool], ...]
    nested: bool  # the step comes after the loop rather than in some of its turns

    @property
    def walked(self) -> Any:
        """What the loop walks over; a trainer does not say."""
        return self.loop.subject if isinstance(self.loop, Loop) else None

    def holds(self, met: Met) -> bool:
        return inside(met, self.loop)


def windows(run: Any) -> list[Window]:
    found: list[Window] | None = run.cache.get("windows")
    if found is None:
        found = run.cache["windows"] = list(find_windows(run, backwards(run)))
    return found


def find_windows(run: Any, known: list[Met]) -> Iterator[Window]:
    for backward in known:
        loops = loops_over(backward)
        innermost = loops[-1] if loops else called_in_turns(run, backward)
        if innermost is None or aside(backward, innermost, known):
            continue
        mine = [step for step in steps(run) if step.event.mask & backward.event.mask]
        turns = [step for step in mine if inside(step, innermost) and not exclusive(step, backward)]
        if turns:
            halves = parted(run, backward, known, turns, innermost)
            when = [own_predicates(step, backward, innermost, halves) for step in turns]
            # one that steps whenever the pass is made has its gradients; the others are of another model
            long = (
                any(
                    periodic(symbol) and several(symbol, step) and not in_most(symbol, answer) for symbol, answer in own
                )
                for step, own in zip(turns, when, strict=True)
            )
            if all(long):
                yield Window(innermost, backward, turns[0], when[0], False)
            continue
        for step in mine:
            if step.number > backward.number and len(loops) > 1 and inside(step, loops[-2]):
                together = answered(step, loops[-2]) <= answered(backward, loops[-2])
                adds_up = micro_batches(loops[-1]) or toggles(run, innermost) or divided(backward.event.subject)
                if together and adds_up and not left_after(run, backward, events(run, "record", "zero-grad")):
                    yield Window(innermost, backward, step, (), True)
                    break


def answered(met: Met, loop: Loop) -> set[Any]:
    """What has been asked in the loop before the event: the same question has the same answer wherever it is asked."""
    return {id(choice) if choice.symbol is None else (choice.symbol, side) for choice, side in choices_below(met, loop)}


def called_in_turns(run: Any, met: Met) -> Call | None:
    """The method around it that a trainer calls with every batch."""
    known = run.facts.get(TURNS, ())
    calls = (node for node, _ in met.above if isinstance(node, Call))
    return next((node for node in calls if (node.callee_path, node.function) in known), None)


def parted(run: Any, backward: Met, known: list[Met], turns: list[Met], loop: Turns) -> set[int]:
    """Branches with a pass on both sides: that of the last turn of a window, and one of the others that only adds up.
    Either way there is a pass in each turn."""
    found = set[int]()
    mine = {id(choice): side for choice, side in choices_below(backward, loop)}
    for other in known:
        if not other.event.extra.get("no_sync") or not exclusive(other, backward):
            continue
        apart = {id(choice) for choice, side in choices_below(other, loop) if mine.get(id(choice), side) != side}
        if len(apart) == 1 and all(exclusive(step, other) for step in turns):
            found |= apart
    return found


def own_predicates(
    step: Met, backward: Met, loop: Turns, halves: Iterable[int] = ()
) -> tuple[tuple[Symbol, bool], ...]:
    """What a step of the loop asks for that the backward pass does not."""
    above = {id(choice) for choice, _ in choices_below(backward, loop)}.difference(halves)
    own = [(in_windows(choice.symbol), side) for choice, side in choices_below(step, loop) if id(choice) not in above]
    return tuple((symbol, side == 0) for symbol, side in own if symbol is not None)


def aside(backward: Met, loop: Turns, known: list[Met]) -> bool:
    """Is this a pass that only some turns make, besides the one they all make? What becomes of its gradients is a
    matter of its own: a probe that is cleared again, a penalty."""
    own = {(id(choice), side) for choice, side in choices_below(backward, loop)}
    return bool(own) and any(
        other is not backward
        and in_each_turn(other, loop)
        and own > {(id(choice), side) for choice, side in choices_below(other, loop)}
        for other in known
    )


def several(symbol: Symbol, met: Met) -> bool:
    """A remainder of a division by one is always zero."""
    return all(constant(part) not in (0, 1) and may_be_many(part, met) for part in moduli(symbol))


def in_most(symbol: Symbol, answer: bool) -> bool:
    """`if turn % 200 == 0: report()` and `else: step()`: all turns but one of 200 are no end of a window."""
    question, given = plain_question(symbol)
    word = question.key[0] if question is not None else ""
    return answer is given if word in ("compare !=", "op %") else word == "compare ==" and answer is not given


def may_be_many(count: Any, met: Met) -> bool:
    """Is it on no side of a branch that is for one only: the `else` of `if count > 1`?"""
    if not isinstance(count, Symbol):
        return True
    for node, side in met.above:
        if isinstance(node, Choice) and node.symbol is not None:
            answers = [worth(node.symbol, {count: number}) for number in MANY]
            if all(answer is not None and bool(answer) is not (side == 0) for answer in answers):
                return False
    return True


def micro_batches(loop: Loop) -> bool:
    """A loop that only counts: `for micro in range(n)`."""
    subject = loop.subject
    return isinstance(subject, Object) and subject.kind == "builtins.range"


def toggles(run: Any, loop: Turns) -> bool:
    """Is the reduction switched in the loop's turns? Whoever does that accumulates."""
    return any(inside(met, loop) for met in events(run, "record", "no-sync"))


def unconditional(met: Met, window: Window) -> bool:
    """In every turn of the window's loop, once an option that is asked in each of them has been given."""
    if not inside(met, window.loop) or exclusive(met, window.step):
        return False
    shared = {(id(choice), side) for choice, side in choices_below(window.backward, window.loop)}
    below = choices_below(met, window.loop)
    if any(periodic(in_windows(choice.symbol)) for choice, _ in below):
        return False  # what follows a `break` in some turns hangs below the same branch as what only they do
    own = [(id(choice), side) for choice, side in below if not alike(choice, window.loop)]
    lasts = all(several(symbol, met) for symbol, _ in window.when)
    return lasts and shared.issuperset(own) and in_each_turn(met, window.loop)


def alike(choice: Choice, loop: Turns) -> bool:
    """Is it the same question in each turn, `if args.max_grad_norm:`?"""
    symbol = choice.symbol
    if symbol is None or choice.cause is not None or not isinstance(loop, Loop):
        return False
    return settled(symbol) and older(symbol, loop)


def older(symbol: Symbol, loop: Loop) -> bool:
    """Is it made of what was there before the first turn, and of what the function was given?"""
    if symbol.key[0] == "parameter" or made_before(symbol, loop):
        return True
    parts = [part for part in symbol.key[1:] if isinstance(part, Symbol)]
    numbers = [part[1] for part in symbol.key[1:] if isinstance(part, tuple) and part[:1] == ("object",)]
    return bool(parts) and all(number <= loop.objects for number in numbers) and all(older(one, loop) for one in parts)


def in_every_turn(run: Any, op: str) -> Iterator[tuple[Met, Window]]:
    """Events of a kind that belong to the end of the window but happen in each turn."""
    for window in windows(run):
        here = at_each_pass(run, op, window)
        if not here or (window.nested and not all_that_counts(run, op, window)):
            continue
        yield from ((met, window) for met in here)


def at_each_pass(run: Any, op: str, window: Window) -> list[Met]:
    """The events of a kind that happen whenever the window's backward pass does."""
    known = events(run, "record", op)
    return [
        met
        for met in known
        if met.event.mask & window.step.event.mask
        and unconditional(met, window)
        and same_optimizer(met, window.step)
        and not any(instead(other, met, window) for other in known)
    ]


def instead(other: Met, met: Met, window: Window) -> bool:
    """`if not cfg.accumulates: clip()` in each turn, and `if cfg.accumulates: clip()` at its step: the program asks
    whether there are windows at all. Where it asks before the pass, the other side has a pass of its own."""
    loop = window.loop
    if not inside(other, loop):
        return False
    asked = answers(window.backward, loop)
    mine = {question: answer for question, answer in answers(met, loop).items() if question not in asked}
    return any(mine.get(question, answer) is not answer for question, answer in answers(other, loop).items())


def answers(met: Met, loop: Turns) -> dict[Symbol, bool]:
    """What has to be answered in a turn so that the event happens, and how."""
    found = {}
    for choice, side in choices_below(met, loop):
        question, answer = choice.symbol, side == 0
        while question is not None and question.key[0] == "not":
            question, answer = question.key[1], not answer
        if question is not None:
            found[question] = answer
    return found


def all_that_counts(run: Any, op: str, window: Window) -> bool:
    """Does the step behind the loop see nothing but what the passes of its turns have left, and is it the same for each
    of them? An attack on the inputs is followed by a pass of its own; some keep the gradients of a turn elsewhere, and
    put them back at the end."""
    passes = [other for other in windows(run) if other.nested and other.loop is window.loop]
    if not all(at_each_pass(run, op, other) for other in passes):
        return False
    afresh = (*backwards(run), *events(run, "record", "grad-write", "zero-grad"))
    last = max(other.backward.number for other in passes)
    return not any(last < met.number < window.step.number and not inside(met, window.loop) for met in afresh)


def same_optimizer(met: Met, step: Met) -> bool:
    """Does the event speak of the optimizer (or of no particular one) that the window steps?"""
    mine, other = met.event.subject, step.event.subject
    if "optimizer-step" not in met.event.op and met.event.op == "zero-grad":
        if isinstance(mine, Object) and isinstance(other, Object) and "torch.optim.Optimizer" in met.event.api:
            return mine is other or bool(other.kind == "torch.amp.GradScaler")
        if isinstance(mine, Unknown) and isinstance(other, Unknown):
            return mine.symbol is other.symbol
    return True


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


def forwards(run: Any, backward: Met) -> list[Met]:
    """The forward passes that the loss may come from, of wrapped models."""
    tags = backward.event.subject.tags if backward.event.subject is not None else frozenset()
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


def divided(loss: Any, walked: Any = None) -> bool:
    """Whoever divides the loss means to accumulate; other sums of losses are what they are."""
    if not isinstance(loss, Unknown) or loss.symbol.key[0] != "op /":
        return False
    by = loss.symbol.key[2]
    turns = walked.attributes.get("count") if isinstance(walked, Object) else None
    if turns is not None and token(turns) == by:
        return True
    return not (isinstance(by, tuple) and len(by) == 3)  # a number of ranks says nothing of batches


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


def at_the_end(loop: Turns, predicates: list[tuple[Symbol, bool]]) -> bool:
    """Do they hold in the last turn of a loop that counts? An option that they ask besides is the same in every turn,
    and given where the reduction is switched at all."""
    each = [one for symbol, wanted in predicates for one in all_asked(symbol, wanted)]
    predicates = [(symbol, wanted) for symbol, wanted in each if not isinstance(loop, Loop) or not older(symbol, loop)]
    parts = {leaf for symbol, _ in predicates for kind in leaves(symbol) for leaf in kind}
    counted = counting(loop, parts)
    if counted is None:
        return False
    asked = parts - {counted.counter, counted.count}
    if counted.count is None and counted.turns is None:
        return len(asked) < 2 and in_one_turn(counted, parts, predicates)
    if asked:
        return False
    for turns in (counted.turns,) if counted.turns is not None else (2, 3, 4, FAR):
        known = dict.fromkeys(parts, turns) | {counted.counter: counted.start + turns - 1}
        if not all(worth(symbol, known) is wanted for symbol, wanted in predicates):
            return False
    return True


def all_asked(symbol: Symbol, wanted: bool) -> Iterator[tuple[Symbol, bool]]:
    """`several and last`, which is to hold: each of them is."""
    word, *parts = symbol.key
    if word == "not" and len(parts) == 1 and isinstance(parts[0], Symbol):
        yield from all_asked(parts[0], not wanted)
    elif word == ("and" if wanted else "or") and all(isinstance(part, Symbol) for part in parts):
        for part in parts:
            yield from all_asked(part, wanted)
    else:
        yield symbol, wanted


def in_one_turn(counted: Counting, parts: set[Symbol], predicates: list[tuple[Symbol, bool]]) -> bool:
    """Do they hold in one turn only, that of `micro == accumulate - 1`? However many turns there are: it is the last
    one, or the reduction is off for nothing."""
    asked = len(parts) > 1
    for turns in (2, 3, 4, LONG) if asked else (LONG,):
        known = dict.fromkeys(parts, turns)
        held = [
            turn
            for turn in range(LONG)
            if all(
                worth(symbol, known | {counted.counter: counted.start + turn}) is wanted
                for symbol, wanted in predicates
            )
        ]
        if len(held) != 1 or held[0] != (turns - 1 if asked else max(held[0], 1)):
            return False
    return True


@dataclass(frozen=True, slots=True)
class Counting:
    """What a loop counts with, from where, and how far: a symbol, or a number that is written down."""

    counter: Symbol
    start: int
    count: Symbol | None
    turns: int | None = None


def counting(loop: Turns, parts: set[Symbol]) -> Counting | None:
    """`for i in range(n)`, `for i, batch in enumerate(window)`, of which the predicates ask these parts."""
    subject = loop.subject if isinstance(loop, Loop) else None
    if not isinstance(subject, Object) or not isinstance(loop, Loop):
        return None
    if subject.kind == "<enumerate>":
        start, walked = subject.facts.get("start"), subject.facts["inner"][0]
        counter = next((leaf for leaf in parts if leaf.key[0] == "index" and born_in(leaf, loop)), None)
        count = next((leaf for leaf in parts if leaf.key[0] in LENGTHS and leaf.key[1] == token(walked)), None)
        return counted_from(counter, start, count)
    count_value = subject.attributes.get("count")
    counter = next((leaf for leaf in parts if leaf.key[:2] == ("number", subject.number)), None)
    if isinstance(count_value, Const):
        return counted_from(counter, subject.attributes.get("start"), None, count_value.value)
    return counted_from(counter, subject.attributes.get("start"), symbol_of(count_value))


def counted_from(counter: Symbol | None, start: Any, count: Symbol | None, turns: Any = None) -> Counting | None:
    known = isinstance(start, Const) and type(start.value) is int and start.scale is None
    return Counting(counter, start.value, count, turns) if counter is not None and known else None


def born_in(symbol: Symbol, loop: Loop) -> bool:
    """Made in a turn of the loop."""
    number = symbol.key[1] if symbol.key[2:] == ("fresh",) else None
    return number is not None and loop.born[0] <= number < loop.born[1]
