"""Where do ranks draw for themselves what they must agree on? Splits, orders, samplers, first weights.

Each answer carries the code of the rule that tells it: the rank in a seed is told where the seed is used, a clock or a
process id where it is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import attribute_name, every_node
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.drawing.seeds import LOADED, State
from dtlint.machine.library.feeding import inside
from dtlint.machine.library.feeding.loaders import ALL_DATA, HANDED_OUT, STREAMS
from dtlint.machine.library.feeding.streams import CHAINS
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.meeting.spawning import HANDED_ON
from dtlint.machine.library.python.own_order import NUMBERED
from dtlint.machine.library.training.parts import given_to
from dtlint.machine.logs import EXITS, Attempt, Choice, Event, Group, Log, LogNode, Site
from dtlint.machine.run import Run
from dtlint.machine.starts import run_before
from dtlint.machine.values import BY_SHARE, FALSE, Cause, ClassRef, Const, Object, Row, Symbol, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.places.files import accesses
from dtlint.timeline.places.metrics import several_processes
from dtlint.timeline.records import options_of, ways_to
from dtlint.timeline.samples.given_by_hosts import given_by_hosts
from dtlint.timeline.samples.orders_held import orders_held
from dtlint.timeline.samples.walked_whole import asked_by_number, drawn_from, owners, walked_whole
from dtlint.timeline.steps.placement import meets_at_home
from dtlint.timeline.steps.training import (
    REDUCES,
    Use,
    combines_all,
    is_gradient,
    place_of,
    step_at,
    survey,
    unshared,
)

LOCAL = {
    "clock": "the clock",
    "process": "something each process has for itself",
    "random": "a random draw of each process",
    "host": "the host",
    "memory": "free memory",
}


SOURCES = 6  # so deep a data set is looked into: it may have a list of sources, each with a list of its own


PICKED = "the part that is kept"


@dataclass(frozen=True, slots=True)
class Disagreement:
    code: str
    place: Site
    what: str  # what the ranks do not agree on
    why: str  # in words
    steps: tuple[Step, ...]
    tier: str = "default"
    number: str = "seed"  # what it is that each process has made for itself


def disagreements(run: Run, code: str) -> Iterator[Disagreement]:
    found = run.cache.get("disagreements")
    if found is None:
        found = run.cache["disagreements"] = list(everything(run)) if evidence.distributed(run) else []
    yield from (one for one in found if one.code == code)


def everything(run: Run) -> Iterator[Disagreement]:
    yield from sampler_seeds(run)
    yield from orders(run)
    yield from splits(run)
    yield from first_weights(run)
    yield from first_weights_of_hosts(run)


def told(code: str, place: Site, what: str, cause: Cause | None, why: str, *steps: Step) -> Disagreement:
    """A rank in a seed belongs to the rule of what it spoils; a clock or process id has a rule of its own."""
    trail = cause.steps() if cause is not None else ()
    if cause is not None and cause.kind in LOCAL and trail:
        first = trail[0]
        used = Step(place[0], place[1][0], f"decides {what}")
        return Disagreement(
            "DT307",
            (first.path, (first.line, 1, first.line, 1), place[2]),
            what,
            LOCAL[cause.kind],
            (*trail, used, *steps),
        )
    return Disagreement(code, place, what, why, (*trail, *steps))


# --- samplers --------------------------------------------------------------------------------------------------


def sampler_seeds(run: Run) -> Iterator[Disagreement]:
    for event, _ in survey(run).of("sampler"):
        seed = event.extra["call"].get("seed")
        if seed is not None and seed.cause is not None and told_cause(seed.cause):
            place = (event.path, event.at, event.function)
            why, given = "the sampler's seed differs by rank", options_of(run, place, {"seed"})
            yield told("DT207", place, "the sampler's order", seed.cause, why, *given)
    for event, _ in survey(run).of("set-epoch"):
        call = event.extra.get("call")
        epoch = call.arguments[0] if call is not None and call.arguments else None
        if epoch is None or epoch.cause is None or not told_cause(epoch.cause):
            continue
        if drawn_here(epoch) if epoch.cause.kind in LOCAL else says_rank(epoch):
            if isinstance(event.subject, Object) and event.subject.facts.get("shards"):
                place = (event.path, event.at, event.function)
                found = told("DT207", place, "the sampler's order", epoch.cause, "the sampler's epoch differs by rank")
                yield replace(found, number="epoch")


def says_rank(number: Value) -> bool:
    """Is it computed from the rank? That a branch on one rank may have changed it is no more than possible."""
    if isinstance(number, Row):
        return True
    symbols = provenance.symbols_in(number.symbol) if isinstance(number, Unknown) else ()
    return any(isinstance(part, tuple) for symbol in symbols if symbol.key[0].startswith("op ") for part in symbol.key)


def drawn_here(number: Value) -> bool:
    """Is it made of what the rank has drawn or read off its clock, and not chosen by a branch on that?"""
    symbols = provenance.symbols_in(number.symbol) if isinstance(number, Unknown) else ()
    return any(symbol.key[0] == "source" for symbol in symbols)


def told_cause(cause: Cause) -> bool:
    return cause.kind in LOCAL or cause.kind in BY_SHARE


# --- orders ----------------------------------------------------------------------------------------------------


def orders(run: Run) -> Iterator[Disagreement]:
    done: set[Any] = set()
    states = run.facts.get("order states", {})
    halved = [event.extra["call"].extra.get("rng") for event, _ in survey(run).of("random-split")]  # told as splits
    for mark, needed, split in orders_needed(run):
        if mark[1:3] not in done and not any(states.get(mark[1:3], done) is state for state in halved):
            done.add(mark[1:3])
            yield from ordered(run, mark, needed, split)


def orders_needed(run: Run) -> Iterator[tuple[tuple[Any, ...], Step, bool]]:
    """Orders that all ranks have to share, what for, and whether it is to keep what is trained on from the rest."""
    seen = survey(run)
    for loop, mark in seen.ordered:
        decision = loop.decision
        yield mark, Step.of(decision, "each rank works on its part of it"), False
    for value, fed in given_by_hosts(run):
        for mark in orders_of_hosts(run, value):
            yield mark, fed, False
    for event, _ in seen.collectives:
        loss = event.extra.get("loss") if event.op == "backward" else None
        for mark in provenance.marks(loss, "ordered", 0) if loss is not None else ():
            yield mark, Step.of(event, "the gradients of all ranks' parts meet here"), False
    for event, _ in seen.of("load"):
        named = event.extra["call"].arguments[:1]
        for mark in (mark for name in named for mark in provenance.marks(name, "ordered", 0)):
            yield mark, Step.of(event, "each rank reads from its part of it"), False
    for event, path in seen.of("hand-over") if several_processes(run) else ():
        loader = event.subject
        if isinstance(loader, Object) and "described" in loader.facts:
            for mark in marks_of(Use(loader, None, path)):
                yield mark, Step.of(event, "each rank of the trainer works on its part of it"), False
    for event, _ in seen.of("hand-over"):
        for held in provenance.parts(event.subject, 2) if event.extra.get("together") and event.subject else ():
            for mark in held.facts.get("ordered", ()) if isinstance(held, Object) else ():
                yield mark, Step.of(event, "the gradients of all ranks' parts meet while it learns from this"), False
    held_out: dict[Any, list[Value]] = {}
    for use in seen.uses:
        for mark in marks_of(use) if use.backward is None else ():
            held_out.setdefault(mark[1:3], []).append(samples_of(use))
    for use in seen.uses:
        if (use.backward is None and use.collective is None) or read_by_one(use):
            continue
        for mark in marks_of(use):
            others = held_out.get(mark[1:3], ())
            split = use.backward is not None and any(parted(mark, samples_of(use), other) for other in others)
            text = "some of it is trained on" if split else "the loader divides it between the ranks"
            yield mark, step_at(place_of(use.loader), text), split


def read_by_one(use: Use) -> bool:
    """What the first rank reads for all: in its own order, whatever the others would have had."""
    handed = use.loader.facts.get(HANDED_OUT)
    return handed == ALL_DATA or (handed == STREAMS and use.described.iterable)


def orders_of_hosts(run: Run, value: Value) -> Iterator[tuple[Any, ...]]:
    """Orders that decide which part of the data a host's batches come from."""
    yield from provenance.marks(value, "ordered", 2)
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    for found in provenance.marks(value, "loader", 2):
        loader = loaders.get(found[1])
        if loader is not None:
            yield from loader.facts.get("ordered", ())


