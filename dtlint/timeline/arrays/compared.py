"""Is one function called twice with one key, to see the same numbers twice?

Two data sets are measured, the loss before a step and after it, a picture and the next one are cropped alike: where a
function takes what it works on first, then a key, and hands that on by a split or to a model, it was a mistake once in
nine times in repositories that nobody had tuned for. Who makes something takes the key first, and wants other numbers;
so does a class of layers.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import variables_in
from dtlint.ir.ways import function_in, way_to
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Call, Event
from dtlint.machine.run import Run
from dtlint.timeline.arrays.lives import Again, Use


def compares(run: Run, again: Again) -> bool:
    event = again.second.event
    if again.first is None or again.loop is not None or draws_itself(event):
        return False
    shared = set(map(id, again.first.path)) & set(map(id, again.second.path))
    before = {called(node) for node in own_calls(again.first, shared)}
    twice = [node for node in own_calls(again.second, shared) if called(node) in before]
    if not twice or any(makes_or_calls_a_layer(run, node) for node in twice):
        return False
    return works_on_something(run, event)


def draws_itself(event: Event) -> bool:
    row = event.extra["call"].row
    return row.params[:1] == ("key",) and not row.extra.get("derives")


def own_calls(use: Use, shared: set[int]) -> list[Call]:
    return [node for node in use.path if isinstance(node, Call) and id(node) not in shared]


def called(node: Call) -> tuple[str, str]:
    return node.callee_path, node.function


def makes_or_calls_a_layer(run: Run, node: Call) -> bool:
    name = node.function.rpartition(".")[2]
    return name.startswith("__") or name in run.knowledge.beginning


def works_on_something(run: Run, event: Event) -> bool:
    """Does the function around take the key as a parameter that is not its first?"""
    function = function_in(way_to(run.project.module(event.path), *event.at[:2]))
    if function is None:
        return False
    names = [param.name for param in function.params]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    given = variables_in(key_expressions(event))
    return names[:1] != [] and names[0] not in given and not given.isdisjoint(names)


def key_expressions(event: Event) -> tuple[ir.Expr, ...]:
    call: Invocation = event.extra["call"]
    found = [call.expression(name) for name in ("key", str(event.extra.get("keyword")))]
    return tuple(one for one in found if one is not None)
