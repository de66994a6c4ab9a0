"""Which buffers does a compiled function take over?

A donated array is gone only where something that comes out can be put into its place. Parameters that an evaluation is
given come out of it as a loss: XLA says that they were "not usable" and leaves them alone.
"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.results import Find, Helper, returns_form_of
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.names import attributes, classes
from dtlint.machine.values import Bound, ClassRef, FunctionRef, Object, Symbol, Tuple, Unknown, Value

BY_ITSELF = "jax by itself"  # fact of the run: what has come out of a compiled function, in buffers of its own
MADE = frozenset({"zeros", "ones", "full", "empty"})


def donate(machine: Machine, thing: Object, call: Invocation) -> set[Any]:
    """Buffers that the call takes over; keywords are donated under jit only."""
    made: Invocation = thing.facts["call"]
    if made.row.extra.get("in_place"):
        return set()  # modules get the new buffers: they are never without
    if machine.facts.get("jax compiled") or jax_facts.mappings(machine):
        return set()  # part of a larger computation: what that one is told counts
    numbers = donated_positions(thing)
    given = [
        (call.arguments[number], written(call, number))
        for number in numbers
        if 0 <= number < len(call.arguments) and comes_out(machine, thing, number)
    ]
    names = jax_axes.texts(made.get("donate_argnames"))
    given += [(value, None) for name, value in call.keywords if name in names and comes_out(machine, thing, name)]
    donated = machine.facts.setdefault(jax_facts.DONATED, {})
    holds = machine.facts.get("jax holds", {})
    told: set[Any] = set()

    def note(symbol: Any, **more: Any) -> None:
        donated[symbol] = True
        jax_facts.note(machine, "donate", call.mask, symbol=symbol, **more)

    taken: set[Symbol] = set()
    for value, expression in given:
        holder = isinstance(value, Object) and isinstance(value.kind, ClassRef)
        leaves = list(jax_flow.buffers_in((value,)))
        own = {first_of(leaf.symbol) for leaf in leaves}
        for symbol in sorted(own & taken, key=repr):  # two arguments share a buffer, and both give it away
            jax_facts.note(machine, "donate", call.mask, symbol=symbol, made=thing.facts["where"])
            jax_facts.note(machine, "read", call.mask, symbol=symbol)
        taken |= own
        for leaf in leaves:
            base = jax_flow.base_of(leaf.symbol, donated) or leaf.symbol
            if base in told:
                continue
            told.add(base)
            donated[leaf.symbol] = True
            note(base, made=thing.facts["where"], given=expression, holder=holder)
            first = first_of(base)
            if first is not base:  # what the name held before the loop goes in the first turn
                note(first, entering=True)
            # a state takes the arrays along that it was made of, unless all of that was done inside one program
            for part in holds.get(first, ()) if first not in machine.facts.get(BY_ITSELF, ()) else ():
                note(part, entering=True)
            for alias in aliases(machine, leaf):
                note(alias, made=thing.facts["where"])
    static = jax_axes.indices(made.get("static_argnums")) or ()  # of these the call wants the hash alone
    kept = [value for index, value in enumerate(call.arguments) if index not in numbers and index not in static]
    jax_flow.used(machine, tuple(kept), dict.fromkeys(told, True))  # the same call reads what it takes over
    return told


def first_of(symbol: Symbol) -> Symbol:
    """What a name held before the loop that binds it anew."""
    first = symbol.key[3] if symbol.key[0] == "loop" and len(symbol.key) > 3 else None
    return first if isinstance(first, Symbol) else symbol


def taken_over(machine: Machine, told: set[Any], result: Value) -> None:
    """What comes out of a call that donates may go into the next one: whoever keeps it loses it then."""
    if told:
        followers = machine.facts.setdefault(jax_flow.FOLLOWERS, {})
        for tree in result.items if isinstance(result, Tuple) else (result,):
            for leaf in jax_facts.leaves(tree, 3):
                if isinstance(leaf, Unknown):
                    followers[leaf.symbol] = leaf.symbol
                    if isinstance(tree, Object):  # a list that keeps the whole knows it by its number
                        followers.setdefault(token(tree), leaf.symbol)


def in_new_buffers(machine: Machine, result: Value) -> Value:
    """What was taken over and comes out as it was, if only on one side of a branch, has a buffer of its own again. So
    has what comes out twice, as the parameters and as their average."""
    donated = machine.facts.get(jax_facts.DONATED, {})
    given: set[Symbol] = set()
    alone = machine.facts.setdefault(BY_ITSELF, set())

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown):
            return one
        if not jax_facts.has(one, "key") and not jax_facts.has(one, "keys"):
            if one.symbol in given:
                return in_new_buffer(machine, one)
            given.add(one.symbol)
            alone.add(one.symbol)
        sides = one.symbol.key[1:] if one.symbol.key[0] == "phi" else ()
        held = (one.symbol, *(side for side in sides if isinstance(side, Symbol)))
        taken_over = any(jax_flow.base_of(symbol, donated) is not None for symbol in held)
        return in_new_buffer(machine, one) if taken_over else one

    return jax_facts.mapped_tree(machine, result, leaf)


def in_new_buffer(machine: Machine, one: Unknown) -> Unknown:
    machine.objects += 1
    symbol = machine.symbols.of("compiled", one.symbol, ("object", machine.objects))
    return Unknown(symbol, one.cause, one.tags, one.like)


def made_again(machine: Machine, call: Invocation, result: Value) -> Value:
    """Zeros of the same shape once more are equal to those that were made elsewhere, or given away, and lie in a buffer
    of their own."""
    if not isinstance(result, Unknown):
        return result
    if result.symbol in machine.facts.get(jax_facts.DONATED, {}):
        machine.objects += 1
        number: tuple[str | int, ...] = ("object", machine.objects)
    elif call.node is not None and made_elsewhere(machine, call, result.symbol):
        number = ("made in", machine.frame.path, *call.node.at[:2])
    else:
        return result
    return Unknown(machine.symbols.of("again", result.symbol, number), result.cause, result.tags, result.like)


MADE_AT = "jax made at"  # fact of the run: where an array was made first, by its symbol


def made_elsewhere(machine: Machine, call: Invocation, symbol: Symbol) -> bool:
    if call.name.rpartition(".")[2].removesuffix("_like") not in MADE or call.node is None or call.node.at is None:
        return False
    place = (machine.frame.path, call.node.at[:2])
    return bool(machine.facts.setdefault(MADE_AT, {}).setdefault(symbol, place) != place)


def donated_positions(thing: Object) -> tuple[int, ...]:
    """`donate_argnames` counts for arguments by position too."""
    made: Invocation = thing.facts["call"]
    numbers = jax_axes.indices(made.get("donate_argnums")) or ()
    names = jax_axes.texts(made.get("donate_argnames"))
    known = jax_axes.signature(thing.facts["function"]) if names else None
    params = [param.name for param in known[0]] if known is not None else []
    return (*numbers, *(params.index(name) for name in names if name in params))


def aliases(machine: Machine, leaf: Unknown) -> list[Any]:
    """Symbols of merged values that may be this one, held by objects within reach."""
    found = []
    frame = machine.frame
    seen: set[int] = set()
    todo: list[Value] = []
    for _ in range(4):
        if frame is None:
            break
        todo += frame.variables.values()
        frame = frame.caller  # type: ignore[assignment]
    while todo and len(seen) < 400:
        value = todo.pop()
        if isinstance(value, Object) and id(value) not in seen:
            seen.add(id(value))
            todo += value.attributes.values()
        elif isinstance(value, Unknown) and value.symbol.key[0] == "phi" and leaf.symbol in value.symbol.key:
            found.append(value.symbol)
    return found


def comes_out(machine: Machine, thing: Object, which: int | str) -> bool:
    """Does the function return something of the form of this argument, so that it may be taken over?"""
    known = jax_axes.signature(thing.facts["function"])
    function = thing.facts["function"]
    while isinstance(function, Bound):
        function = function.function
    if known is None or not isinstance(function, FunctionRef):
        return False  # of a library, and what it gives nobody knows
    if isinstance(which, int) and which >= len(known[0]):
        return True
    name = which if isinstance(which, str) else known[0][which].name
    return returns_form_of(function.node, name, helpers_of(machine, function))


def helpers_of(machine: Machine, function: FunctionRef) -> Find:
    """Which function of the project, or method of its own class, is called by a name in this one?"""

    def find(called: ir.Expr) -> Helper | None:
        held: Value | None = None
        if isinstance(called, ir.Name):
            around = function.closure
            held = attributes.closed_over(around, called.id)
            if held is None and around is not None:
                held = around.globals.variables.get(called.id)
        elif isinstance(called, ir.Attr) and isinstance(called.value, ir.Name) and function.owner is not None:
            if function.node.params and called.value.id == function.node.params[0].name:
                held = classes.in_class(machine, function.owner, called.name)
        if not isinstance(held, FunctionRef):
            return None
        bound = isinstance(called, ir.Attr) and held.kind != "static"
        return Helper(held.node, int(bound), helpers_of(machine, held))

    return find


def written(call: Invocation, number: int) -> ir.Expr | None:
    """The argument as it stands there; what `partial` has given comes first."""
    node = call.node
    if not isinstance(node, ir.Call) or any(isinstance(one, ir.Star) for one in node.args):
        return None
    place = number - (len(call.arguments) - len(node.args))
    found: ir.Expr | None = node.args[place] if 0 <= place < len(node.args) else None
    return found
