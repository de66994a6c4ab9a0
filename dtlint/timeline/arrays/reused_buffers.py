"""Is a JAX buffer read after it was given away?

It has the name that it is given away by, and further ones: what merged it, what was made of it without a copy. What is
made in every turn of a loop is another buffer in every turn, however equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.examples import way_to
from dtlint.ir.functions import every_node
from dtlint.machine.library.jax.facts import leaves
from dtlint.machine.logs import Loop
from dtlint.machine.run import Run
from dtlint.machine.values import Symbol, Unknown, Value
from dtlint.timeline.arrays.lives import Again, Story, Use, site_after
from dtlint.timeline.records import calls_around, recorded

OTHER_NAMES = (ir.Name, ir.Attr, ir.Index, ir.Tup, ir.IfExp, ir.BoolOp)


def reused_buffers(run: Run) -> Iterator[Again]:
    if not run.facts.get("jax donated"):
        return
    story = Story(lambda again: made_in_the_turn(run, again))
    for event, path in recorded(run, "<jax>"):
        if event.op == "donate" and event.extra.get("entering"):
            story.consumed.setdefault(event.extra["symbol"], []).append(Use(event.extra["symbol"], event, path))
        elif event.op in ("donate", "read"):
            again = story.use(Use(event.extra["symbol"], event, path, event.op == "donate"))
            if again is not None:
                yield again
        elif event.op == "read kept":
            again = lost_in_a_later_turn(run, story, Use(event.extra["symbol"], event, path, False))
            if again is not None:
                yield again


def lost_in_a_later_turn(run: Run, story: Story, use: Use) -> Again | None:
    """Some turn kept what it made, by reference; a later turn donated it."""
    follower: Symbol = use.event.extra["follower"]
    kept = either_of(use.symbol)
    for loop in loops_of(run):
        if kept.isdisjoint(loop.carried):
            continue  # nothing is left of earlier turns
        for before, after in loop.kept_by:
            donors = story.consumed.get(before, ())
            if donors and follower in symbols_of(after):
                span, scope = site_after(donors[0].path, use)
                return Again(donors[0], use, None, span, scope)
    return None


def either_of(symbol: Symbol) -> set[Symbol]:
    """What branches may have left there, each a value of its own."""
    found: set[Symbol] = set()
    todo = [symbol]
    while todo and len(found) < 20:
        one = todo.pop()
        found.add(one)
        if one.key[0] in ("attr", "item") and isinstance(one.key[1], Symbol):
            todo.append(one.key[1])
        elif one.key[0] == "phi":
            todo += [side for side in one.key[2:] if isinstance(side, Symbol) and side not in found]
    return found


def loops_of(run: Run) -> tuple[Loop, ...]:
    if "loops" not in run.cache:
        run.cache["loops"] = tuple(node for node, _ in run.walk() if isinstance(node, Loop))
    found: tuple[Loop, ...] = run.cache["loops"]
    return found


def symbols_of(value: Value) -> set[Symbol]:
    return {leaf.symbol for leaf in leaves(value) if isinstance(leaf, Unknown)}


def made_in_the_turn(run: Run, again: Again) -> bool:
    """Is what a loop gives away made in the same turn, by a call in front of it?"""
    given, event, path = again.second.event.extra.get("given"), again.second.event, again.second.path
    if again.loop is None or given is None:
        return False
    if not isinstance(given, OTHER_NAMES):
        return True
    way = way_to(run.project.tree(event.path), *event.at[:2])
    inside = calls_around(event, path[path.index(again.loop) :])
    around = ir.Function if inside else ir.For | ir.While
    body = next((node for node in reversed(way) if isinstance(node, around)), None)
    if not isinstance(given, ir.Name) or body is None:
        return False
    found = [
        node.value
        for node in every_node(body.body)
        if isinstance(node, ir.Assign)
        and any(isinstance(one, ir.Name) and one.id == given.id for one in every_node(node.targets))
    ]
    return bool(found) and not any(isinstance(value, OTHER_NAMES) for value in found)
