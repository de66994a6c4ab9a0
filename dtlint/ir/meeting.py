"""Do two results, or what is made of them, ever come together?

Statements of one function (or module) are gone through in order, every loop twice; each name has the results that it
is made of. What reads both makes them meet. A list, a dict or an object that is told both, one by one, only holds them:
they meet where somebody computes with it, or where others may. What is shown, printed or asserted comes to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from dtlint.ir import nodes as ir
from dtlint.ir.examples import OF_SHAPE, names_below, of_its_own
from dtlint.ir.functions import every_node, variables_in
from dtlint.ir.ways import Way, way_to

Sides = frozenset[int]
NONE: Sides = frozenset()
BOTH: Sides = frozenset((0, 1))
ONE_EACH = {frozenset((0,)), frozenset((1,))}
WHOLE = -1
LITERALS = (ir.Tup, ir.ListExpr, ir.DictExpr, ir.SetExpr)
HOLDERS = frozenset({"list", "dict", "set", "defaultdict"})


@dataclass(slots=True)
class Story:
    """What is known on the way down a function."""

    places: tuple[ir.Node, ir.Node]
    shown: set[str]  # names of what shows things to people
    harmless: Callable[[ir.Call], bool]  # does a call change nothing?
    foreign: set[str]  # names of what others hold, too
    holders: set[str] = field(default_factory=set)  # names of lists, dictionaries and sets
    made: dict[str, Sides] = field(default_factory=dict)
    deciding: Sides = NONE  # what decides whether, or how often, this is done
    outside: Sides = NONE  # what others may take
    returned: Sides = NONE  # what the function gives back
    returned_at: set[int] = field(default_factory=set)  # in which places of a tuple, or else WHOLE
    only_at: frozenset[int] = frozenset()  # if the call has made it far below: what counts of what it gives, as above
    teaches: Callable[[ir.Call], bool] = lambda _call: False  # does a call learn of what it is given?
    taught: Sides = NONE
    carried: bool = False  # does anything go on from what was made: the second from the first, a state from it?
    # What calls were given on the way to what a name holds: `state = state + slope + noise` goes on from the noise
    # where `slope = model(state)`.
    asked: dict[str, set[str]] = field(default_factory=dict)
    # Are values followed, whosever methods answer with them, and whichever functions only see them?
    plain: bool = False
    looked_at: Sides = NONE
    handed: Sides = NONE  # what somebody was given who may keep it
    begun: bool = False  # has the first of the turns gone by?
    met: bool = False
    replaced: bool = False  # is the one put in the place of the other?


def meet(
    module: ir.Module,
    one: tuple[int, int],
    other: tuple[int, int],
    shows: Iterable[str] = (),
    harmless: Callable[[ir.Call], bool] = lambda _call: False,
) -> bool:
    """Of the two calls that stand there; of the turns of a loop where they are one."""
    ways = way_to(module, *one), way_to(module, *other)
    if not all(ways):
        return True
    shared = [node for node, same in zip(ways[0][:-1], ways[1][:-1], strict=False) if node is same]
    start = next(i for i in reversed(range(len(shared))) if isinstance(shared[i], ir.Function | ir.Module | ir.Lambda))
    scope = shared[start]
    if isinstance(scope, ir.Lambda) or any(isinstance(node, ir.Comp) for way in ways for node in way[start:]):
        return True
    if ways[0][-1] is ways[1][-1] and not any(turns_differ(node) for node in shared[start:]):
        return True
    foreign = {one.name for one in getattr(scope, "params", ())} | set(getattr(scope, "globals", ()))
    story = Story((ways[0][-1], ways[1][-1]), set(showing(module, tuple(shows))), harmless, foreign)
    follow(scope.body, story)
    return story.met or story.outside | story.returned == BOTH or (story.looked_at != BOTH and not story.replaced)


def turns_differ(node: ir.Node) -> bool:
    """`for scale in scales: …` does something else in every turn, `for _ in range(3): …` the same."""
    items = variables_in(getattr(node, "target", None))
    return isinstance(node, ir.For) and any(read[-1].id in items for read in reads(node.body))


def showing(module: ir.Module, libraries: tuple[str, ...]) -> Iterator[str]:
    yield "print"
    for node in every_node(module.body):
        if isinstance(node, ir.Import):
            yield from (alias or name.split(".")[0] for name, alias in node.names if name.split(".")[0] in libraries)
        elif isinstance(node, ir.ImportFrom) and not node.level and node.module.split(".")[0] in libraries:
            yield from (alias or name for name, alias in node.names)


def follow(block: tuple[ir.Stmt, ...], story: Story) -> None:
    for statement in block:
        if isinstance(statement, ir.For):
            came = taken(statement.iterable, story)
            for turn in range(2):
                item = frozenset((turn,)) if came == BOTH else came  # one at a time
                give((statement.target,), item, statement.iterable, story)
                decided(statement.body, came if came != BOTH else NONE, story)
            follow(statement.orelse, story)
        elif isinstance(statement, ir.While):
            for _ in range(2):
                decided(statement.body, see(statement.test, story), story)
            follow(statement.orelse, story)
        elif isinstance(statement, ir.If):
            asked = see(statement.test, story)
            before = dict(story.made)
            decided(statement.body, asked, story)
            after, story.made = story.made, before
            decided(statement.orelse, asked, story)
            for name, sides in after.items():
                otherwise = story.made.get(name, NONE)
                instead = {sides, otherwise} == ONE_EACH
                story.replaced |= instead
                story.made[name] = sides if instead else otherwise | sides
        elif isinstance(statement, ir.With):
            for value, target in statement.items:
                give((target,) if target is not None else (), look(value, story), value, story)
            follow(statement.body, story)
        elif isinstance(statement, ir.Try):
            for part in (statement.body, *(one.body for one in statement.handlers), statement.orelse, statement.final):
                follow(part, story)
        elif isinstance(statement, ir.Match):
            asked = look(statement.subject, story)
            for case in statement.cases:
                decided(case.body, asked, story)
        elif isinstance(statement, ir.Function | ir.Class):
            story.made[statement.name] = look(statement, story)
        else:
            simple(statement, story)


def decided(block: tuple[ir.Stmt, ...], asked: Sides, story: Story) -> None:
    before = story.deciding
    story.deciding |= asked
    follow(block, story)
    story.deciding = before


def simple(statement: ir.Stmt, story: Story) -> None:
    if isinstance(statement, ir.Assign | ir.AnnAssign):
        targets = statement.targets if isinstance(statement, ir.Assign) else (statement.target,)
        pairs = [(targets, statement.value)]
        if isinstance(targets[0], ir.Tup) and isinstance(statement.value, ir.Tup):
            if len(targets) == 1 and len(targets[0].items) == len(statement.value.items):
                pairs = [((one,), value) for one, value in zip(targets[0].items, statement.value.items, strict=True)]
        came = [(taken if isinstance(value, LITERALS) else look)(value, story) for _, value in pairs]
        for (names, value), sides in zip(pairs, came, strict=True):
            story.carried |= bool(sides) and goes_on(names, value, story)
            asked = given_before(value, story)
            give(names, sides, value, story)
            held = written_to(names)
            story.carried |= any(story.made.get(name) for name in held & asked)
            story.asked.update(dict.fromkeys(held, asked | given_to_calls(value)))
    elif isinstance(statement, ir.AugAssign):
        sides = taken(statement.value, story)
        if not isinstance(statement.value, LITERALS):
            story.met |= sides | story.made.get(root_of(statement.target), NONE) == BOTH
        story.carried |= bool(sides) and root_of(statement.target) in given_before(statement.value, story)
        keep(statement.target, sides, story)
    elif isinstance(statement, ir.Return):
        give_back(statement.value, story)
    elif isinstance(statement, ir.ExprStmt):
        dropped(statement.value, story)
    elif isinstance(statement, ir.Assert):  # that both are equal, or that they are not: who says so has looked
        story.looked_at |= taken(statement.test, story)
    else:
        look(statement, story)


def give_back(value: ir.Expr | None, story: Story) -> None:
    parts = enumerate(value.items) if isinstance(value, ir.Tup) else ((WHOLE, value),)
    for place, part in parts:
        sides = taken(part, story)
        story.returned |= sides
        if sides:
            story.returned_at.add(WHOLE if isinstance(part, ir.Star) else place)


def goes_on(targets: tuple[ir.Expr, ...], value: ir.Expr, story: Story) -> bool:
    """`state = step(state, noise)`: a call is given what is to be renewed, and what was made."""
    held = written_to(targets)
    for call in (node for node in every_node(value) if isinstance(node, ir.Call)):
        given = (*call.args, *(one for _, one in call.keywords))
        renewed = [one for one in given if any(read[-1].id in held for read in reads(one))]
        if renewed and any(held_by(one, story) for one in given if one not in renewed):
            return True
    return False


def written_to(targets: tuple[ir.Expr, ...]) -> set[str]:
    """Of what is written to: `table` in `table[row] = …`."""
    written = (part for target in targets for part in parts_of_target(target))
    return {name for part in written if (name := root_of(part))}


def parts_of_target(target: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(target, ir.Tup | ir.ListExpr):
        for item in target.items:
            yield from parts_of_target(item)
    else:
        yield target.value if isinstance(target, ir.Star) else target


def given_before(value: ir.Expr, story: Story) -> set[str]:
    return set[str]().union(*(story.asked.get(read[-1].id, ()) for read in reads(value)))


def given_to_calls(value: ir.Expr) -> set[str]:
    calls = (node for node in every_node(value) if isinstance(node, ir.Call))
    return {read[-1].id for call in calls for read in reads((*call.args, *(one for _, one in call.keywords)))}


def dropped(value: ir.Expr, story: Story) -> None:
    """What nobody takes: it is shown, or told to somebody."""
    if isinstance(value, ir.Yield):
        story.outside |= taken(value, story)
        return
    if not isinstance(value, ir.Call):
        look(value, story)
        return
    arguments = (*value.args, *(one for _, one in value.keywords))
    if root_of(value.func) in story.shown:
        for one in arguments:
            story.looked_at |= (taken if isinstance(one, (*LITERALS, ir.Name)) else look)(one, story)
        return
    sides = see(arguments, story) | drawn((value, *every_node(value.func)), story)
    story.looked_at |= sides
    if story.harmless(value):
        told = set()
    elif isinstance(value.func, ir.Attr):
        told = {root_of(value.func)}
    else:
        told = {read[-1].id for read in reads(arguments)}
    if not story.harmless(value) and root_of(value.func) not in story.holders:
        story.handed |= sides
    for name in told & ({*story.made} | story.foreign) - story.shown:
        put(name, sides, story, not story.plain or isinstance(value.func, ir.Attr))
        story.met |= story.made[name] == BOTH and name not in story.holders and not story.plain


def give(targets: tuple[ir.Expr, ...], sides: Sides, value: ir.Expr, story: Story) -> None:
    sides |= story.deciding
    sources = {root_of(value)} if story.plain else set(sources_of(value))
    for target in targets:
        if isinstance(target, ir.Name):
            story.made[target.id] = sides
            holds = isinstance(value, LITERALS) or (isinstance(value, ir.Call) and root_of(value.func) in HOLDERS)
            (story.holders.add if holds else story.holders.discard)(target.id)
            for known in (story.shown, story.foreign):
                (known.add if sources & known else known.discard)(target.id)
        elif isinstance(target, ir.Tup | ir.ListExpr):
            parted = isinstance(value, ir.Call) and stands_below(value, story) and WHOLE not in story.only_at
            for place, item in enumerate(target.items):
                give((item,), NONE if parted and place not in story.only_at else sides, value, story)
        elif isinstance(target, ir.Star):
            give((target.value,), sides, value, story)
        else:
            keep(target, sides, story)


def keep(target: ir.Expr, sides: Sides, story: Story) -> None:
    """`rows[0] = …`, `self.rows = …`"""
    if root_of(target) not in story.shown:
        put(root_of(target), sides, story)


def put(name: str, sides: Sides, story: Story, keeps: bool = True) -> None:
    """Something that stays what it is is told more, and keeps it or only looks at it."""
    sides |= story.deciding
    story.made[name] = story.made.get(name, NONE) | sides
    if name in story.foreign and keeps:
        story.outside |= sides


def look(value: object, story: Story) -> Sides:
    """What is taken here, all in one place."""
    sides = taken(value, story)
    story.met = story.met or sides == BOTH
    if sides | story.deciding:
        for node in every_node(value, (ir.Function, ir.Lambda)):
            if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and not story.harmless(node):
                root = root_of(node.func)
                known = root in story.made or (root in story.foreign and not story.plain)
                if known and root not in story.shown:
                    put(root, sides, story)
    return sides


def see(value: object, story: Story) -> Sides:
    """What is taken where it is only asked or told, and nothing is computed."""
    return taken(value, story) if story.plain else look(value, story)


def taken(value: object, story: Story) -> Sides:
    sides = drawn(every_node(value), story)
    for read in reads(value):
        held = story.made.get(read[-1].id, NONE)
        sides |= held
        story.looked_at |= held
    if sides:
        story.taught |= frozenset().union(*(held_by(one, story) for one in every_node(value) if teaching(one, story)))
    return sides


def teaching(node: object, story: Story) -> bool:
    return isinstance(node, ir.Call) and not stands_below(node, story) and story.teaches(node)


def stands_below(call: ir.Call, story: Story) -> bool:
    """Is it this call below which it is made?"""
    return bool(story.only_at) and call.at == getattr(story.places[0], "at", None)


def held_by(node: ir.Node, story: Story) -> Sides:
    """Of the results that were made up to here: those that are read below, or made below."""
    below = set(map(id, every_node(node)))
    made = frozenset(side for side, place in enumerate(story.places) if id(place) in below)
    return made.union(*(story.made.get(read[-1].id, NONE) for read in reads(node)))


def drawn(nodes: Iterable[object], story: Story) -> Sides:
    """Which of the two results are made here?"""
    sides = NONE
    first, second = story.places
    for node in nodes:
        if node is first and (first is not second or not story.begun):
            sides |= {0}
            story.begun = True
        elif node is second:
            sides |= {1}
            story.carried |= any(story.made.get(read[-1].id) for read in reads(node))
    return sides


def reads(value: object) -> Iterator[Way]:
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, ir.Node):
            yield from (one for one in names_below(part, (part,)) if not (of_its_own(one) or asks_for_shape(one)))


def asks_for_shape(read: Way) -> bool:
    """`x.shape`: whatever the numbers in it are."""
    above = read[-2] if len(read) > 1 else None
    return isinstance(above, ir.Attr) and above.name in OF_SHAPE


def sources_of(value: ir.Expr) -> Iterator[str]:
    """`figure` and `rows` of `zip(figure.axes, rows)`"""
    yield root_of(value)
    if isinstance(value, ir.Call):
        for one in value.args:
            yield from sources_of(one)


def root_of(expression: ir.Expr) -> str:
    """Whose is it in the end: `figure` in `figure.axes[0].twin().plot`"""
    while isinstance(expression, ir.Attr | ir.Index | ir.Call):
        expression = expression.func if isinstance(expression, ir.Call) else expression.value
    return getattr(expression, "id", "")