def parted(mark: tuple[Any, ...], trained: Value, held_out: Value) -> bool:
    """Are these parts of one order? What a table has under two names is two lists, each of them in an order of its own
    that was drawn in one place: `self.names = lists[kind]; random.shuffle(self.names)`."""
    if held_out is trained:
        return False
    names = [set(names_of_lists(mark, one)) for one in (trained, held_out)]
    return not names[0] or not names[1] or bool(names[0] & names[1])


def names_of_lists(mark: tuple[Any, ...], samples: Value) -> Iterator[Any]:
    """The names under which a table has what was ordered here, where all of it is such a list."""
    for held in provenance.parts(samples):
        tags = getattr(held, "tags", ())
        if isinstance(held, Unknown) and any(type(tag) is tuple and tag[1:3] == mark[1:3] for tag in tags):
            key = held.symbol.key
            yield key[2] if key[0] == "item" and len(key) > 2 and isinstance(key[2], str) else None


def samples_of(use: Use) -> Value:
    held: Value = use.loader.attributes.get("dataset", use.loader)
    return held


def marks_of(use: Use) -> list[tuple[Any, ...]]:
    dataset = use.loader.attributes.get("dataset", use.loader)
    made_of = (mark for rows in (dataset, *given_to(dataset)) for mark in provenance.marks(rows, "ordered", SOURCES))
    found = list(dict.fromkeys(made_of))
    for look in use.described.looks:
        for walked in inside.loops(look):
            found.extend(unshared(walked))
        for walked in inside.dealt_in_turn(look) if look.iterable else ():
            found.extend(provenance.marks(walked, "order", 2))
        found.extend(cut_when_asked(look))
    for held in provenance.parts(dataset, SOURCES):
        if isinstance(held, Object):
            found.extend(held.facts.get("ordered", ()))
        elif isinstance(held, Row) and held.cause.kind in ("rank", "shard"):  # `parts[rank]` of parts that are known
            found.extend(mark for lane in held.lanes for mark in provenance.marks(lane, "order", 0))
        elif provenance.has_mark(held, "order", 0) and held.cause is not None and held.cause.kind in ("rank", "shard"):
            found.extend(provenance.marks(held, "order", 0))
    ordering = use.described.ordering
    if ordering is not None:
        found.extend(mark for given in (*ordering.values, *inside.loops(ordering)) for mark in unshared(given))
    sampler = use.described.sampler
    divided = (isinstance(sampler, Object) and sampler.facts.get("shards")) or use.loader.facts.get("prepared")
    if divided:
        draws = frozenset(event.at for look in use.described.looks for event in look.events("draw"))
        held_in = samples_in(dataset, draws)
        found.extend(mark for held in held_in for mark in orders_held(held))
    return found


