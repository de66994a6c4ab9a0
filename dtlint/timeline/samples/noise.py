"""Where do ranks or workers draw the same numbers though they should not?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.computing.tensors import SIZES
from dtlint.machine.library.drawing.draws import IN_LESSON
from dtlint.machine.library.drawing.seeds import GENERATORS, State, alike
from dtlint.machine.library.feeding import inside
from dtlint.machine.library.feeding.loader_options import Described, option
from dtlint.machine.library.feeding.picks import PICK
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.evidence import alone
from dtlint.machine.library.training.stepping import ANSWERED
from dtlint.machine.logs import Event, LogNode, Loop, Site
from dtlint.machine.run import Run
from dtlint.machine.values import BY_SHARE, NONE, Const, Object, Symbol, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.arrays.lives import NOTHING, Use, sides
from dtlint.timeline.options import usual
from dtlint.timeline.places.metrics import several_processes
from dtlint.timeline.records import ways_to
from dtlint.timeline.samples.data import whole_world
from dtlint.timeline.steps.training import REDUCES, is_gradient, loader_of, place_of, step_at, survey

Steps = tuple[Step, ...]
AGREES = frozenset({"shuffle", "permutation", "permuted", "randperm", "choice", "choices", "sample"})


# --- DT304 -----------------------------------------------------------------------------------------------------


def shared_noise(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Draws for a batch or by a policy, in a loop that combines gradients, from generators seeded alike."""
    done = set()
    for event, combining, state in noise_to_learn_from(run):
        if state.site is None or state.site in done or not may_be_alike(state):
            continue
        call = event.extra["call"]
        device = call.extra.get("device")
        if not call.get("generator") and isinstance(device, State) and not may_be_alike(device):
            continue
        done.add(state.site)
        drawn = Step.of(event, f"`{event.api.rpartition('.')[2]}` draws the same numbers on every rank")
        combined = Step.of(combining, "the gradients of all ranks are combined here")
        yield state.site, (*ways_to(run, state.site), drawn, combined)


def noise_to_learn_from(run: Run) -> Iterator[tuple[Event, Event, State]]:
    """What every rank draws for its batch, or by its policy, in a loop that combines gradients; where they are
    combined, and how the generator was seeded."""
    if alone(run):
        return
    seen = survey(run)
    combining: dict[int, Event] = {}
    for event, path in seen.collectives:
        by_hand = event.op in REDUCES and is_gradient(event.extra.get("tensor")) and whole_world(run, event)
        if event.op == "backward" or by_hand:
            for node in path:
                if isinstance(node, Loop):
                    combining.setdefault(id(node), event)
    if not combining:
        return
    fed = fed_to_models(run) | acted_out(run)
    for event, path in seen.of("draw"):
        loop = next((node for node in path if isinstance(node, Loop) and id(node) in combining), None)
        if loop is None or event.mask != run.world.full or "drop" in event.function.lower():
            continue
        call = event.extra["call"]
        state = call.extra.get("rng")
        if call.row.extra.get("permutes") or not isinstance(state, State):
            continue  # the same order of other samples is no loss
        apart = [node for node in path if isinstance(node, Loop) and id(node) not in combining]
        drawn_for = any(map(of_each_sample, apart)) or learnt_from(combining[id(loop)], call)
        if (event.path, event.at) in fed or drawn_for:
            yield event, combining[id(loop)], state


