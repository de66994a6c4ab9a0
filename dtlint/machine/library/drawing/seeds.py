"""Random number generators: how was each seeded, and do all ranks agree on it?

The global generators (torch's on the CPU, torch's on the device, NumPy's, Python's) are four entries of one journaled
object; `torch.Generator`, `numpy.random.Generator`, `RandomState` and `random.Random` carry their seed themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Site
from dtlint.machine.starts.given import usual_answer
from dtlint.machine.values import (
    BY_SHARE,
    NONE,
    Bound,
    Cause,
    Const,
    External,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

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
UNSEEDED = Const("<unseeded>", "unseeded")
GENERATORS = ("torch.Generator", "numpy.random.Generator", "numpy.random.RandomState", "random.Random")
SEEDED = "seeded with"  # no name that a method of a generator has
LOADED = "weights loaded"  # fact of the run: how many things there were when weights were loaded last
ELSEWHERE = "seeded elsewhere"  # symbol
SITES = "seeded at"  # fact of the run: where a generator was seeded with this number
MODULE = "<module>"
REGISTERS = ("torch", "cuda", "numpy", "python")


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
    start = UNSEEDED if made.facts["start"] else machine.unknown(ELSEWHERE)
    for name in REGISTERS:
        made.attributes[name] = start
        made.attributes[f"{name} at"] = NONE
    if isinstance(found, Object):
        imported_seeds(machine, found, made)
    machine.facts["rng"] = made
    return made


def begin_anew(machine: Machine) -> None:
    """A new interpreter imports the modules again, and seeds nothing that a function has seeded here."""
    if not isinstance(held := machine.facts.get("rng"), Object):
        return
    for name in REGISTERS:
        at = held.attributes.get(f"{name} at")
        if not (isinstance(at, Const) and isinstance(at.value, tuple) and at.value[2] == MODULE):
            machine.set(held, name, UNSEEDED, machine.world.full)
            machine.set(held, f"{name} at", NONE, machine.world.full)


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
        seed = machine.unknown(ELSEWHERE)
    site = at.value if isinstance(at, Const) and isinstance(at.value, tuple) else None
    if seed == UNSEEDED:
        return State("unseeded", seed, site)
    if isinstance(seed, Row):
        if any(lane == UNSEEDED for lane in seed.lanes) or any(map(is_left_open, seed.lanes)):
            return State("maybe", seed, site)
        return State("differs", seed, site, seed.cause)
    if isinstance(seed, Unknown) and any("'<unseeded>'" in key for key in texts(seed)):
        return State("maybe", seed, site)
    cause = provenance.cause_of(seed, ALL, 2)
    if cause is not None:
        return State("differs", seed, site, cause)
    return State("same", seed, site)


def is_left_open(seed: Value) -> bool:
    """On this rank: seeded with this, or with that, as a question says that nobody can answer."""
    return isinstance(seed, Unknown) and seed.cause is None and seed.symbol.key[0] == "phi"


def alike(state: State) -> bool:
    """Seeded for certain, and with the same number on every rank."""
    return state.verdict == "same" and is_one_number(state.seed)


def is_one_number(seed: Value | None) -> bool:
    """A number that is written down or comes from somewhere, such as the `seed` of a library's arguments, or a list of
    such, `default_rng([seed, epoch])`."""
    several = seed.attributes.get("[]") if isinstance(seed, Object) and seed.kind == "list" else seed
    if isinstance(several, Tuple):
        return bool(several.items) and all(map(is_one_number, several.items))
    of_a_library = isinstance(seed, Bound) and isinstance(seed.function, External)
    return (
        isinstance(seed, Const)
        or of_a_library
        or (
            isinstance(seed, Unknown)
            and not provenance.mentions(seed, lambda symbol: symbol.key[0] in (ELSEWHERE, "phi", "split"))
        )
    )


def when_seeded(machine: Machine, state: State) -> State:
    """`if args.seed is not None: set_seed(args.seed)`: how the generator stands where somebody asks for a seed, and for
    certain where the option itself asks unless it is told not to."""
    key = state.seed.symbol.key if isinstance(state.seed, Unknown) and state.seed.cause is None else ()
    if key[:1] != ("phi",) or len(key) != 4 or state.verdict != "maybe":
        return state
    given = [side for side in key[2:] if side != token(UNSEEDED)]
    if len(given) != 1 or not isinstance(given[0], Symbol) or given[0] not in machine.facts.get(SITES, {}):
        return state
    seed = Unknown(given[0])
    if not is_one_number(seed):
        return state
    usual = usual_answer(machine.facts, key[1]) is (key[2] == given[0]) if isinstance(key[1], Symbol) else False
    return State("same" if usual else "same if seeded", seed, machine.facts[SITES][given[0]])


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
        elif flag is not None and not isinstance(flag, Const):
            value = machine.unknown(ELSEWHERE, call.name, token(flag))  # whether it does is said in some settings
    if value is None or value == NONE:
        value = UNSEEDED
    held = registers(machine)
    machine.oldest_write = 0  # a call that seeds them does so each time
    place = Const((machine.frame.path, machine.current_at, machine.frame.scope))
    sites = machine.facts.setdefault(SITES, {})
    if machine.facts.get("inside"):  # what a worker seeds is not what the process that trains has seeded
        sites.setdefault(token(value), place.value)
    else:
        sites[token(value)] = place.value
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


def own_seed(machine: Machine, call: Invocation) -> Value:
    """`torch.seed()`, `generator.seed()`: seeded with a number that each process draws for itself."""
    cause = machine.cause("random", f"`{call.name}` draws another seed in every process")
    value = machine.unknown("seed", machine.symbols.fresh("process"), cause=cause)
    held = call.receiver if isinstance(call.receiver, Object) else registers(machine)
    names = (SEEDED,) if held is call.receiver else call.row.extra.get("seeds", ())
    place = Const((machine.frame.path, machine.current_at, machine.frame.scope))
    for name in names:
        machine.set(held, str(name), value, call.mask)
        machine.set(held, f"{name} at", place, call.mask)
    return value


def told_seed(machine: Machine, call: Invocation) -> Value | None:
    """`torch.initial_seed()`: what the generator was seeded with here; each worker of a loader has been given another,
    and so has a process in which nobody has seeded anything."""
    if machine.facts.get("inside") or "worker" in machine.facts:
        return None
    held, name = (call.receiver, SEEDED) if isinstance(call.receiver, Object) else (registers(machine), "torch")
    known = machine.get(held, name)
    return known if known is not None and state_of(machine, known, None).verdict in ("same", "differs") else None


def seed_sequence(machine: Machine, call: Invocation) -> Value | None:
    """`SeedSequence()` is another one in every process; `SeedSequence(seed)` is made of the seed."""
    if call.get("entropy") not in (None, NONE):
        return None
    cause = machine.cause("process", "`SeedSequence` without entropy is another one in every process")
    return machine.unknown("seeds", machine.symbols.fresh("process"), cause=cause)


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


def foreign(machine: Machine, call: Invocation) -> None:
    """A function nobody can see that says it seeds: from here on the generators are seeded, nobody knows how. On all
    ranks alike where it was told to, and nothing else."""
    name = call.name
    if "seed" in name.rpartition(".")[2].lower() or "determinis" in name.lower():
        held = registers(machine)
        told = bool(call.values) and all(value.cause is None for value in call.values)
        place = Const((machine.frame.path, machine.current_at, machine.frame.scope)) if told else NONE
        for register in REGISTERS:
            machine.set(held, register, machine.unknown(ELSEWHERE), machine.world.full)
            machine.set(held, f"{register} at", place, machine.world.full)


def weights_loaded(machine: Machine, call: Invocation) -> None:
    """`model.load_state_dict(…)`: nothing is left of the first weights of layers that there are by now."""
    machine.facts[LOADED] = machine.objects
    for given in call.arguments[:1]:
        provenance.take_up(machine, given)


MODELS: dict[str, Any] = {
    "weights_loaded": weights_loaded,
    "seed": seed,
    "generator_seed": generator_seed,
    "own_seed": own_seed,
    "told_seed": told_seed,
    "seed_sequence": seed_sequence,
}
