"""Does a decision that nobody can take speak of ranks? Then it may be the guard that one looks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.meeting.origins import SITES
from dtlint.machine.logs import Call, Choice, Decision, Event, LogNode, Place, decisions
from dtlint.machine.run import Run
from dtlint.machine.values import BY_PROCESS, Symbol
from dtlint.timeline.ranks.inverted import whole_text
from dtlint.timeline.records import guards_over
from dtlint.timeline.symbols import leaves, periodic

RANK = frozenset({"rank"})
OWN_DEVICE = frozenset({"device", "gpu"})  # what each rank of a node has for itself
ASKED = RANK | {"main", "master", "primary", "chief", "leader", "coordinator"}  # as words of a name
HINT = re.compile(
    "|".join(sorted(ASKED | {"lead", "worker", "zero", "writer", "host", "proc", "root", "should_save"})), re.I
)

RECEIVER = re.compile(r"\w+\.(?=\w+\()")
TURNS = frozenset({"loop", "number", "index"})  # symbols: what a turn has left of a counter, the number of a turn
FIRST_DEVICE = re.compile(r"\b(device|gpu)(_(id|index|idx|number))?\s*(==|!=)\s*0\b", re.I)  # none but a number is 0


def locked(event: Event, path: tuple[LogNode, ...]) -> bool:
    """Is this done by one process after the other, each of which sees what the one before has done?"""
    return any(decision.kind == "lock" for decision in guards_over(event, path))


def vaguely_guarded(run: Run, event: Event, path: tuple[LogNode, ...]) -> bool:
    """Does a decision nobody can take, but which is about ranks by its words or its cause, stand above? Then it may be
    the guard."""
    less = asking_less(event, since_spawned(run, path))
    return any(one.cause is not None or may_guard(run, one, less) for one in undecided(run, event, path))


def may_guard(run: Run, decision: Decision, less: dict[tuple[str, Place], bool]) -> bool:
    """Those who ask for more than the others, where ranks are told apart, have a reason that is not seen."""
    asks_less = less.get((decision.path, decision.at))
    if asks_less is None:
        return speaks_of_ranks(run, decision)
    return not asks_less or speaks_so(decision.symbol, ASKED)


def asking_less(event: Event, path: tuple[LogNode, ...]) -> dict[tuple[str, Place], bool]:
    """`if due or late and rank == 0:`: the questions where it was known who the rank is, and whether those who come
    here ask for less than the others. Then what they still ask has nothing to do with who they are."""
    chains = (event.guards, *(node.guards for node in path))
    asked = (one for chain in chains for one in decisions(chain) if one.kind == "branch" and one.taken != one.before)
    return {
        (one.path, one.at): not event.mask & ~one.taken
        for one in asked
        if one.cause is not None and one.cause.kind in BY_PROCESS
    }


def on_the_first_device(run: Run, event: Event, path: tuple[LogNode, ...]) -> bool:
    """`if self.device == 0:`, of which the machine knows nothing: it is the first rank of a node that has this one."""
    return any(FIRST_DEVICE.search(whole_text(run, one)) for one in undecided(run, event, path))


def undecided(run: Run, event: Event, path: tuple[LogNode, ...]) -> Iterator[Decision]:
    """The branches above that nobody can decide; where it depends on who the rank is, also those that others left."""
    path = since_spawned(run, path)
    for chain in (event.guards, *(node.guards for node in path)):
        for decision in decisions(chain):
            if decision.kind == "branch" and decision.taken == decision.before and not of_content(run, decision):
                yield decision
    for node in path:
        if isinstance(node, Choice) and node.cause is not None and not of_content(run, node.decision):
            yield node.decision


def since_spawned(run: Run, path: tuple[LogNode, ...]) -> tuple[LogNode, ...]:
    """What stands above the call that starts the ranks is decided by the one process that starts them."""
    sites = run.facts.get(SITES, ())
    starts = (place for place, node in enumerate(path) if isinstance(node, Call) and (node.path, node.at) in sites)
    return path[next(starts, -1) + 1 :]


def of_content(run: Run, decision: Decision) -> bool:
    """Does it depend on something else than who the rank is, and on nothing that speaks of ranks besides?"""
    if decision.cause is None or decision.cause.kind in BY_PROCESS:
        return False
    return not speaks_of_ranks(run, decision)


def speaks_of_ranks(run: Run, decision: Decision) -> bool:
    text = whole_text(run, decision)
    if counts_turns(decision.symbol):
        text = RECEIVER.sub("", text)
    return any(pattern.search(text) for pattern in (HINT, FIRST_DEVICE)) or speaks_so(decision.symbol, ASKED)


def counts_turns(symbol: Symbol | None) -> bool:
    """Does it ask nothing but the number of a turn, wherever the program does so? In `writer.due(step)` the name of
    the thing that is asked says nothing then."""
    if symbol is None or not periodic(symbol):
        return False
    counters, _, others = leaves(symbol)
    return all(one.key[0] in TURNS for one in counters | others)


def speaks_so(symbol: Symbol | None, words: frozenset[str]) -> bool:
    """Is it made of what a library nobody knows calls so? `place == 0` after `place = grid.get_rank()`."""
    return symbol is not None and any(
        not words.isdisjoint(word.rpartition(".")[2].split("_"))
        for one in symbols_in(symbol)
        for word in words_in(one.key)
    )


def words_in(key: tuple[Any, ...]) -> Iterator[str]:
    for part in key:
        if isinstance(part, str):
            yield part
        elif isinstance(part, tuple):
            yield from words_in(part)
