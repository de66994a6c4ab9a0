"""Random number generators: how was each seeded, and do all ranks agree on it?

The global generators (torch's on the CPU, torch's on the device, NumPy's, Python's) are four entries of one journaled
object; `torch.Generator`, `numpy.random.Generator`, `RandomState` and `random.Random` carry their seed themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import containers
from dtlint.machine.assignment import assign_target
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library import picks, provenance, sharding, tensors
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.provenance import MADE_OF
from dtlint.machine.logs import Site
from dtlint.machine.values import BY_SHARE, FALSE, NONE, TRUE, Cause, Const, Object, Row, Symbol, Trail, Unknown, Value

UNSEEDED = Const("<unseeded>", "unseeded")
GENERATORS = ("torch.Generator", "numpy.random.Generator", "numpy.random.RandomState", "random.Random")
SEEDED = "seed"
SITES = "seeded at"  # fact of the run: where a generator was seeded with this number
REGISTERS = ("torch", "cuda", "numpy", "python")
PERMUTES = frozenset({"shuffle", "permutation", "permuted", "sample", "choice", "choices"})
LAYERS = frozenset(
    {
        "Linear",
        "Bilinear",
        "LazyLinear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "Embedding",
    }
    | {"EmbeddingBag", "LSTM", "GRU", "RNN", "MultiheadAttention", "Transformer", "TransformerEncoderLayer"}
    | {"TransformerDecoderLayer", "ConvTranspose3d"}
)


@dataclass(frozen=True, slots=True)
class State:
    """How a generator stands: unseeded, differs, maybe or same; `seed` is what it was seeded with, `site` where."""

    verdict: str
    seed: Value
    site: Site | None
    cause: Cause | None = None


def registers(machine: Machine) -> Object:
    """The global generators of this run. Only a script starts with none seeded: a function's caller may have."""
    found = machine.facts.get("rng")
    if isinstance(found, Object) and (found.facts["start"] or not from_the_start(machine)):
        return found
    made = Object("<generators>", machine.world.full, 0)
    made.facts["start"] = from_the_start(machine)
    start = UNSEEDED if made.facts["start"] else machine.unknown("seeded elsewhere")
    for name in REGISTERS:
        made.attributes[name] = start
        made.attributes[f"{name} at"] = NONE
    if isinstance(found, Object):
        imported_seeds(machine, found, made)
    machine.facts["rng"] = made
    return made


def imported_seeds(machine: Machine, before: Object, made: Object) -> None:
    """What modules seeded while the script imported them stays seeded."""
    for name in REGISTERS:
        at = before.attributes.get(f"{name} at")
        if isinstance(at, Const) and isinstance(at.value, tuple) and at.value[0] != machine.frame.path:
            made.attributes[name] = before.attributes[name]
            made.attributes[f"{name} at"] = at


def from_the_start(machine: Machine) -> bool:
    frame = machine.frame
    while frame.caller is not None:
        frame = frame.caller
    return frame.variables.get("__name__") == Const("__main__")


def state_of(machine: Machine, seed: Value | None, at: Value | None) -> State:
    if seed is None:
        seed = machine.unknown("seeded elsewhere")
    site = at.value if isinstance(at, Const) and isinstance(at.value, tuple) else None
    if seed == UNSEEDED:
        return State("unseeded", seed, site)
    if isinstance(seed, Row):
        if any(lane == UNSEEDED for lane in seed.lanes):
            return State("maybe", seed, site)
        return State("differs", seed, site, seed.cause)
    if isinstance(seed, Unknown) and any("'<unseeded>'" in key for key in texts(seed)):
        return State("maybe", seed, site)
    cause = provenance.cause_of(seed, ALL, 2)
    if cause is not None:
        return State("differs", seed, site, cause)
    return State("same", seed, site)


def alike(state: State) -> bool:
    """Seeded for certain, and with the same number on every rank."""
    return state.verdict == "same" and is_one_number(state.seed)


