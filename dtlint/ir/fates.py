"""What becomes of the result of one call, in the function that makes it?

It is shown, printed, put into lists, turned into other numbers, given back: then people look at it in the end, or
whoever called may do more. Something learns of it, it is put where it stays, or the next turn goes on from it: then it
lasts.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node, variables_in
from dtlint.ir.meeting import WHOLE, Story, follow, reads, root_of, showing, written_to
from dtlint.ir.ways import Place, Way, way_to

BUILTINS = frozenset(dir(builtins))
LOOPS = (ir.For, ir.While, ir.Comp)


@dataclass(frozen=True, slots=True)
class Fate:
    lasts: bool
    learned: bool
    given_back: frozenset[int]  # in which places of a tuple, or as a WHOLE
    turns_differ: bool  # do the turns of a loop around bring it together with something else of their own?


LASTS = Fate(True, False, frozenset({WHOLE}), False)
LEARNED = Fate(True, True, frozenset(), False)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the calls of a program."""

    shows: frozenset[str]  # libraries whose calls are for people to look at
    harmless: Callable[[ir.Call], bool]  # does a call change nothing?
    teaches: Callable[[ir.Call], bool]  # does one learn of what it is given?


def fate(module: ir.Module, place: Place, known: Known, only_at: frozenset[int]) -> Fate:
    """`only_at`: made in the function that is called there, which gives it back in these places."""
    way = way_to(module, *place)
    scope = scope_of(way)
    if scope is None or isinstance(scope, ir.Lambda):
        return LASTS
    story = gone_through(module, scope, (way[-1], way[-1]), known, only_at)
    lasts = bool(story.taught or story.outside or story.carried)
    names = {name for name, sides in story.made.items() if sides}
    return Fate(
        lasts, bool(story.taught), frozenset(story.returned_at), differ(way[way.index(scope) :], names, story.shown)
    )


def gone_with_the_turn(module: ir.Module, place: Place, known: Known) -> bool:
    """Is what a call gives looked at in the turn in which it was made, and gone with it? Nobody is handed it who may
    keep it, and the next turn does not begin with it: `state = learn(state, key)`."""
    way = way_to(module, *place)
    scope = scope_of(way)
    if scope is None or isinstance(scope, ir.Lambda):
        return False
    statement = next((node for node in reversed(way) if isinstance(node, ir.Stmt)), None)
    if isinstance(statement, ir.Assign):
        given = {read[-1].id for read in reads(getattr(way[-1], "args", ()))}
        if given & written_to(statement.targets):
            return False
    others = replace(known, teaches=lambda call: call is not way[-1] and known.teaches(call))
    story = gone_through(module, scope, (way[-1], way[-1]), others)
    return not (story.taught or story.outside or story.carried or story.returned_at or story.handed)


def only_answers(module: ir.Module, at: Place, known: Known) -> bool:
    """Does the function that stands there call nothing for its effect: `optimizer.update(model, slope)`? What a library
    does to a model, nobody sees."""
    functions = (node for node in every_node(module.body) if isinstance(node, ir.Function))
    called = next((node for node in functions if node.at is not None and node.at[:2] == at), None)
    shown = set(showing(module, tuple(known.shows)))
    dropped = [node.value for node in every_node(called) if isinstance(node, ir.ExprStmt)]
    return called is not None and all(root_of(one.func) in shown for one in dropped if isinstance(one, ir.Call))


def kept_apart(module: ir.Module, first: Place, second: Place, known: Known) -> bool:
    """Does one function never compute anything of both results?"""
    one, other = way_to(module, *first), way_to(module, *second)
    scope = scope_of(one)
    if scope is None or scope is not scope_of(other) or isinstance(scope, ir.Lambda):
        return False
    return not gone_through(module, scope, (one[-1], other[-1]), known).met


def scope_of(way: Way) -> ir.Function | ir.Module | ir.Lambda | None:
    return next((node for node in reversed(way) if isinstance(node, ir.Function | ir.Module | ir.Lambda)), None)


def gone_through(
    module: ir.Module,
    scope: ir.Function | ir.Module,
    places: tuple[ir.Node, ir.Node],
    known: Known,
    only_at: frozenset[int] = frozenset(),
) -> Story:
    shown = set(showing(module, tuple(known.shows)))
    outside = held_outside(module, scope) - shown
    story = Story(places, shown, known.harmless, outside, only_at=only_at, teaches=known.teaches, plain=True)
    follow(scope.body, story)
    return story


def held_outside(module: ir.Module, scope: ir.Node) -> set[str]:
    """Names of what is there before the function begins and when it is over, functions and modules apart."""
    if not isinstance(scope, ir.Function):
        return set()
    defined = {name for node in every_node(module.body) for name in names_defined(node)}
    own = {*scope.assigned} - {*scope.globals}
    given = {param.name for param in scope.params}  # an instance that is only written to, too
    return ({read[-1].id for read in reads(scope.body)} | given) - own - defined - BUILTINS


def names_defined(node: object) -> Iterator[str]:
    if isinstance(node, ir.Function | ir.Class):
        yield node.name
    elif isinstance(node, ir.Import | ir.ImportFrom):
        yield from (alias or name.split(".")[0] for name, alias in node.names)


def differ(way: Way, names: set[str], shown: set[str]) -> bool:
    """Does a loop around compute something of the result and of what each turn has for itself?"""
    made = way[-1]
    for loop in (node for node in way[:-1] if isinstance(node, LOOPS)):
        own = written_in(loop) - names
        dropped = {id(node.value) for node in every_node(loop) if isinstance(node, ir.ExprStmt)}
        for node in every_node(loop):
            if not isinstance(node, ir.Call | ir.BinOp) or id(node) in dropped:
                continue
            if isinstance(node, ir.Call) and root_of(node.func) in shown:
                continue
            found = {read[-1].id for read in reads(node)}
            if found & own and (found & names or any(one is made for one in every_node(node))):
                return True
    return False


def written_in(loop: ir.Node) -> set[str]:
    targets = [node.target for node in every_node(loop) if isinstance(node, ir.For | ir.Clause)]
    for node in every_node(loop):
        if isinstance(node, ir.Assign):
            targets.extend(node.targets)
    return variables_in(targets)
