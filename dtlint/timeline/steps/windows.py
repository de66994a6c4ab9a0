"""Which steps belong to one accumulation window, and does what happens in it keep to the window?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.control.agreeing import settled
from dtlint.machine.lanes import token
from dtlint.machine.library.training.trainers import TURNS
from dtlint.machine.logs import Call, Choice, Loop, plain_question
from dtlint.machine.values import Object, Symbol, Unknown
from dtlint.timeline.order import Met, choices_below, exclusive, in_each_turn, inside, loops_over
from dtlint.timeline.steps.models_used import made_before
from dtlint.timeline.steps.retries import left_after
from dtlint.timeline.steps.stepping import backwards, events, steps
from dtlint.timeline.symbols import constant, in_windows, moduli, periodic, worth

MANY = (2, 3, 8)
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
            halves = parted(backward, known, turns, innermost)
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


def parted(backward: Met, known: list[Met], turns: list[Met], loop: Turns) -> set[int]:
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


def divided(loss: Any, walked: Any = None) -> bool:
    """Whoever divides the loss means to accumulate; other sums of losses are what they are."""
    if not isinstance(loss, Unknown) or loss.symbol.key[0] != "op /":
        return False
    by = loss.symbol.key[2]
    turns = walked.attributes.get("count") if isinstance(walked, Object) else None
    if turns is not None and token(turns) == by:
        return True
    return not (isinstance(by, tuple) and len(by) == 3)  # a number of ranks says nothing of batches
