"""Are the gradients cleared wherever the optimizer steps?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.logs import Choice, Loop, Site
from dtlint.machine.values import Object, Symbol
from dtlint.timeline.order import Met, choices_below, exclusive, in_each_turn, inside, loops_over
from dtlint.timeline.steps.loss_scale import several
from dtlint.timeline.steps.models_used import changes
from dtlint.timeline.steps.stepping import backwards, events, steps
from dtlint.timeline.steps.windows import Window, own_predicates, same_optimizer, windows
from dtlint.timeline.symbols import both_hold, leaves

Predicates = tuple[tuple[Symbol, bool], ...]


def kept_on_one_side(run: Any) -> Iterator[tuple[Met, Met]]:
    """A step after which nobody clears, as the clearing of this loop stands on the other side of a setting; and that
    clearing."""
    if events(run, "record", "grad-write"):
        return
    clears = events(run, "record", "zero-grad")
    passes = backwards(run)
    for step in steps(run):
        around = loops_over(step)
        here = [clear for clear in clears if around and inside(clear, around[-1])]
        if not here or not {place(clear) for clear in clears} <= {place(clear) for clear in here}:
            continue  # the loop may be come to in several ways, and is the same in each
        trains = any(inside(one, around[-1]) and one.event.mask & step.event.mask for one in passes)
        if trains and all(apart(step, clear, around[-1]) for clear in here):
            yield step, here[0]


def place(met: Met) -> Site:
    return met.event.path, met.event.at, met.event.function


def apart(step: Met, clear: Met, loop: Loop) -> bool:
    """Does a setting, the same in all turns, let a run come to one of them only?"""
    mine = sides(step, loop)
    return any(mine.get(symbol, side) != side for symbol, side in sides(clear, loop).items())


def sides(met: Met, loop: Loop) -> dict[Symbol, int]:
    return {
        choice.symbol: side
        for choice, side in choices_below(met, loop)
        if choice.symbol is not None and lasting(choice)
    }


def lasting(choice: Choice) -> bool:
    return choice.cause is None and not changes(choice)


def cleared_in_the_last(run: Any) -> Iterator[tuple[Met, Met, Met]]:
    """A clearing in front of the backward pass, inside of `accumulate()`: it does nothing in the micro-batches before
    the last one, and there it throws away what they have added up. With it what enters the window, and the pass."""
    passes, clears = events(run, "record", "backward"), events(run, "record", "zero-grad")
    for entered in events(run, "record", "accumulate"):
        around, owner = loops_over(entered), entered.event.subject
        if not around or not adds_up(owner):
            continue
        behind = [one for one in passes if one.event.subject is owner and one.number > entered.number]
        if not behind or loops_over(behind[0]) != around:
            continue
        needed = asked(behind[0], around[-1])
        for clear in clears:
            between = entered.number < clear.number < behind[0].number and loops_over(clear) == around
            if between and asked(clear, around[-1]) <= needed:
                yield clear, entered, behind[0]
                break


def clipped_within(run: Any) -> Iterator[tuple[Met, Met, Met]]:
    """Gradients clipped behind each backward pass inside of `accumulate()`, though the optimizer waits for the last
    micro-batch. With the clipping what enters the window, and the pass."""
    passes = events(run, "record", "backward")
    clips = (*events(run, "record", "clip"), *events(run, "collective", "clip_grad_norm_"))
    for entered in events(run, "record", "accumulate"):
        around, owner = loops_over(entered), entered.event.subject
        if not around or not adds_up(owner):
            continue
        mine = [one for one in passes if one.event.subject is owner and loops_over(one) == around]
        inside_it = [one for one in mine if one.number > entered.number]
        for clip in clips if inside_it else ():
            behind = clip.number > inside_it[0].number and loops_over(clip) == around
            if behind and asked(clip, around[-1]) <= asked(inside_it[0], around[-1]):
                yield clip, entered, inside_it[0]
                break


def cleared_where_it_steps(run: Any) -> Iterator[tuple[Met, Window]]:
    """A clearing in front of the backward pass of those turns that step, and of no others: what the micro-batches
    before have added up is thrown away."""
    clears = events(run, "record", "zero-grad")
    for window in windows(run):
        for clear in clears if not window.nested else ():
            before = clear.number < window.backward.number and in_each_turn(clear, window.loop)
            if not before or exclusive(clear, window.step) or not same_optimizer(clear, window.step):
                continue
            if window.when and in_the_same_turns(own_predicates(clear, window.backward, window.loop), window.when):
                yield clear, window
                break


def in_the_same_turns(clears: Predicates, steps: Predicates) -> bool:
    """`if (turn + 1) % n == 0: clear()`, and further down `if (turn + 1) % n: continue` in front of the step."""
    if set(steps) <= set(clears):
        return True
    return never_alone(list(clears), steps) and never_alone(list(steps), clears)


def never_alone(first: list[tuple[Symbol, bool]], second: Predicates) -> bool:
    """Is there no turn in which the first hold and one of the second does not? What is a setting is so in all turns."""
    turning = [(symbol, wanted) for symbol, wanted in second if leaves(symbol)[0]]
    return bool(first and turning) and all(
        both_hold(first, [(symbol, not wanted)]) is False for symbol, wanted in turning
    )


def asked(met: Met, loop: Loop) -> set[tuple[int, int]]:
    return {(id(choice), side) for choice, side in choices_below(met, loop)}


def adds_up(owner: Any) -> bool:
    """An accelerator that was told to add up several batches, and clears by itself: DeepSpeed does not ask for it."""
    made = owner.facts.get("call") if isinstance(owner, Object) else None
    if made is None or any(made.get(name) is not None for name in ("deepspeed_plugin", "deepspeed_plugins")):
        return False
    plugin = made.get("gradient_accumulation_plugin")
    inner = plugin.facts.get("call") if isinstance(plugin, Object) else None
    return several(made.get("gradient_accumulation_steps")) or (inner is not None and several(inner.get("num_steps")))