def cut_when_asked(look: inside.Inside) -> Iterator[tuple[Any, ...]]:
    """Orders of which a part is cut out when the first sample is asked for, but for what each sample draws; or that
    say what a file is called that a stream reads."""
    drawn = {event.at for event in look.events("draw")}
    read = [name for event in look.events("load") for name in event.extra["call"].arguments[:1]]
    for held in (*(() if look.iterable else look.held), *read):
        yield from (mark for mark in provenance.marks(held, "ordered", 0) if mark[2] not in drawn)


def samples_in(dataset: Value, draws: frozenset[Any], below: int = 2) -> Iterator[Value]:
    """What a data set holds, without the numbers it only computes with, `(row - self.mean) / self.deviation`, without
    the words it goes through for every sample, and without what it only draws from, at these places: itself, or
    something it holds, `self.noises.mixed_with(sound)`."""
    if not below or not isinstance(dataset, Object) or not isinstance(dataset.kind, ClassRef):
        yield dataset
        return
    nodes = [node for method in run_before.methods(dataset.kind) for node in every_node(method.body)]
    named = Counter(attribute_name(node) for node in nodes)
    operands = (side for node in nodes if isinstance(node, ir.BinOp) for side in (node.left, node.right))
    computed = Counter(attribute_name(side) for side in operands)
    tables = {name for name, held in dataset.attributes.items() if isinstance(held, Object) and held.kind == "dict"}
    passed = walked_whole(dataset.kind) | drawn_from(dataset.kind, draws, tables)
    asked = asked_by_number(dataset.kind)
    own = {attribute_name(node) for owner in owners(dataset.kind) for node in every_node(owner.node.body)}
    for name, held in dataset.attributes.items():
        if asked is not None and name in own and name not in asked:
            continue
        if (not named[name] or named[name] > computed[name]) and name not in passed:
            yield from samples_in(held, draws, below - 1)


