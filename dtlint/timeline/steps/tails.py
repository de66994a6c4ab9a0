"""What becomes of the micro-batches that an epoch ends with, when they fill no window?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

from dtlint.machine.library.feeding.loader_options import is_open, number_of, option
from dtlint.machine.logs import Choice, Loop
from dtlint.machine.values import FALSE, Object
from dtlint.machine.walks import walk
from dtlint.timeline.arrays.lives import turns_once
from dtlint.timeline.order import Met, choices_below, exclusive, in_each_turn, inside, loops_over
from dtlint.timeline.steps.anew import trains_anew
from dtlint.timeline.steps.last_turns import numbers_turns
from dtlint.timeline.steps.stepping import events, steps
from dtlint.timeline.steps.training import LOADER, loader_of
from dtlint.timeline.steps.windows import Window, at_each_pass, same_optimizer, windows
from dtlint.timeline.symbols import constant, leaves, moduli

LEAVING = {"break", "return"}


@dataclass(frozen=True, slots=True)
class Tail:
    """The window that an epoch cuts short: where it is asked for its end, and the clearing that drops what it has
    added up; without one the next epoch's first window begins with it."""

    window: Window
    asked: Choice
    cleared: Met | None


def cut_short(run: Any) -> Iterator[Tail]:
    for window in windows(run):
        around = loops_over(window.backward)
        if window.nested or len(around) < 2 or not isinstance(window.loop, Loop):
            continue
        asked = end_of_windows(window)
        if asked is None or not counts_anew(window) or not may_be_cut(window) or turns_once(around[-2]):
            continue
        if ends_at_a_turn(window.loop) or trains_anew(around[-2]):
            continue
        if stepped_elsewhere(run, window, around[-2]) or events(run, "record", "grad-write"):
            continue
        if at_each_pass(run, "zero-grad", window):
            continue  # nothing adds up at all, which is told
        yield Tail(window, asked, cleared_between(run, window, around[-2]))


def end_of_windows(window: Window) -> Choice | None:
    """The question before the step, where it asks for nothing but the number of the turn and the size of a window: one
    that asks for the last turn as well names something more."""
    asked = [choice for choice, _ in choices_below(window.step, window.loop)]
    own = [choice for choice in asked if choice.symbol is not None and moduli(choice.symbol)]
    for symbol, _ in window.when:
        counters, _, others = leaves(symbol)
        if len(counters) != 1 or others:
            return None
    return own[-1] if len(own) == 1 and len(window.when) == 1 else None


def counts_anew(window: Window) -> bool:
    """Does each epoch count its turns from the beginning? A count that goes on over the epochs cuts no window short."""
    subject, loop = window.walked, window.loop
    if not (isinstance(subject, Object) and subject.kind == "<enumerate>" and isinstance(loop, Loop)):
        return False
    counters = {leaf for symbol, _ in window.when for leaf in leaves(symbol)[0]}
    return all(numbers_turns(leaf, loop) for leaf in counters)


def ends_at_a_turn(loop: Loop) -> bool:
    """`if turn >= whole: break`: is it left when it has counted so far, as who takes whole windows only does?"""
    return any(
        isinstance(node, Choice)
        and not LEAVING.isdisjoint(node.exits)
        and node.symbol is not None
        and any(numbers_turns(leaf, loop) for kind in leaves(node.symbol) for leaf in kind)
        for node, _ in walk(loop.body)
    )


def may_be_cut(window: Window) -> bool:
    """A plain loader of the program, from which nobody takes a part. One that gives up what fills no batch may mean to
    give up what fills no window as well, unless the numbers are written down and there is always something left."""
    loader, subject = loader_of(window.walked), window.walked
    if loader is None or loader.kind != LOADER or is_open(loader):
        return False
    if subject is None or subject.facts["inner"][0] is not loader:
        return False
    gives_up = option(loader, "drop_last") not in (None, FALSE)
    left = left_over(loader, window, gives_up)
    return not gives_up if left is None else all(left)


def left_over(loader: Object, window: Window, gives_up: bool) -> list[bool] | None:
    """Is the last window cut short, on two ranks and on four, where the numbers are written down?"""
    known = loader.facts.get("described")
    total = number_of(known.dealt or known.total) if known is not None else None
    size = number_of(option(loader, "batch_size"))
    several = [constant(part) for symbol, _ in window.when for part in moduli(symbol)]
    if total is None or not size or any(type(part) is not int for part in several):
        return None
    batches = [total // ranks // size if gives_up else ceil(ceil(total / ranks) / size) for ranks in (2, 4)]
    return [any(number % part for part in several) for number in batches]


def stepped_elsewhere(run: Any, window: Window, epochs: Loop) -> bool:
    """Is there another step in the epoch that may take what is left: behind the loop, or on another side?"""
    return any(
        met is not window.step
        and inside(met, epochs)
        and same_optimizer(met, window.step)
        and (not inside(met, window.loop) or not exclusive(met, window.backward))
        and met.event.at != window.step.event.at
        for met in steps(run)
    )


def cleared_between(run: Any, window: Window, epochs: Loop) -> Met | None:
    """A clearing in each epoch, outside of the loop over its batches."""
    for met in events(run, "record", "zero-grad"):
        if inside(met, epochs) and not inside(met, window.loop) and same_optimizer(met, window.step):
            if in_each_turn(met, epochs):
                return met
    return None
