"""What do Haiku's pairs of `init` and `apply` run, and where do its random keys come from?

`hk.transform(f)` makes two pure functions of `f`. `apply` runs `f` with the key it is given; `hk.next_rng_key()`
inside takes one after another from it, each another key, so the same key for two calls of `apply` is the mistake.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import arrays as jax_arrays
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import collectives as jax_collectives
from dtlint.machine.library.jax import copies as jax_copies
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax import keys as jax_keys
from dtlint.machine.library.jax.facts import fact
from dtlint.machine.library.whole_project import any_function
from dtlint.machine.logs import Event, LogNode, inner_logs
from dtlint.machine.values import NONE, TRUE, Bound, Const, External, Object, Tuple, Unknown, Value
from dtlint.machine.walks import walk

SEQUENCE = "haiku.PRNGSequence"
KEYS = "haiku keys"  # fact of the run: the keys of the `apply` calls that are being run
TAKEN = "key-taken"
LEFT = "key-left"  # a key was taken that nobody draws from
TAKERS = "haiku takers"  # note: what takes a key from Haiku, by the last part of its name
WITHOUT_KEY = "WithoutKey"  # ends the name of a pair of which `apply` takes none
NOT_CONTENT = frozenset(  # facts of arguments that are none of what is computed from them
    {"key", "keys", "output", "one of", "host tree", "state of", "replicated", "even", "plain", "device axis"}
)


# --- transformed functions -------------------------------------------------------------------------------------


def transform(machine: Machine, call: Invocation) -> Value:
    jax_flow.started(machine)
    return pair(machine, call, str(call.row.type), call.get("f"))


def pair(machine: Machine, call: Invocation, kind: str, function: Value | None) -> Object:
    """A named tuple of the two functions."""
    made = machine.new(kind, call.mask)
    made.facts.update(call=call, api=call.name, function=function, order=("init", "apply"))
    for name in ("init", "apply"):
        made.attributes[name] = Bound(External(f"{kind}.{name}"), made)
    return made


def without_key(machine: Machine, call: Invocation) -> Value:
    given = call.arguments[0] if call.arguments else None
    kind = given.kind if isinstance(given, Object) and isinstance(given.kind, str) else "haiku.Transformed"
    kind = kind if kind.endswith(WITHOUT_KEY) else kind + WITHOUT_KEY
    return pair(machine, call, kind, given.facts.get("function") if isinstance(given, Object) else None)


def init(machine: Machine, call: Invocation) -> Value | None:
    made = jax_arrays.initialised(machine, call)
    if made is None or "State" not in call.row.name:
        return made
    return Tuple((made, machine.fresh("state", None, made.tags)))


def apply(machine: Machine, call: Invocation) -> Value | None:
    """The function is run; its result depends on the parameters and on the key."""
    jax_flow.started(machine)
    jax_copies.applied(machine, call.get("params"), call.mask)
    function = call.receiver.facts.get("function") if isinstance(call.receiver, Object) else None
    first = len(call.row.params)
    key = call.get("key")
    given = Invocation(call.name, call.row, None, call.arguments[:first], (), call.mask, call.node)
    running = machine.facts.setdefault(KEYS, [])
    running.append(key)
    before = [(log, len(log.nodes)) for log, _ in machine.sinks]
    try:
        result = run(machine, function, call.arguments[first:], unnamed(call), call)
    finally:
        running.pop()
    carried = {tag for tag in jax_facts.deep(given.values) if jax_facts.is_jax(tag)}
    carried = set(jax_facts.without(carried, NOT_CONTENT))
    drawn_from = function is None or any(takes(log.nodes[start:]) for log, start in before)
    if key is not None and key != NONE and drawn_from and draws(machine):
        jax_keys.batch_used_as_key(machine, call, key)
        machine.emit_event("record", "key", call.name, call.mask, subject=key, extra={"call": call})
        drawn = jax_keys.drawn(
            machine, key, tuple(v for v in call.values if v is not key), "handed to `apply`", call.mask
        )
        carried |= drawn.tags

    def given_on(part: Value, tags: Iterable[Any]) -> Value:
        return jax_facts.mapped_tree(machine, part, lambda leaf: jax_facts.with_facts(machine, leaf, tags))

    if "State" in call.row.name and isinstance(result, Tuple) and jax_arrays.normalises_together(machine):
        *outputs, state = result.items  # the statistics of layers that take them over the devices are reduced
        return Tuple((*(given_on(part, carried) for part in outputs), given_on(state, jax_flow.perhaps(carried))))
    return given_on(result, carried)


def unnamed(call: Invocation) -> tuple[tuple[str | None, Value], ...]:
    """The keywords that are the function's own."""
    own = set(call.row.params) | set(call.row.spellings)
    return tuple((name, value) for name, value in call.keywords if name not in own)


