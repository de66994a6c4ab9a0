"""What does a builder that nobody calls give back to be called? `make_step(model)` is of no use until its step is run.
Neither is a network whose constructor has kept what it computes with.

Whoever comes for the builder calls what it made, on all ranks and on arguments of their own. Several functions are run
in the order in which they are given back. What a step names of mapped axes, its caller may bind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.python.given_away import called_by_somebody
from dtlint.machine.values import Bound, FunctionRef, Object, Tuple, Value


def call(machine: Machine, answer: Value) -> None:
    for value in parts(answer):
        made = own_function(value)
        if made is not None and worth_it(machine, made):
            call_one(machine, value, made)


def call_kept(machine: Machine, holder: Object) -> None:
    """`self.apply = network.apply`, in a constructor: whoever has the object calls it."""
    for value in list(holder.attributes.values()):
        call(machine, value)


def parts(answer: Value) -> Iterator[Value]:
    if isinstance(answer, Tuple):
        for item in answer.items:
            yield from parts(item)
    elif isinstance(answer, Object) and answer.facts.get("order") == ("init", "apply"):
        yield answer.facts["function"]  # what a library has made two functions of
    else:
        yield answer


def own_function(value: Value) -> FunctionRef | None:
    """The function below what libraries and `functools.partial` have made of it."""
    *around, below = jax_facts.layers(value)
    named = any(isinstance(one, Bound) and one.keywords for one in around)
    return below if isinstance(below, FunctionRef) and not named else None


def worth_it(machine: Machine, made: FunctionRef) -> bool:
    """Was it made in the builder, has nobody called it there, and does it do anything that a rule asks for?"""
    node = made.node
    if not isinstance(node, ir.Function) or node.is_generator or "<locals>" not in node.qualname:
        return False
    return (made.path, node.qualname) not in machine.uses.reached and not node.tokens.isdisjoint(machine.meaningful)


def call_one(machine: Machine, value: Value, made: FunctionRef) -> None:
    from dtlint.machine.functions import calls
    from dtlint.machine.starts import entries

    assert isinstance(made.node, ir.Function)
    given = len(value.extra) if isinstance(value, Bound) else 0
    arguments = entries.unknown_arguments(machine, made.node, False, made.defaults)[given:]
    keywords = entries.unknown_keywords(machine, made.node, made.defaults)
    machine.current_at = made.node.at or machine.current_at
    with nullcontext() if isinstance(value, Object) else called_by_somebody(machine):
        calls.call_value(machine, value, arguments, keywords, machine.world.full)