NUMBERS = "the number of each text"  # what the ranks do not agree on


def ordered(run: Run, mark: tuple[Any, ...], step: Step, split: bool = False) -> Iterator[Disagreement]:
    """`split`: other samples of this order are held out to evaluate the model."""
    place: Site = (mark[1], mark[2], mark[3])
    if place in run.facts.get(HANDED_ON, ()):
        return  # listed or drawn once, by the process that has started all ranks
    code, what = ("DT208", "the split") if split else ("DT207", "the order of the data")
    state = run.facts.get("order states", {}).get(mark[1:3])
    if isinstance(state, State):
        if state.verdict == "unseeded":
            made = (step_at(state.site, "the generator is made here"),) if state.site is not None else ()
            yield told(code, place, what, None, "nobody seeded the generator that draws it", *made, step)
        elif state.cause is not None and told_cause(state.cause):
            yield told(code, place, what, state.cause, "its seed differs by rank", step)
        return
    if NUMBERED in mark[4:]:
        what = NUMBERS
    if "set" in mark[4:]:
        yield told(code, place, what, None, "a set of texts has another order in every process", step)
        return
    row = run.knowledge.apis.get(mark[4])
    why = row.extra.get("why") if row is not None else None
    found = told(code, place, what, None, why or "the file system gives names in any order", step)
    # held-out samples are only looked at: a split by a listing is worth telling where there are surely several disks;
    # and where all ranks are on one machine, they have one disk
    strict = (code == "DT208" and not on_disks_of_nodes(run, place)) or meets_at_home(run)
    yield replace(found, tier="strict") if strict else found


def on_disks_of_nodes(run: Run, place: Site) -> bool:
    """Is what is listed here a folder that every node has for itself? One file system gives its names in one order to
    all who ask, as long as nobody writes there."""
    return any(one.own and (one.event.path, one.event.at) == place[:2] for one in accesses(run))


# --- splits ----------------------------------------------------------------------------------------------------


def splits(run: Run) -> Iterator[Disagreement]:
    if not evidence.distributed(run, "strong"):
        return
    for event, path in survey(run).of("random-split"):
        state = event.extra["call"].extra.get("rng")
        if (
            not isinstance(state, State)
            or event.mask != run.world.full
            or any(ends_there(node, event) for node in path)
        ):
            continue
        place = (event.path, event.at, event.function)
        if state.verdict == "unseeded":
            shown = evidence.evidence(run).step
            together = (shown,) if shown is not None else ()
            what = PICKED if rest_thrown_away(run, event) else "the split"
            given = options_of(run, place, run.knowledge.draws)
            yield told("DT208", place, what, None, "nobody seeded the generator that draws it", *given, *together)
        elif state.verdict == "differs" and state.cause is not None and told_cause(state.cause):
            seeded = (*ways_to(run, state.site), step_at(state.site, "seeded here")) if state.site is not None else ()
            given = options_of(run, place, run.knowledge.draws)
            yield told("DT208", place, "the split", state.cause, "its generator is seeded by rank", *seeded, *given)


def rest_thrown_away(run: Run, event: Event) -> bool:
    """`kept, _ = random_split(data, sizes)`: nothing is held out, this is how much of the data is worked on."""
    call = event.extra["call"].node
    for node in every_node(run.project.module(event.path).body):
        if isinstance(node, ir.Assign) and node.value is call and isinstance(node.targets[0], ir.Tup):
            names = [one.id if isinstance(one, ir.Name) else "" for one in node.targets[0].items]
            return len(names) > 1 and names.count("_") == len(names) - 1
    return False