def noise_of_lessons(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Draws for a batch in the training step of a framework that runs it in several processes."""
    done = set()
    for event, _ in survey(run).of("draw") if several_processes(run) else ():
        call = event.extra["call"]
        state = call.extra.get("rng")
        if not call.extra.get(IN_LESSON) or not isinstance(state, State) or "drop" in event.function.lower():
            continue
        device = call.extra.get("device")
        if generator_of(event) is None and isinstance(device, State) and not alike(device):
            continue
        if not any(belongs_to_batch(value, "parameter") for value in drawn_with(call)):
            continue  # what all ranks decide together
        agreed = call.row.extra.get("permutes") or event.api.rpartition(".")[2] in AGREES
        if state.site is None or state.site in done or not alike(state) or agreed or event.mask != run.world.full:
            continue
        done.add(state.site)
        drawn = Step.of(event, f"`{event.api.rpartition('.')[2]}` draws the same numbers on every rank")
        yield state.site, (*ways_to(run, state.site), drawn)


def fed_to_models(run: Run) -> set[tuple[str, Any]]:
    """Where tensors are drawn that a wrapped model is given just as they are, beside the batches of a loader."""
    found: set[tuple[str, Any]] = set()
    for event, path in survey(run).collectives:
        if event.op != "forward" or not any(isinstance(node, Loop) and loader_of(node.subject) for node in path):
            continue
        for value in event.extra.get("given", ()):
            held = value.attributes.get("content") if isinstance(value, Object) else None
            if isinstance(held, Unknown) and held.symbol.key[0] == "drawn":
                found.update(picked_at(run, held))
    return found


def acted_out(run: Run) -> set[tuple[str, Any]]:
    """Where actions are drawn for a simulated world, unless each rank begins in another one."""
    seen = survey(run)
    begun = (event.extra["call"].get("seed") for event, _ in seen.of("act-begin"))
    if any(of_this_rank(seed) for seed in begun):
        return set()
    given = (value for event, _ in seen.of("act") for value in event.extra["call"].values)
    return {site for value in given for site in picked_at(run, value)}


def picked_at(run: Run, value: Value) -> Iterator[tuple[str, Any]]:
    """Where numbers were drawn that are alike on all ranks, of which this is one, or was made."""
    sites = {number: site for (site, _), number in run.facts.get("picks", {}).items()}
    for mark in provenance.marks(value, PICK, 1):
        yield sites[mark[1]][:2]


def shared_samples(run: Run) -> Iterator[tuple[Site, Steps]]:
    """A data set that makes its samples of random numbers alone, from a generator seeded alike on every rank."""
    done = set()
    for use in survey(run).training():
        loader, known = use.loader, use.described
        if use.reduced is None or loader.facts.get("prepared") or known.gives == "same" or known.shards:
            continue
        if isinstance(known.sampler, Object) and known.sampler.facts.get("shards"):
            continue
        for look in known.looks:
            if look.cut or inside.splits_by_rank(look) or any(map(asks_index, look.values)):
                continue
            for event in look.events("draw"):
                state = event.extra["call"].extra.get("rng")
                generator = generator_of(event)
                if generator is None:  # the worker's, which the loader seeds
                    state = known.seeded if known.gives == "unknown" and known.workers != 0 else None
                if not isinstance(state, State) or state.site is None or state.site in done or not alike(state):
                    continue
                if generator is not None and generator.facts.get("inside"):
                    continue
                done.add(state.site)
                drawn = Step.of(event, "the samples are made of the same numbers on every rank")
                combined = Step.of(use.reduced, "the gradients of all ranks are combined here")
                yield state.site, (*ways_to(run, state.site), drawn, combined)


def shared_masks(run: Run) -> Iterator[tuple[Site, Steps]]:
    """A data set or a `collate_fn` that draws for the samples of a rank, from a generator of its own seeded alike."""
    done = set()
    for use in survey(run).training():
        known = use.described
        if known.workers != 0 or use.reduced is None or known.gives != "differs":
            continue
        made = [known.collating] if known.collating is not None else []
        looks = [one for one in (*known.looks, *made) if not one.cut]
        for event in (event for one in looks for event in one.events("draw")):
            state, generator = event.extra["call"].extra.get("rng"), generator_of(event)
            if generator is None or generator.facts.get("inside") or not isinstance(state, State):
                continue
            if state.site is None or state.site in done or not alike(state):
                continue
            if event.api.rpartition(".")[2] in AGREES or event.extra["call"].row.extra.get("permutes"):
                continue
            done.add(state.site)
            drawn = Step.of(event, "every rank draws the same numbers here for its own batch")
            combined = Step.of(use.reduced, "the gradients of all ranks are combined here")
            yield state.site, (*ways_to(run, state.site), drawn, combined)


def shared_worker_seeds(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Workers get their seeds from the loader's generator: where that is seeded alike, those of all ranks draw the same
    for the samples of each."""
    done = set()
    for use in survey(run).training():
        known, state = use.described, use.described.seeded
        divided = use.reduced is not None and known.gives == "differs"
        if not divided or state is None or state.site is None or state.site in done or not alike(state):
            continue
        begun = use.loader.facts.get("worker start")
        told = begun is not None and any(of_this_rank(seed_of(event)) for event in begun.events("seed"))
        if told or not workers_of(run, use.loader, known):
            continue
        looks = (look for look in known.looks if not look.cut and not seeds_itself(look))
        drawing = (event for look in looks for event in look.events("draw"))
        event = next((one for one in drawing if generator_of(one) is None), None)
        if event is None:
            continue
        done.add(state.site)
        drawn = Step.of(event, "the workers of every rank draw the same numbers here")
        fed = step_at(place_of(use.loader), "its workers get their seeds from this generator")
        yield state.site, (*ways_to(run, state.site), fed, drawn)


def seeds_itself(look: inside.Inside) -> bool:
    """Does the data set seed the worker's generators by the rank? How the main process has seeded its own is forgotten
    in the workers."""
    return any(of_this_rank(seed_of(event)) for event in look.events("seed"))


def of_this_rank(seed: Value | None) -> bool:
    return seed is not None and provenance.cause_of(seed, BY_SHARE) is not None


def asks_index(value: Value) -> bool:
    return any(isinstance(tag, tuple) and tag[0] == "index" for part in provenance.parts(value) for tag in part.tags)


def may_be_alike(state: State) -> bool:
    """Seeded alike, at least where somebody asks for a seed."""
    return alike(state) or state.verdict == "same if seeded"


def of_each_sample(loop: Loop) -> bool:
    """`[one_mask() for _ in range(len(batch))]`: what a turn draws is for one sample of the batch."""
    return any(held is not None and belongs_to_batch(held) for held in (loop.trip, loop.subject))


def learnt_from(backward: Event, call: Invocation) -> bool:
    """Is it drawn for a batch, or found again in the loss as what a policy has sampled?"""
    sampled, loss = call.extra.get("sampled"), backward.extra.get("loss")
    if sampled is not None:
        return isinstance(loss, Value) and any(sampled in part.tags for part in provenance.parts(loss, 2))
    return any(belongs_to_batch(value) for value in drawn_with(call))


def drawn_with(call: Invocation) -> Iterator[Value]:
    """What decides the shape or the chances of a draw: its arguments, or those of the distribution it is drawn from."""
    yield from call.values
    for value in call.values:
        if isinstance(value, Object):
            yield from value.facts.get(SIZES, ())  # `bernoulli(full(tokens.shape, 0.15))`
    held = call.receiver
    if isinstance(held, Object):
        yield from held.attributes.values()
    while isinstance(held, Object) and isinstance(made := held.facts.get("call"), Invocation):
        yield from made.values
        held = next((value for value in made.values if isinstance(value, Object) and value.kind == held.kind), None)
    if held is not None:
        yield held


def belongs_to_batch(value: Value, *others: str) -> bool:
    """Is its shape or content that of a batch of a loader, or of what the model gave? A framework hands its batches
    over as parameters."""
    for part in provenance.parts(value, 2):
        if any(isinstance(tag, tuple) and tag[0] in ("loader", *ANSWERED) for tag in part.tags):
            return True
    return provenance.mentions(value, lambda symbol: symbol.key[0] in ("batch", "output", *others))


# --- DT306 -----------------------------------------------------------------------------------------------------


def copied_generators(run: Run) -> Iterator[tuple[Site, Steps]]:
    done = set()
    for loader, known in walked(run):
        workers = workers_of(run, loader, known)
        if not workers or workers < 2 or not (known.apart or option(loader, "worker_init_fn") in (None, NONE)):
            continue
        for look in (*known.looks, known.collating):
            if look is None or look.cut:
                continue
            divided = divides(look)
            for event, above in walk(look.log):
                if not isinstance(event, Event) or event.op != "draw" or for_another_try(event, above):
                    continue
                generator = generator_of(event)
                if generator is None or generator.facts.get("inside") or generator.number in done:
                    continue
                if divided and event.api.rpartition(".")[2] in AGREES:
                    continue  # workers have to agree on the order they divide
                done.add(generator.number)
                copies = step_at(place_of(loader), f"{told_workers(known, workers)} each get a copy")
                place = generator_place(generator)
                drawn = Step.of(event, "every worker draws from its copy here")
                yield place, (*ways_to(run, place), drawn, copies)


def divides(look: inside.Inside) -> bool:
    """Do the workers or the ranks divide among themselves what it goes through? Of what is asked for by numbers, and of
    the batches made of that, somebody else has divided the numbers."""
    return look.iterable and (bool(inside.splits_by_worker(look)) or bool(inside.splits_by_rank(look)))


def same_in_workers(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Draws for samples from a global generator of which, in the versions that the project keeps to, every worker has
    the state of the process that started it."""
    done = set()
    for loader, known in walked(run):
        workers = workers_of(run, loader, known)
        if not workers or workers < 2 or option(loader, "worker_init_fn") not in (None, NONE):
            continue
        for look in (*known.looks, known.collating):
            if look is None or look.cut or divides(look) or any(look.events("seed")):
                continue
            found = next(((event, since) for event in look.events("draw") if (since := apart_since(run, event))), None)
            if found is None or (place := (found[0].path, found[0].at, found[0].function)) in done:
                continue
            done.add(place)
            began = step_at(place_of(loader), f"{told_workers(known, workers)} begin with the state of this process")
            drawn = Step.of(found[0], f"only {found[1]} and later seed each of them anew")
            yield place, (*ways_to(run, place), drawn, began)


def apart_since(run: Run, event: Event) -> str:
    """The version in which workers first draw different numbers here, if the project keeps to older ones."""
    since = str(event.extra["call"].row.extra.get("workers_apart_since", ""))
    return since if since and run.project.pins.before(event.path, since) else ""


def for_another_try(event: Event, above: tuple[LogNode, ...]) -> bool:
    """`while True: if sample is not None: return sample`, and only then another one is drawn: it stands in for a sample
    that cannot be had."""
    turns = [number for number, node in enumerate(above) if isinstance(node, Loop) and node.kind == "while"]
    within = above[turns[-1] :] if turns else ()
    return any(choice.exits[1 if then else 0] == "return" for choice, then in sides(Use(NOTHING, event, within)))


FEWEST = 2  # workers of a loader whose number is left to who starts the program


def workers_of(run: Run, loader: Object, known: Described) -> int | None:
    """How many workers the loader has, if need be as an option has them by default. Where a setting chooses, there are
    as many as show that there is more than one."""
    if known.workers is not None:
        return known.workers
    given = option(loader, "num_workers")
    found = usual(run, given)
    if isinstance(found, Const):
        return found.value if isinstance(found.value, int) else None
    return FEWEST if chosen_outside(given) else None


def chosen_outside(number: Value | None) -> bool:
    """`args.workers`, `config["loader"]["workers"]`, of which nobody knows more than the name."""
    key = number.symbol.key if isinstance(number, Unknown) and number.cause is None else ()
    return len(key) == 3 and key[0] in ("attr", "item") and isinstance(key[1], Symbol) and isinstance(key[2], str)


def told_workers(known: Described, workers: int) -> str:
    return f"{workers} workers" if known.workers is not None or workers != FEWEST else "its workers"


def walked(run: Run) -> Iterator[tuple[Object, Described]]:
    """Every loader somebody took a batch from."""
    for _, loader in sorted(run.facts.get("loaders", {}).items()):
        known, original = loader.facts.get("described"), loader.facts.get("original")
        if isinstance(known, Described) and not (isinstance(original, Object) and "described" in original.facts):
            yield loader, known


def generator_of(event: Event) -> Object | None:
    call = event.extra["call"]
    for held in (call.receiver, call.get("generator")):
        if isinstance(held, Object) and held.kind in GENERATORS:
            return held
    return None


def generator_place(generator: Object) -> Site:
    return (generator.path, generator.at or (1, 1, 1, 1), str(generator.facts.get("scope", "")))


def seed_of(event: Event) -> Value | None:
    call = event.extra["call"]
    found = call.extra.get("value")
    if found is None and call.arguments:
        found = call.arguments[0]
    return found