def is_one_number(seed: Value | None) -> bool:
    return isinstance(seed, Const) or (
        isinstance(seed, Unknown)
        and not provenance.mentions(seed, lambda symbol: symbol.key[0] in ("seeded elsewhere", "phi", "split"))
    )


def when_seeded(machine: Machine, state: State) -> State:
    """`if args.seed is not None: set_seed(args.seed)`: how the generator stands where somebody asks for a seed."""
    key = state.seed.symbol.key if isinstance(state.seed, Unknown) and state.seed.cause is None else ()
    if key[:1] != ("phi",) or len(key) != 4 or state.verdict != "maybe":
        return state
    given = [side for side in key[2:] if side != token(UNSEEDED)]
    if len(given) != 1 or not isinstance(given[0], Symbol) or given[0] not in machine.facts.get(SITES, {}):
        return state
    seed = Unknown(given[0])
    return State("same if seeded", seed, machine.facts[SITES][given[0]]) if is_one_number(seed) else state


ALL = BY_SHARE | {"clock", "process", "random", "host", "memory", "data", "files", "worker"}


def texts(value: Unknown) -> list[str]:
    found: list[str] = []
    for symbol in provenance.symbols_in(value.symbol):
        for part in symbol.key:
            if isinstance(part, tuple):
                found.extend(one for one in part if isinstance(one, str))
    return found


def current(machine: Machine, name: str) -> State:
    held = registers(machine)
    return when_seeded(machine, state_of(machine, machine.get(held, name), machine.get(held, f"{name} at")))


def enter_worker(machine: Machine, started: bool) -> None:
    """From here on this is a worker of a loader: torch seeds its generators from the parent's torch generator, and a
    `worker_init_fn` may seed them again."""
    held = registers(machine)
    machine.facts["worker"] = ({name: machine.get(held, name) for name in ("python", "numpy")}, started)


def ordering(machine: Machine, name: str) -> State:
    """The global generator that an order is drawn from."""
    before, started = machine.facts.get("worker", ({}, False))
    if name not in before or machine.get(registers(machine), name) is not before[name]:
        return current(machine, name)
    return State("given", NONE, None) if started else current(machine, "torch")


def of_generator(machine: Machine, generator: Object) -> State:
    return state_of(machine, machine.get(generator, SEEDED), machine.get(generator, f"{SEEDED} at"))


def generator_for(machine: Machine, call: Invocation, register: str) -> State:
    """The generator an API draws from: the one it was given, or the global one."""
    given = call.get("generator") or call.get("random_state")
    if given is None or given == NONE:
        return current(machine, register)
    if isinstance(given, Object) and given.kind in GENERATORS:
        return of_generator(machine, given)
    if isinstance(given, Object) or (isinstance(given, Unknown) and given.cause is None):
        return State("given", given, None)
    return state_of(machine, given, None)


# --- seeding ---------------------------------------------------------------------------------------------------


def seed(machine: Machine, call: Invocation) -> Value:
    """`torch.manual_seed(s)`, `random.seed(s)`, `set_seed(s)`: the row says which generators it seeds."""
    value = call.get("seed") or call.get("a") or (call.arguments[0] if call.arguments else None)
    names = call.row.extra.get("seeds", ())
    adds = call.row.extra.get("adds_rank", "")
    if adds:
        flag = call.get(str(adds))
        if isinstance(flag, Const) and flag.value is True:
            value = machine.unknown(
                "seed", call.name, cause=machine.cause("rank", f"`{adds}=True` adds the rank to the seed")
            )
    if value is None or value == NONE:
        value = UNSEEDED
    held = registers(machine)
    place = Const((machine.frame.path, machine.current_at, machine.frame.scope))
    machine.facts.setdefault(SITES, {})[token(value)] = place.value
    for name in names:
        machine.set(held, str(name), value, call.mask)
        machine.set(held, f"{name} at", place, call.mask)
    call.extra["value"] = value
    return value if call.row.does == "identity" and value != UNSEEDED else NONE


