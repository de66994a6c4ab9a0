"""Is a JAX key used up and used again, and does it matter?

It does where what should be independent comes out equal. Several arrays in one order, an example of which only the
shape is looked at, a start that is made once more: there the same numbers are wanted, or nobody looks at them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dtlint.findings import Span
from dtlint.ir import nodes as ir
from dtlint.ir.differences import subtracted
from dtlint.ir.either import one_is_taken
from dtlint.ir.examples import only_for_shape
from dtlint.ir.functions import every_node
from dtlint.ir.given_the_same import given_the_same
from dtlint.ir.leftovers import looked_at_by_nobody
from dtlint.ir.meeting import meet
from dtlint.ir.other_parts import parts_of_one
from dtlint.ir.put_back import put_back
from dtlint.ir.two_parts import changed_alike
from dtlint.ir.ways import Place, statement_in, way_to
from dtlint.machine.core import CHANGED_NOTHING
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import key_splits
from dtlint.machine.library.jax.facts import LEARNED, has, words
from dtlint.machine.library.jax.haiku import drops_nothing
from dtlint.machine.library.jax.keys import BEGUN, OUTSIDE, roots_of
from dtlint.machine.library.python.generators import ASKED, HANDED_OUT, RESUMED
from dtlint.machine.logs import Call, Event, LogNode, Loop, Site
from dtlint.machine.run import Run
from dtlint.machine.values import NONE, Const, Symbol, Tuple, Unknown, Value
from dtlint.timeline.arrays.lives import (
    Again,
    Story,
    Use,
    entered_with,
    exclude,
    first_site,
    in_common,
    leaves,
    now_and_then,
    parts,
    retried,
    site_after,
    site_below,
    stable,
    turns_once,
)
from dtlint.timeline.arrays.reused_buffers import loops_of
from dtlint.timeline.programs import of_trials
from dtlint.timeline.records import calls_around, recorded

EVERY_LEAF = "every leaf"  # what a loop of `tree.map` says of itself


def reused_keys(run: Run) -> Iterator[Again]:
    if not run.facts.get("jax"):
        return
    story = Story(lambda again: on_purpose(run, again))
    told: set[Symbol] = set()
    taken: list[Use] = []  # of items that generators gave
    for event, path in recorded(run, "key"):
        call = event.extra.get("call")
        if call is None:
            continue
        key = key_used(event)
        symbol = getattr(key, "symbol", None)
        if (
            symbol is None
            or not stable(symbol, key is not None and has(key, "key"))
            or not (call.row.extra.get("consumes") or event.extra.get("keyword"))
        ):
            continue
        if draws_nothing(run, call):
            continue
        mild = bool(event.extra.get("weak")) or key_splits.for_models(run.facts, call)
        use = Use(symbol, event, path, True, mild)
        again = story.use(use)
        if again is not None:
            told.add(symbol)
            yield again
        elif symbol in run.facts.get(HANDED_OUT, ()) and not mild:
            taken.append(use)
    for loop in loops_of(run):
        if not turns_once(loop):
            yield from used_up_for_the_next_turn(run, story, loop, told)

    yield from used_by_who_hands_it_out(run, story, taken)


def used_by_who_hands_it_out(run: Run, story: Story, taken: list[Use]) -> Iterator[Again]:
    """`yield key` and `key, _ = split(key)`: the generator draws all others from a key that it has given away."""
    told: set[Symbol] = set()
    for use in taken:
        own, generator = run.facts[HANDED_OUT][use.symbol]
        inside = next((one for one in used_within(story, own, generator) if not exclude(one, use)), None)
        if inside is None or own in told or on_purpose(run, Again(inside, use, None, *site_after(inside.path, use))):
            continue
        told.add(own)
        yield Again(use, inside, None, Span(inside.event.path, *inside.event.at), inside.event.function)


def used_within(story: Story, symbol: Symbol, function: tuple[str, object]) -> Iterator[Use]:
    """Where a function uses up what has this symbol there."""
    for held in (symbol, *entered_with(symbol)):
        for use in story.consumed.get(held, ()):
            if any(isinstance(node, Call) and (node.callee_path, node.callee_at) == function for node in use.path):
                yield use


def used_up_for_the_next_turn(run: Run, story: Story, loop: Loop, told: set[Symbol]) -> Iterator[Again]:
    """`key, sub = split(key)` and a draw from `key`: the next turn splits what this one has used up."""
    for before, after in loop.carried.items():
        if not isinstance(after, Unknown) or after.symbol in (before, *told):
            continue
        first, second = (
            next((use for use in story.consumed.get(symbol, ()) if in_every_turn(use, loop)), None)
            for symbol in (after.symbol, before)
        )
        if first is not None and second is not None:
            again = Again(first, second, loop, *site_below(second, second.path.index(loop)))
            if not on_purpose(run, again):
                yield Again(first, second, loop, *site_below(first, first.path.index(loop)))


def in_every_turn(use: Use, loop: Loop) -> bool:
    if loop not in use.path:
        return False
    index = use.path.index(loop)
    return not (leaves(use, index) or retried(use, index) or now_and_then(use, index, loop))


# How two uses stand to each other that are meant to draw the same: after a trial of which nothing is to be seen, one of
# them alone is taken, their difference is what counts, they are cut alike and still belong together, or two parts of
# one result are asked for one by one.
WRITTEN_SO = (put_back, one_is_taken, subtracted, changed_alike, parts_of_one)


def on_purpose(run: Run, again: Again) -> bool:
    """Is there a key used twice, and nobody minds?"""
    return (
        of_trials(again.site.path)
        or in_a_trial(run, again)
        or run_for_itself(again)
        or for_nothing(run, again)
        or one_order(again)
        or any(in_one_file(run, again, so) for so in WRITTEN_SO)
        or made_inside(run, again)
        or started_over(run, again)
        or starts_like_it(run, again)
        or before_the_first_item(run, again)
        or goes_on(run, again)
        or of_another_cell(run, again)
        or given_the_same(run.project.tree(again.site.path), again.site.line, again.site.column)
        or other_losses(run, again)
        or dropped(run, again)
        or for_shape(run, again)
        or replaced(run, again)
        or begun_each_time(run, again)
        or side_by_side(run, again)
    )


def in_one_file(run: Run, again: Again, so: Callable[[ir.Module, Place, Place], bool]) -> bool:
    """Do both uses stand in one file, and is it so of these two places?"""
    if again.first is None:
        return False
    first, second = first_site(again.first, again), again.site
    places = ((first.line, first.column), (second.line, second.column))
    return first.path == second.path and so(run.project.tree(first.path), *places)


def in_a_trial(run: Run, again: Again) -> bool:
    """`def test_all_mutations():` beside what it tries, whatever comes out."""
    way = way_to(run.project.tree(again.site.path), again.site.line, again.site.column)
    around = [one for one in way if isinstance(one, ir.Function)]
    return any(one.name.startswith("test_") and not one.params for one in around[:1])


def run_for_itself(again: Again) -> bool:
    """Is it a method of which nobody is seen to call it again, when the constructor of its object has called it?"""
    if again.first is None:
        return False
    entered = [
        node for node in calls_around(again.second.event, again.second.path) if (node.path, node.at) == body(node)
    ]
    called = [body(node) for node in again.first.path if isinstance(node, Call) and (node.path, node.at) != body(node)]
    return any(body(node) in called for node in entered)


def body(call: Call) -> tuple[str, tuple[int, ...] | None]:
    return call.callee_path, call.callee_at


def before_the_first_item(run: Run, again: Again) -> bool:
    """Does a generator, of which each turn takes one more item, draw on its way to the first?"""
    if again.loop is None:
        return False
    path = again.second.path
    below = path[path.index(again.loop) + 1 :]
    resumed = run.facts.get(RESUMED, ())
    place = next(
        (i for i, node in enumerate(below) if isinstance(node, Call) and (node.path, node.at) in resumed), None
    )
    return place is not None and not any(isinstance(node, Loop) for node in below[place:])


def goes_on(run: Run, again: Again) -> bool:
    """`first = next(batches)`, and `for batch in batches:` somewhere else: the generator goes on where it was."""
    if again.first is None:
        return False
    here, there = (
        {(node.path, node.at) for node in use.path if isinstance(node, Call)} for use in (again.first, again.second)
    )
    one, other = here - there, there - here
    return any(one & places and other & places for places in run.facts.get(ASKED, {}).values())


def of_another_cell(run: Run, again: Again) -> bool:
    """Does another cell of a notebook begin with the same key? Parts of a key are no numbers that come out equal."""
    if again.first is None or again.scope != "<module>":
        return False
    places = (first_site(again.first, again), again.site)
    if len({run.project.cell_at(place.path, place.line) for place in places} - {None}) != 2:
        return False
    return any("split" in use.event.extra["call"].extra for use in (again.first, again.second))


def side_by_side(run: Run, again: Again) -> bool:
    """Are both shown beside one another, and never come together?"""
    place = first_site(again.first, again) if again.first is not None else again.site
    if place.path != again.site.path or (again.loop is not None and again.loop.kind == "callback"):
        return False
    nothing = run.facts.get(CHANGED_NOTHING, ())
    return not meet(
        run.project.tree(place.path),
        (place.line, place.column),
        (again.site.line, again.site.column),
        run.knowledge.shows,
        lambda call: (place.path, call.at) in nothing,
    )


def other_losses(run: Run, again: Again) -> bool:
    """Do both belong to losses, each by parameters of its own? Nothing adds up what two networks learn of the same
    samples: the critic and its weight, the actor and the critic."""
    if again.first is None:
        return False
    here, there = learned(run, again.first, again.second), learned(run, again.second, again.first)
    return bool(here and there) and here.isdisjoint(there)


def learned(run: Run, use: Use, other: Use) -> set[object]:
    """The losses that are differentiated on the way to one use only, and what they are differentiated by."""
    known: dict[object, set[object]] = run.facts.get(LEARNED, {})
    found: set[object] = set()
    for node in use.path[in_common(other.path, use.path) :]:
        if isinstance(node, Call) and (node.path, node.at) in known:
            found |= {(node.callee_path, node.callee_at), *known[node.path, node.at]}
    return found


def dropped(run: Run, again: Again) -> bool:
    """Does nobody take what one of the two gives? `step(key, state)` once, before the clock is started, compiles it;
    `plot(key, axis)` in every turn draws a picture; a helper leaves what it has drawn unread."""
    nothing = run.facts.get(CHANGED_NOTHING, ())
    uses = [(again.second, again.site)]
    if again.first is not None:
        uses.append((again.first, first_site(again.first, again)))
    for use, site in uses:
        if looked_at_by_nobody(run.project.tree(use.event.path), *use.event.at[:2]):
            return True
        if any((site.path, site.line, site.column) == (path, *at[:2]) for path, at in nothing):
            if looked_at_by_nobody(run.project.tree(site.path), site.line, site.column):
                return True
    return False


def one_order(again: Again) -> bool:
    """Are several arrays brought into one order by one key, or the same rows taken of them, so that what belongs
    together still does?"""
    call = again.second.event.extra["call"]
    if not call.row.extra.get("reorders"):
        return False
    if again.first is not None:
        before = again.first.event.extra["call"]
        return before.name == call.name and before.get("x") != call.get("x") and others(before) == others(call)
    assert again.loop is not None
    if again.loop.decision.text == EVERY_LEAF:
        return True
    given = call.get("x")
    return isinstance(given, Unknown) and any(part in again.loop.variant for part in parts(given.symbol))


def others(call: Invocation) -> tuple[object, ...]:
    """How the draw is made, apart from the key and the array."""
    named = sorted((name, repr(token(value))) for name, value in call.keywords if name not in (None, "key", "x", "a"))
    return (*map(token, call.arguments[2:]), *named)


def for_shape(run: Run, again: Again) -> bool:
    """Is what one of the two uses gives an example, of which only the shape is looked at?"""
    uses = [(again.second, again.site)]
    if again.first is not None:
        uses.append((again.first, first_site(again.first, again)))
    return any(of_shape(run, site) or begins_another(run, use) for use, site in uses)


def begins_another(run: Run, use: Use) -> bool:
    """`begin(other_key, uniform(key, shape))`: does what is drawn go nowhere but there?"""
    if not key_splits.only_an_example(run.facts, use.event.extra["call"]):
        return False
    way = way_to(run.project.tree(use.event.path), *use.event.at[:2])
    above = [node for node in way[:-1] if isinstance(node, ir.Call | ir.Stmt)]
    return bool(above) and isinstance(above[-1], ir.Call)


def of_shape(run: Run, place: Span) -> bool:
    return only_for_shape(run.project.tree(place.path), place.line, place.column, run.knowledge.alike)


def key_used(event: Event) -> Value | None:
    if event.extra.get("keyword"):
        return event.subject
    given: Value | None = event.extra["call"].get("key")
    return given or event.subject


def draws_nothing(run: Run, call: Invocation) -> bool:
    """`model.apply(…, rngs={"dropout": key}, train=False)`, `randint(key, (0,), 0, top)`, `dropout(key, 0.0, rows)`"""
    shape = call.get("shape")
    if (isinstance(shape, Tuple) and Const(0) in shape.items) or drops_nothing(call.get("rate")):
        return True
    still = run.knowledge.still
    return any(name in still and value == Const(still[name]) for name, value in call.keywords if name is not None)


def for_nothing(run: Run, again: Again) -> bool:
    """Is a key split twice, and nothing that comes out is taken both times?"""
    if again.first is None:
        return False
    return key_splits.parted(run.facts, again.first.event.extra["call"], again.second.event.extra["call"])


def started_over(run: Run, again: Again) -> bool:
    """`state = reset(key)` once more: after a warm-up, or to look at the same episode. What goes on from where the
    first left it, like a second layer, starts nothing."""
    event = again.second.event
    if again.first is None or again.site == Span(event.path, *event.at):
        return False  # the draw itself
    if one_of_several(run, again.site):
        return False
    place = first_site(again.first, again)
    first, second = statement_at(run, place), statement_at(run, again.site)
    if not isinstance(first, ir.Assign) or not isinstance(second, ir.Assign):
        return False
    if first is second and (place != again.site or any(map(keeps_each, first.targets))):
        return False  # two parts of one statement, or `layers[name] = make(key)` in two turns
    one, other = first.value, second.value
    if not isinstance(one, ir.Call) or not isinstance(other, ir.Call):
        return False
    if repr((first.targets, one.func)) != repr((second.targets, other.func)):
        return False
    held = {repr(part) for target in second.targets for part in getattr(target, "items", (target,))}
    return not any(repr(node) in held for node in every_node(other))


def keeps_each(target: ir.Node) -> bool:
    return isinstance(target, ir.Index) and not isinstance(target.index, ir.Const)


def begun_each_time(run: Run, again: Again) -> bool:
    """Does a layer that is called twice begin a parameter? It has another key for that each time."""
    key = key_used(again.second.event) or NONE
    if words(key.tags, OUTSIDE) or any(roots_of(key)):
        return False  # it comes from outside of that
    places, path = run.facts.get(BEGUN, ()), again.second.path
    common = in_common(again.first.path, path) if again.first is not None else loop_in(path, again)
    return any(isinstance(node, Call) and (node.path, node.at) in places for node in path[common:])


def loop_in(path: tuple[LogNode, ...], again: Again) -> int:
    """Where the loop stands whose turns use the key: what is above it happens once for all of them."""
    return path.index(again.loop) if again.loop in path else 0


def replaced(run: Run, again: Again) -> bool:
    """Does what the second draws take the place of what the first has drawn: `tree_at(weight_of, layer, weight)`?"""
    if again.first is None:
        return False
    pair = tuple(key_splits.origin(use.event.extra["call"]) for use in (again.first, again.second))
    return pair in run.facts.get(key_splits.REPLACED, ())


def one_of_several(run: Run, place: Span) -> bool:
    """`tuple(layer(key) for _ in range(4))`: the statement keeps them all."""
    way = way_to(run.project.tree(place.path), place.line, place.column)
    around = next((node for node in reversed(way) if isinstance(node, ir.Stmt | ir.Comp)), None)
    return isinstance(around, ir.Comp)


def starts_like_it(run: Run, again: Again) -> bool:
    """Is the same made once more, by the same call, and only one of the two is learned? A target, which follows the
    network that is, begins as a copy of it."""
    event = again.second.event
    if again.first is None or again.site == Span(event.path, *event.at):
        return False  # the draw itself
    if call_at(run, again.site) != call_at(run, first_site(again.first, again)):
        return False
    one, other = (key_splits.origin(use.event.extra["call"]) for use in (again.first, again.second))
    learned: set[int] = run.facts.get(key_splits.LEARNED, set())
    return bool(one and other) and (one in learned) != (other in learned)


def call_at(run: Run, place: Span) -> str:
    """What is called there, and with what."""
    way = way_to(run.project.tree(place.path), place.line, place.column)
    call = next((node for node in reversed(way) if isinstance(node, ir.Call)), None)
    return repr((call.func, call.args, call.keywords)) if call is not None else ""


def statement_at(run: Run, place: Span) -> ir.Node | None:
    return statement_in(way_to(run.project.tree(place.path), place.line, place.column))


def made_inside(run: Run, again: Again) -> bool:
    """Does a function make a key of a written seed for itself, or have one as a default? Whoever calls it twice wants
    the same twice. And whoever calls a layer, of which the class says from which key its weights begin."""
    key = key_used(again.second.event) or NONE
    known = run.facts.get("jax roots", {})
    return all(made_by_who_is_called(run, again, key, known.get(root)) for root in roots_of(key))


def made_by_who_is_called(run: Run, again: Again, key: Value, made: tuple[Site, str] | None) -> bool:
    outside = words(key.tags, OUTSIDE)
    if made is None and not outside:
        return False
    path, at, function = made[0] if made is not None else outside[0][2]
    common = in_common(again.first.path, again.second.path) if again.first is not None else 0
    calls = [node for node in again.second.path[common:] if isinstance(node, Call)]
    around = [one for one in way_to(run.project.tree(path), *at[:2]) if isinstance(one, ir.Function | ir.Class)]
    if (made is None or again.first is None) and not isinstance(around[-1] if around else None, ir.Class):
        return False  # layers of another file, which all begin with the key that their constructor has as a default
    if again.first is not None and any((node.callee_path, node.function) == (path, function) for node in calls):
        return True
    return any((node.callee_path, node.callee_at) == (path, one) for one in entered_at(around[-1:]) for node in calls)


def entered_at(around: Sequence[ir.Node]) -> Iterator[tuple[int, int]]:
    """Where a function begins, or the methods of a class do."""
    for one in around:
        methods = [each for each in one.body if isinstance(each, ir.Function)] if isinstance(one, ir.Class) else [one]
        yield from (method.at for method in methods)