def run(machine: Machine, function: Value | None, arguments: Any, keywords: Any, call: Invocation) -> Value:
    from dtlint.machine.functions import calls
    from dtlint.machine.library.python import builtins as python

    if function is None:
        result: Value = python.opaque(machine, replace(call, receiver=None))
    else:
        result = calls.call_value(machine, function, arguments, keywords, call.mask, None)
    if "State" in call.row.name:
        state = call.get("state")
        changed = machine.fresh("state", None, frozenset({fact("array"), *(state.tags if state is not None else ())}))
        return Tuple((result, changed))
    return result


def takes(nodes: Iterable[LogNode]) -> bool:
    """Has the function that was run taken a key, and for something? An evaluation without noise is given one for form's
    sake."""
    inside = (one for node in nodes for one in (node, *(inner for log in inner_logs(node) for inner, _ in walk(log))))
    asked = [one.op for one in inside if isinstance(one, Event) and one.op in (TAKEN, LEFT)]
    return asked.count(TAKEN) > asked.count(LEFT)


def draws(machine: Machine) -> bool:
    """Does any function of the project take keys from Haiku? Networks without noise are given a key, too."""
    return any_function(machine, takes_keys)


def takes_keys(machine: Machine, function: ir.Function, _: ir.Class | None) -> bool:
    takers: frozenset[str] | None = machine.notes.get(TAKERS)
    if takers is None:
        apis = machine.knowledge.apis.values()
        takers = frozenset(api.last for api in apis if api.model == "haiku_next_key")
        machine.notes[TAKERS] = takers
    return not takers.isdisjoint(function.tokens)


# --- keys ------------------------------------------------------------------------------------------------------


def next_key(machine: Machine, call: Invocation) -> Value:
    """`hk.next_rng_key()`: one more key of the `apply` around it."""
    jax_flow.started(machine)
    running = machine.facts.get(KEYS) or [None]
    machine.emit_event("record", TAKEN, call.name, call.mask)
    return one_more(machine, running[-1])


def dropout(machine: Machine, call: Invocation) -> Value | None:
    """`hk.dropout(hk.next_rng_key(), rate, x)` of a rate of zero drops nothing."""
    if not drops_nothing(call.get("rate")):
        return jax_keys.draw(machine, call)
    machine.emit_event("record", LEFT, call.name, call.mask)
    return call.get("x")


def drops_nothing(rate: Value | None) -> bool:
    return isinstance(rate, Const) and rate.value == 0 and rate.value is not False


def one_more(machine: Machine, parent: Value | None) -> Unknown:
    machine.oldest_write = 0  # the stream has moved on: whoever called this gets another key the next time
    symbol = machine.symbols.fresh("key")
    if not isinstance(parent, Unknown):
        return Unknown(symbol, None, frozenset({fact("key", 0)}))
    if not jax_facts.has(parent, "key"):  # whatever it is, its children differ where it does
        return Unknown(symbol, parent.cause, frozenset({fact("key", 0), *jax_keys.lineage(parent)}))
    return jax_keys.child(parent, symbol)


def sequence(machine: Machine, call: Invocation) -> Value:
    """`hk.PRNGSequence(seed)` or of a key, which is used up by it."""
    jax_flow.started(machine)
    given = call.get("key_or_seed")
    made = machine.new(SEQUENCE, call.mask)
    made.facts.update(call=call, api=call.name)
    if given is None or not jax_facts.has(given, "key"):
        given = jax_keys.make_key(machine, replace(call, arguments=() if given is None else (given,)))
    else:
        machine.emit_event("record", "key", call.name, call.mask, subject=given, extra={"call": call})
    made.attributes["parent"] = given
    return made


def following(machine: Machine, call: Invocation) -> Value | None:
    """`next(keys)`, `keys.next()`"""
    return of_sequence(machine, call.receiver)


def of_sequence(machine: Machine, value: Value | None) -> Value | None:
    if isinstance(value, Object) and value.kind == SEQUENCE:
        return one_more(machine, value.attributes.get("parent"))
    return None


def several(machine: Machine, call: Invocation) -> Value | None:
    """`keys.take(3)`"""
    held = call.receiver
    count = call.get("num")
    parent = held.attributes.get("parent") if isinstance(held, Object) else None
    if parent is None or count is None:
        return None
    return jax_keys.split(machine, replace(call, receiver=None, arguments=(parent, count), keywords=()))


def batch_norm(machine: Machine, call: Invocation) -> None:
    """`norm(x, is_training=True)` of a layer that was made with `cross_replica_axis="i"` reduces over that axis."""
    made = call.receiver.facts.get("call") if isinstance(call.receiver, Object) else None
    if not isinstance(made, Invocation) or TRUE not in (call.get("is_training"), call.get("test_local_stats")):
        return
    names = jax_axes.texts(made.get("cross_replica_axis"))
    if names and (jax_facts.device_mapping(machine) is not None or machine.facts.get("jax compiled")):
        jax_collectives.bound(machine, call, names)


MODELS: dict[str, Any] = {
    "haiku_batch_norm": batch_norm,
    "haiku_transform": transform,
    "haiku_without_key": without_key,
    "haiku_init": init,
    "haiku_apply": apply,
    "haiku_next_key": next_key,
    "haiku_dropout": dropout,
    "haiku_sequence": sequence,
    "haiku_following": following,
    "haiku_several": several,
}