def ends_there(node: LogNode, event: Event) -> bool:
    """Does the program end on the side of this branch, or in the handler, that an event stands on? Nobody is trained
    with what was made there: `except FileNotFoundError: prepare(); sys.exit()`."""
    sides: list[tuple[Log, str]] = []
    if isinstance(node, Choice):
        sides = [(node.then, node.exits[0]), (node.other, node.exits[1])]
    elif isinstance(node, Attempt):
        sides = [(handler.log, handler.exit) for handler in node.handlers]
    return any(word in EXITS and any(inner is event for inner, _ in walk(log)) for log, word in sides)


# --- first weights ---------------------------------------------------------------------------------------------


def first_weights(run: Run) -> Iterator[Disagreement]:
    """Layers drawn from different seeds, in a program that nowhere makes them equal."""
    seen = survey(run)
    layers = [
        (layer, state)
        for layer, state in run.facts.get("layers", ())
        if state.verdict == "differs" and state.site is not None and layer.number > run.facts.get(LOADED, 0)
    ]
    if not layers:
        return
    layer, state = layers[0]
    if any(made_equal(event) for event, _ in seen.collectives):
        return
    raw = next(
        (
            event
            for event, _ in seen.collectives
            if event.op == "wrap" and (event.extra.get("wrap") == "fully_shard" or unsynced(event))
        ),
        None,
    )
    reduced = next(
        (
            event
            for event, _ in seen.collectives
            if (gradient := gradient_in(event)) is not None
            and apart(state.seed, event.group)
            and not of_another(run, layer, gradient)
        ),
        None,
    )
    stepped = next(
        (event for event, _ in seen.collectives if combines_all(event) and apart(state.seed, event.group)), None
    )
    because = raw or reduced or stepped
    if because is None or state.cause is None or not told_cause(state.cause):
        return
    drawn = step_at(place_of(layer), "the first weights are drawn here")
    text = (
        "the wrapper keeps each rank's shard as it is"
        if raw is not None
        else "gradients are combined by hand, weights never"
        if reduced is not None
        else "the optimizer combines gradients, and nothing the weights"
    )
    yield told(
        "DT305",
        state.site,
        "the first weights",
        state.cause,
        "the seed differs by rank",
        *ways_to(run, state.site),
        drawn,
        *ways_to(run, place_of(layer)),
        Step.of(because, text),
    )


def gradient_in(event: Event) -> Value | None:
    """What is reduced, or what the tensor held then into which the gradients were put."""
    given = (event.extra.get(name) for name in ("tensor", "held"))
    return next((one for one in given if is_gradient(one)), None)


def of_another(run: Run, layer: Object, gradient: Value) -> bool:
    """Is it known whose gradient this is, and is that another layer?"""
    numbers = provenance.modules_of(gradient.symbol) if isinstance(gradient, Unknown) else set()
    return bool(numbers) and layer.number not in numbers and numbers <= {one.number for one, _ in run.facts["layers"]}


def apart(seed: Value, group: Group | None) -> bool:
    """Are there two ranks of one communicator that drew from different seeds?"""
    if group is None or not isinstance(seed, Row):
        return group is not None
    return any(
        seed.lanes[lane] != seed.lanes[other]
        for lane, members in enumerate(group.members)
        for other in lanes_in(members)
    )


def first_weights_of_hosts(run: Run) -> Iterator[Disagreement]:
    """JAX: what each host drew from a key of its own is copied to its devices, and gradients are all that is shared, or
    it is taken for one array of all hosts."""
    seen = survey(run)
    learns = seen.gradients or (
        run.facts.get(jax_facts.LEARNED) and any(one.op == "launch" for one, _ in seen.collectives)
    )
    if not seen.of("init") or not learns or seen.of("load-state"):
        return
    loaded = not all(reads_samples(event) for event, _ in seen.of("load"))
    for event, _ in seen.of("replicate"):
        subject = event.subject
        if subject is not None and (loaded or not seen.gradients) and not straight_from_init(run, subject):
            continue  # the weights may come from a file, or it is something else
        if subject is None or (provenance.has_mark(subject, "jax", 3) and is_key(subject)):
            continue
        cause = provenance.cause_of(subject, BY_SHARE | set(LOCAL)) or of_this_host(run, subject)
        trail = cause.steps() if cause is not None else ()
        if cause is None or not trail:
            continue
        first = trail[0]
        place: Site = (first.path, (first.line, 1, first.line, 1), event.function)
        text = "each host copies its own weights to its devices"
        yield told("DT305", place, "the first weights", cause, "the key differs by host", Step.of(event, text))
        return