def generator_seed(machine: Machine, call: Invocation) -> Value | None:
    """`generator.manual_seed(s)` gives the generator back."""
    receiver = call.receiver
    value = call.get("seed") or (call.arguments[0] if call.arguments else None)
    if isinstance(receiver, Object) and value is not None:
        machine.set(receiver, SEEDED, value, call.mask)
        place = Const((machine.frame.path, machine.current_at, machine.frame.scope))
        machine.set(receiver, f"{SEEDED} at", place, call.mask)
        call.extra["value"] = value
    return receiver


def constructed(machine: Machine, thing: Object, call: Invocation) -> None:
    """A generator of its own, or a layer whose weights are drawn now."""
    if thing.kind in GENERATORS:
        given = call.arguments[0] if call.arguments and thing.kind != "torch.Generator" else None
        given = given or call.get("seed")
        for name, value in call.keywords:
            if name in ("seed", "x"):
                given = value
        start: Value = Const(0) if thing.kind == "torch.Generator" else UNSEEDED
        thing.attributes[SEEDED] = given if given is not None and given != NONE else start
        thing.attributes[f"{SEEDED} at"] = Const((machine.frame.path, machine.current_at, machine.frame.scope))
        thing.facts["inside"] = bool(machine.facts.get("inside"))
        thing.facts["scope"] = machine.frame.scope
    elif thing.kind == "torch.device" and call.arguments and call.arguments[0] == Const("meta"):
        machine.facts["meta"] = True  # from here on layers may be made without weights
    elif isinstance(thing.kind, str) and thing.kind.startswith("torch.nn."):
        if thing.kind.rpartition(".")[2] in LAYERS and not machine.facts.get("meta"):
            machine.facts.setdefault("layers", []).append((thing, current(machine, "torch")))


# --- drawing ---------------------------------------------------------------------------------------------------


def torch_draw(machine: Machine, call: Invocation) -> Value | None:
    """`torch.randn(…)`: a tensor; which generator it came from stays with the event."""
    from dtlint.machine.library import python

    call.extra["rng"] = generator_for(machine, call, "torch")
    call.extra["device"] = current(machine, "cuda")
    made = tensors.construct(machine, call)
    if made is None:
        made = python.opaque(machine, call)
    if isinstance(made, Unknown) and call.name.endswith("randperm"):
        return drawn_order(machine, call, made, call.extra["rng"])
    return picks.drawn(machine, drawn_apart(machine, call, made, call.extra["rng"]), call.extra["rng"])


def drawn_apart(machine: Machine, call: Invocation, made: Value, state: State) -> Value:
    """Numbers drawn from a generator that each rank has seeded for itself."""
    if state.verdict != "differs" or state.cause is None:
        return made
    cause = Cause("random", Trail(machine.step(f"`{call.name}` draws other numbers on each rank"), state.cause.trail))
    if isinstance(made, Object) and made.kind == "torch.Tensor":
        made.attributes["content"] = machine.fresh("drawn", cause)
    elif isinstance(made, Unknown) and made.cause is None:
        return Unknown(made.symbol, cause, made.tags, made.like)
    return made


def distribution(machine: Machine, call: Invocation) -> Value:
    """`Categorical(logits=policy(x))`: what is drawn from it, or asked of it, comes from what it was made of."""
    made = machine.new(call.row.type or call.name, call.mask)
    made.facts["call"] = call
    for position, value in enumerate(call.values):
        made.attributes[f"{MADE_OF}{position}"] = value
    return made


def drawn_order(machine: Machine, call: Invocation, value: Unknown, state: State) -> Unknown:
    """A permutation that ranks may not agree on."""
    if state.verdict in ("unseeded", "differs"):
        return provenance.marked(value, order_mark(machine, call, state))
    return value


