"""Is a JAX buffer read after it was given away?

It has the name that it is given away by, and further ones: what merged it, what was made of it without a copy. What is
made in every turn of a loop is another buffer in every turn, however equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node, variables_in
from dtlint.ir.ways import way_to
from dtlint.machine.library.jax.facts import DONATED, leaves
from dtlint.machine.library.jax.left_over import LEFT
from dtlint.machine.logs import EXITS, Call, Choice, LogNode, Loop, told
from dtlint.machine.run import Run
from dtlint.machine.values import ITEMS, Symbol, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.arrays.lives import Again, Story, Use, exclude, sides, site, site_after, site_below
from dtlint.timeline.records import calls_around, recorded

LEAVING = frozenset({"break", "return", "raise", *EXITS})
OTHER_NAMES = (ir.Name, ir.Attr, ir.Index, ir.Tup, ir.IfExp, ir.BoolOp)


def reused_buffers(run: Run) -> Iterator[Again]:
    if not run.facts.get(DONATED):
        return
    story = Story(lambda again: made_in_the_turn(run, again) or put_back(run, again))
    told_of: set[tuple[str, object]] = set()  # donating calls
    kept_lines: set[tuple[str, int]] = set()
    for event, path in recorded(run, "<jax>"):
        if event.op == "donate" and event.extra.get("entering"):
            story.consumed.setdefault(event.extra["symbol"], []).append(Use(event.extra["symbol"], event, path))
        elif event.op in ("donate", "read"):
            again = story.use(Use(event.extra["symbol"], event, path, event.op == "donate"))
            if again is not None:
                told_of.add(place_of(again))
                yield again
        elif event.op == "read kept":
            again = lost_in_a_later_turn(run, story, Use(event.extra["symbol"], event, path, False))
            read = (event.path, event.at[0])  # `print(jnp.sum(kept))` reads it in one place
            if again is not None and read not in kept_lines:
                kept_lines.add(read)
                yield again
        elif event.op == LEFT:
            again = given_in_the_next_turn(story, Use(event.extra["symbol"], event, path, False))
            if again is not None and place_of(again) not in told_of:
                told_of.add(place_of(again))
                yield again


def place_of(again: Again) -> tuple[str, object]:
    """Of the call that gives away."""
    donor = (again.first or again.second).event
    return donor.path, donor.at


def given_in_the_next_turn(story: Story, use: Use) -> Again | None:
    """The turn ends with what it has given away still there, on a way on which it was given away."""
    place, returns = use.event.extra["place"], use.event.extra["returns"]
    start = max((index for index, node in enumerate(use.path) if isinstance(node, Call)), default=0) if returns else 0
    around = use.path[:start] if returns else use.path  # loops of a function that returns are left
    loop = next((node for node in reversed(around) if isinstance(node, Loop)), None)
    if loop is None or not loop.again or place not in loop.rebound:
        return None
    if returns and may_stop(loop, use.path[start]):
        return None
    for donor in story.consumed.get(use.symbol, ()):
        within = use.path[start] if returns else loop
        inside = any(node is within for node in donor.path) and donor.event.mask & use.event.mask
        if not inside or not is_given(donor, use.symbol, str(place[1])):
            continue
        if not exclude(donor, use) and not denied(donor, use.event.extra["answers"]):
            where = site(donor, start + 1) if returns else site_below(donor, donor.path.index(loop))
            return Again(donor, use, loop, *where)
    return None


def may_stop(loop: Loop, call: LogNode) -> bool:
    """Does something behind the call leave the loop? What the call answers may say so."""
    behind = False
    for node, path in walk(loop.body):
        behind = behind or node is call
        if behind and isinstance(node, Choice) and not any(one is call for one in path):
            if not LEAVING.isdisjoint(node.exits):
                return True
    return False


def is_given(donor: Use, symbol: Symbol, name: str) -> bool:
    """Does the call give away what this name holds? Another one for the same may be bound anew in time."""
    given = donor.event.extra.get("given")
    named = given.id if isinstance(given, ir.Name) else given.name if isinstance(given, ir.Attr) else None
    return named == name or (symbol.key[0] == "loop" and str(symbol.key[2]).partition("[")[0] == name)


def denied(donor: Use, answers: Iterable[tuple[Symbol, bool]]) -> bool:
    """Does what stays there where these are the answers stay on the other side of a branch than the donating call?"""
    known = {what: answer for choice, then in sides(donor) for what, answer in told(choice.symbol, then)}
    said = (one for question, side in answers for one in told(question, side))
    return any(known.get(what, answer) != answer for what, answer in said)


def lost_in_a_later_turn(run: Run, story: Story, use: Use) -> Again | None:
    """Some turn kept what it made, by reference; a later turn donated it."""
    follower: Symbol = use.event.extra["follower"]
    kept = either_of(use.symbol)
    listed = any(one.key[0] == ITEMS for one in kept)
    for loop in loops_of(run):
        if kept.isdisjoint(loop.carried):
            continue  # nothing is left of earlier turns
        if listed and any(node is loop for node in use.path):
            continue  # there may be one item only
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
        elif one.key[0] in ("phi", ITEMS):
            todo += [side for side in one.key[1:] if isinstance(side, Symbol) and side not in found]
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


def put_back(run: Run, again: Again) -> bool:
    """`updates = step(model, batch)`, `update(model, updates)`: what has come out is put into the thing whose arrays
    were given away, by a call that is made for this alone."""
    donor = (again.first or again.second).event
    given = donor.extra.get("given")
    if not donor.extra.get("holder") or not isinstance(given, ir.Name):
        return False
    way = way_to(run.project.tree(donor.path), *donor.at[:2])
    around = next((node for node in reversed(way) if isinstance(node, ir.Function | ir.Module)), None)
    lines = list(every_node(around.body)) if around is not None else []
    came_out: set[str] = set()
    for line in lines:
        if isinstance(line, ir.Assign):
            if getattr(line.value, "at", None) == donor.at or came_out & variables_in(line.value):
                came_out |= variables_in(line.targets)
        elif isinstance(line, ir.ExprStmt) and isinstance(line.value, ir.Call):
            named = variables_in(line.value)
            if given.id in handed_to(line.value) and came_out & named - {given.id}:
                return True
    return False


def handed_to(call: ir.Call) -> set[str]:
    """The things that a call is given as they are, or is asked of: what `print(new.w - old.w)` shows is none."""
    asked = (call.func.value,) if isinstance(call.func, ir.Attr) else ()
    given = (*asked, *call.args, *(value for _, value in call.keywords))
    return {one.id for one in given if isinstance(one, ir.Name)}