def straight_from_init(run: Run, value: Value) -> bool:
    """Is it what `init` gave or was drawn here, or a train state that was made of it, with nothing else put into it?"""
    weights: dict[Symbol, list[Symbol]] = run.facts.get(jax_facts.WEIGHTS, {})
    leaves = [leaf.symbol for leaf in jax_facts.leaves(value) if isinstance(leaf, Unknown)]
    parts = [part for leaf in leaves for part in weights.get(leaf, [leaf])]
    return bool(parts) and all(taken_from(part) == jax_facts.INITIALISED or made_here(run, part) for part in parts)


COMPUTED = ("op ", "unary", "jax.", "numpy.", "math.")
PARTS = frozenset({"drawn", "key", "keys", "fold_in", "item", "attr", "phi", "name"})


def made_here(run: Run, weights: Symbol) -> bool:
    """Was it computed step by step from what was drawn, or written down, and from no file?"""
    names = [str(symbol.key[0]) for symbol in provenance.symbols_in(weights)]
    rows = (run.knowledge.api(name) for name in names)
    read = any(row is not None and row.record in ("load", "file-read") for row in rows)
    return not read and all(name in PARTS or name.startswith(COMPUTED) for name in names)


def taken_from(symbol: Symbol) -> object:
    """What this is a part of: `variables["params"]`"""
    while symbol.key[0] in ("item", "attr") and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    return symbol.key[0]


def reads_samples(load: Event) -> bool:
    """`load_dataset(name)`, `numpy.load(path, mmap_mode="r")`: what is read row by row as it is asked for is data, and
    no weights."""
    call = load.extra.get("call")
    if not isinstance(call, Invocation):
        return False
    mode = call.get("mmap_mode")
    return (call.row.type or "").startswith(CHAINS) or (isinstance(mode, Const) and mode.value is not None)


def of_this_host(run: Run, value: Value) -> Cause | None:
    """Why weights that came from `init` are those of one host."""
    known = run.facts.get(jax_facts.HOST_WEIGHTS, {})
    marks = jax_facts.words(jax_facts.deep((value,)), "of host") if known else ()
    causes = (known[tag[2]] for tag in marks)
    return next((cause for cause in causes if cause.kind in BY_SHARE | set(LOCAL)), None)


def is_key(value: Value) -> bool:
    return any(tag[1:2] == ("key",) for tag in provenance.marks(value, "jax", 0))


def made_equal(event: Event) -> bool:
    """Wrappers and broadcasts that give everybody rank 0's weights, and sums of everybody's."""
    call = event.extra.get("call")
    if isinstance(call, Invocation) and call.row.extra.get("weights") is False:
        return False
    if event.op.startswith(("broadcast", "scatter")) or (event.op in REDUCES and of_weights(event.extra.get("held"))):
        return True
    return event.op == "wrap" and event.extra.get("wrap") != "fully_shard" and not unsynced(event)


def of_weights(held: Value | None) -> bool:
    """Is it made of the parameters of a model, and not of their gradients?"""
    return any(
        isinstance(part, Unknown)
        and provenance.modules_of(part.symbol)
        and not any(one.key[0] == "attr" and one.key[2:] == ("grad",) for one in provenance.symbols_in(part.symbol))
        for part in (provenance.parts(held, 1) if held is not None else ())
    )


def unsynced(event: Event) -> bool:
    """FSDP keeps what each rank drew, unless it is told to send rank 0's module states round."""
    wrapper = event.subject.facts.get("wrapper") if isinstance(event.subject, Object) else None
    call = wrapper.facts.get("call") if isinstance(wrapper, Object) and wrapper.facts.get("sharded") else None
    if not isinstance(call, Invocation) or not event.api.startswith("torch."):
        return False
    given = call.get("sync_module_states")
    return (given is None and not any(name is None for name, _ in call.keywords)) or given == FALSE