def order_mark(machine: Machine, call: Invocation, state: State) -> tuple[Any, ...]:
    reason = state.cause.kind if state.cause is not None else state.verdict
    place = sharding.remember(machine, "order")
    machine.facts.setdefault("order states", {})[place[1:3]] = state
    return (*place, call.name, reason)


def host_draw(machine: Machine, call: Invocation) -> Value | None:
    """Python's and NumPy's global generators: alike where they were seeded alike."""
    from dtlint.machine.library import python

    register = "numpy" if call.name.startswith("numpy.") else "python"
    call.extra["rng"] = current(machine, register)
    state = ordering(machine, register)
    name = call.name.rpartition(".")[2]
    if state.verdict == "same" and state.site is not None:
        return picks.drawn(machine, machine.unknown("drawn", call.name, machine.symbols.fresh("time")), state)
    if name in PERMUTES and state.verdict in ("unseeded", "differs"):
        result = python.opaque(machine, call)
        symbol = result.symbol if isinstance(result, Unknown) else machine.symbols.fresh("drawn")
        cause = state.cause or machine.cause("random", f"`{call.name}` draws on each rank for itself")
        return provenance.marked(Unknown(symbol, cause, result.tags), order_mark(machine, call, state))
    return None


def shuffle(machine: Machine, call: Invocation) -> Value | None:
    """`random.shuffle(items)`: the order of the list now depends on the generator."""
    register = "numpy" if call.name.startswith("numpy.") else "python"
    call.extra["rng"] = current(machine, register)
    state = ordering(machine, register)
    shuffled(machine, call, call.arguments[0] if call.arguments else NONE, state)
    return NONE


def shuffled(machine: Machine, call: Invocation, value: Value, state: State) -> None:
    held = value.attributes.get("[]") if isinstance(value, Object) else None
    if held is not None and own_part(held):
        return  # each rank shuffles its own part
    if isinstance(value, Object) and value.kind == "list" and held is not None:
        made = machine.unknown(
            "shuffled", value.number, machine.symbols.fresh("time"), tags=held.tags, cause=held.cause
        )
        items = containers.items_of(machine, value)
        if items is not None:
            first = containers.element(machine, value)
            made = Unknown(made.symbol, made.cause, made.tags, getattr(first, "like", None))
            machine.facts.setdefault("shuffled counts", {})[made.symbol] = len(items)
        if state.verdict in ("unseeded", "differs"):
            made = provenance.marked(made, order_mark(machine, call, state))
        machine.set(value, "[]", made, call.mask)
    elif isinstance(value, Unknown) and state.verdict in ("unseeded", "differs"):
        given = call.node.args[0] if call.node is not None and call.node.args else None
        if isinstance(given, ir.Name | ir.Attr) and not own_part(value):
            # what a library gave is known by its variable only
            assign_target(machine, given, provenance.marked(value, order_mark(machine, call, state)), call.mask)


def own_part(value: Value) -> bool:
    return provenance.has_mark(value, "shard", 0) or (value.cause is not None and value.cause.kind in BY_SHARE)


def method(machine: Machine, receiver: Object, name: str, call: Invocation) -> Value | None:
    """Methods of a generator object."""
    from dtlint.machine.library import python

    if receiver.kind not in GENERATORS or receiver.kind == "torch.Generator":
        return None
    if name == "seed":
        value = call.arguments[0] if call.arguments else UNSEEDED
        machine.set(receiver, SEEDED, value, call.mask)
        return NONE
    state = of_generator(machine, receiver)
    call.extra["rng"] = state
    machine.emit_event("record", "draw", f"{receiver.kind}.{name}", call.mask, subject=receiver, extra={"call": call})
    if name == "shuffle":
        shuffled(machine, call, call.arguments[0] if call.arguments else NONE, state)
        return NONE
    result = python.opaque(machine, call)
    if not isinstance(result, Unknown):
        return result
    # each draw gives something else, whatever the arguments
    symbol = machine.symbols.of("drawn", result.symbol, machine.symbols.fresh("time"))
    cause = result.cause or state.cause
    if cause is None and state.verdict == "unseeded":
        cause = machine.cause("random", f"`{receiver.kind}` without a seed draws on each rank for itself")
    result = Unknown(symbol, cause, result.tags, result.like)
    result = drawn_order(machine, call, result, state) if name in PERMUTES else result
    return picks.drawn(machine, result, state)


def split(machine: Machine, call: Invocation) -> Value | None:
    """`random_split`, `train_test_split`: two parts of one data set, drawn from a generator."""
    register = "torch" if call.name.startswith("torch.") else "numpy"
    state = generator_for(machine, call, register)
    given = call.get("seed") if call.name.startswith("datasets.") else None
    if given is not None and given != NONE:
        state = state_of(machine, given, None)
    asked = call.row.extra.get("shuffles") == "asked"  # in order, unless told to shuffle
    if call.get("shuffle") != FALSE and (not asked or call.get("shuffle") == TRUE):
        call.extra["rng"] = state
    source = call.receiver if call.receiver is not None else (call.arguments[0] if call.arguments else NONE)
    if call.name.startswith("torch."):
        lengths = containers.items_of(machine, call.arguments[1]) if len(call.arguments) > 1 else None
        count = len(lengths) if lengths is not None else 2
        made = []
        for _ in range(count):
            one = machine.new("torch.utils.data.Subset", call.mask)
            one.attributes["dataset"] = source
            one.facts["split"] = call
            made.append(one)
        return machine.new_list(tuple(made), call.mask)
    if call.name.startswith("datasets.") and call.receiver is not None:
        return call.receiver
    return None


def dataset_shuffle(machine: Machine, call: Invocation) -> Value | None:
    """`dataset.shuffle(seed=…)`: without a seed every process draws its own order, unless NumPy was seeded."""
    receiver = call.receiver
    if not isinstance(receiver, Object):
        return receiver
    given = call.get("seed")
    if given is None and call.get("generator") is not None:
        return receiver
    state = state_of(machine, given, None) if given is not None and given != NONE else current(machine, "numpy")
    made = machine.anew(receiver, call.mask)
    made.facts["shuffled"] = sharding.site(machine)
    if state.cause is not None and state.cause.kind in BY_SHARE:
        made.facts.setdefault("sharded by", Cause("data", state.cause.trail))  # an order of its own for each rank
    if state.verdict in ("unseeded", "differs") and "shard" not in receiver.facts:
        mark = order_mark(machine, call, state)
        made.attributes["order"] = provenance.marked(machine.unknown("order", made.number), mark)
    return made


def foreign(machine: Machine, name: str) -> None:
    """A function nobody can see that says it seeds: from here on the generators are seeded, nobody knows how."""
    if "seed" in name.rpartition(".")[2].lower() or "determinis" in name.lower():
        held = registers(machine)
        for register in REGISTERS:
            machine.set(held, register, machine.unknown("seeded elsewhere"), machine.world.full)
            machine.set(held, f"{register} at", NONE, machine.world.full)


def text_hash(machine: Machine, call: Invocation) -> Value | None:
    """`hash()` of a text is salted anew in every process."""
    from dtlint.machine.library import options

    value = call.arguments[0] if call.arguments else None
    if options.is_text(machine, value):
        cause = machine.cause("process", "`hash()` of a text is different in every process")
        return machine.unknown("hash", machine.symbols.fresh("process"), cause=cause)
    return None


MODELS: dict[str, Any] = {
    "seed": seed,
    "generator_seed": generator_seed,
    "torch_draw": torch_draw,
    "torch_distribution": distribution,
    "host_draw": host_draw,
    "shuffle_in_place": shuffle,
    "random_split": split,
    "text_hash": text_hash,
    "dataset_shuffle": dataset_shuffle,
}
