"""Does the order of the samples come from where it should, and is it another one in every epoch? (DT203, DT204)"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.lanes import name_lanes
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.feeding import samplers
from dtlint.machine.library.feeding.data import TOLD_EPOCH
from dtlint.machine.library.feeding.loader_options import is_true
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import evidence
from dtlint.machine.logs import Event, LogNode, Loop, Site
from dtlint.machine.names import classes
from dtlint.machine.run import Run
from dtlint.machine.starts.given import is_option
from dtlint.machine.values import FALSE, NONE, ClassRef, Const, FunctionRef, Object, Unknown, Value
from dtlint.timeline.records import options_of, ways_to
from dtlint.timeline.samples.data import Steps, kept
from dtlint.timeline.steps.training import Path, Survey, Use, loader_of, place_of, step_at, survey


def shuffled_samplers(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Loaders that torch refuses."""
    for event, _ in survey(run).of("loader"):
        call = event.extra["call"]
        shuffle = call.get("shuffle")
        if not is_true(shuffle):
            continue
        for name in ("sampler", "batch_sampler"):
            given = call.get(name)
            if isinstance(given, Object) and given.birth & event.mask == event.mask:
                place = (event.path, event.at, event.function)
                made = step_at(place_of(given), f"the {name.replace('_', ' ')}")
                yield place, kept(made, *options_of(run, place, {"shuffle", name}))
                break


def ordered_samplers(run: Run) -> Iterator[tuple[Site, Steps]]:
    """Training samplers with `shuffle=False` in an epoch loop."""
    for use in survey(run).training():
        sampler = use.described.sampler
        if not isinstance(sampler, Object) or use.epoch_loop is None or use.loader.facts.get("prepared"):
            continue
        if samplers.shuffles(sampler) is not False or use.reduced is None or not is_torch(run, sampler):
            continue
        if survey(run).of("shuffle"):
            continue  # the data set itself is shuffled
        loop = use.epoch_loop
        epoch = Step.of(loop.decision, "the epochs")
        loader = step_at(place_of(use.loader), "the loader of the training data")
        place = place_of(sampler)
        made = (event for event, _ in survey(run).of("sampler") if (event.path, event.at) == place[:2])
        ways = ways_to(run, next(((one.path, one.at, one.function) for one in made), place))
        yield place, kept(*ways, *options_of(run, place, {"shuffle"}), loader, epoch)


def is_torch(run: Run, sampler: Object) -> bool:
    return isinstance(sampler.kind, str) and samplers.DISTRIBUTED in run.knowledge.ancestors(sampler.kind)


def same_order_every_epoch(run: Run) -> Iterator[tuple[Site, Steps, str]]:
    """The last is what the program does instead: `another` sampler is told, this one the `same` epoch always, or it is
    told on `some` ranks."""
    seen, done = survey(run), set[Site]()  # a loop may walk over several loaders at once
    for use in seen.training():
        loop = use.epoch_loop
        sampler = use.described.sampler
        if loop is None or not isinstance(sampler, Object) or use.loader.facts.get("prepared"):
            continue
        if not is_torch(run, sampler) or not samplers.may_shuffle(sampler) or "epoch" in sampler.attributes:
            continue
        born = place_of(sampler)[:2]
        anew = any(use.told_within in path and (event.path, event.at) == born for event, path in seen.of("sampler"))
        if counts_steps(sampler) or (anew and not fixed_seed(sampler)) or data_shuffled_anew(use, seen):
            continue
        loops = loops_around(use, loop)
        under = [event for event, path in seen.of("set-epoch") if not loops.isdisjoint(map(place_in, path))]
        telling = [
            event
            for event in under
            if not event.extra.get("fails") and concerns(run, event.subject, sampler, use.loader)
        ]
        told = functools.reduce(operator.or_, (event.mask for event in telling), 0)
        if telling and told & sampler.birth != sampler.birth:
            first = telling[0]
            made = step_at(place_of(sampler), "the sampler shuffles by `seed + epoch`")
            called = Step.of(first, f"only {name_lanes(told, run.world)} comes here")
            yield (first.path, first.at, first.function), kept(made, called), "some"
            continue
        if not all(says_a_number(run, event) or told_by_a_checkpoint(event, loop) for event in telling):
            continue
        if evidence.begins_no_group(run) and (tells_otherwise(run, loop) or finds_no_group(run, sampler)):
            continue
        if use.reduced is None and told_on_another_way(seen, loop):
            continue
        place = (loop.decision.path, loop.decision.at, loop.decision.function)
        what, text = ("same", "every turn says this number") if telling else ("another", "this is another sampler")
        other = next((Step.of(event, text) for event in telling or under), None)
        inner = use.loop.decision if use.loop is not None else None
        walked = Step.of(inner, "every turn walks over the loader anew") if inner is not None else None
        made = step_at(place_of(sampler), "the sampler shuffles by `seed + epoch`")
        steps = kept(made, step_at(place_of(use.loader), "the loader it feeds"), other, walked)
        if place not in done:
            done.add(place)
            yield place, steps, what if other is not None else ""


def loops_around(use: Use, epochs: Loop) -> set[object]:
    """The loops in which an epoch may be told: in one around that of the epochs, the same epoch is walked over again.
    What follows the sides of a branch may be kept for each of them, with what is the same on both seen on the first
    alone: the place tells which loop it is."""
    return {place_in(node) for node in (epochs, *use.above) if isinstance(node, Loop)}


def told_around(use: Use, told: Iterable[tuple[Event, Path]]) -> bool:
    """Is an epoch told in the loop of epochs, or in one around it?"""
    epochs = use.told_within
    if epochs is None:
        return False
    loops = loops_around(use, epochs)
    return any(not loops.isdisjoint(map(place_in, path)) for _, path in told)


def place_in(node: LogNode) -> object:
    return (node.decision.path, node.decision.at) if isinstance(node, Loop) else None


def told_on_another_way(seen: Survey, epochs: Loop) -> bool:
    """`fit(0) if alone else spawn(fit)`: is the epoch told where several ranks come to the same loop?"""
    loops = [use.epoch_loop for use in seen.training() if use.epoch_loop is not None and use.reduced is not None]
    same = {id(loop) for loop in loops if place_in(loop) == place_in(epochs)}
    return any(id(node) in same for _, path in seen.of("set-epoch") for node in path)


def finds_no_group(run: Run, sampler: Object) -> bool:
    """`DistributedSampler(data)` asks the group how many ranks there are. In a program that begins none, and has no
    word of others itself, it stands in what that one shares with the programs of several ranks."""
    call = sampler.facts.get("call")
    if (call is not None and call.get("num_replicas") is not None) or sampler.path == run.entry.path:
        return False
    module = run.project.module(run.entry.path)
    silent = module is not None and module.tokens.isdisjoint(run.knowledge.members)
    return silent and not run.project.started.by_a_launcher(run.entry.path)


def tells_otherwise(run: Run, epochs: Loop) -> bool:
    """Is the epoch told in this loop where the program is one of several: `if together: sampler.set_epoch(epoch)`?"""
    for node in every_node((run.project.tree(epochs.decision.path),)):
        if isinstance(node, ir.For | ir.While) and node.at == epochs.decision.at:
            called = (one.func for one in every_node(node.body) if isinstance(one, ir.Call))
            return any(isinstance(func, ir.Attr) and func.name == TOLD_EPOCH for func in called)
    return False


def cycled(run: Run) -> Iterator[tuple[Site, Steps]]:
    """`cycle(loader)`, once for all of the training: it keeps the batches of the first pass, and gives them again."""
    seen = survey(run)
    for event, path in seen.of("cycled"):
        loader = loader_of(event.subject)
        use = next((one for one in seen.training() if one.loader is loader), None)
        if use is None or use.reduced is None or any(isinstance(node, Loop) for node in path):
            continue
        sampler = use.described.sampler
        if not isinstance(sampler, Object) or not is_torch(run, sampler) or use.loader.facts.get("prepared"):
            continue
        if samplers.may_shuffle(sampler):
            place = (event.path, event.at, event.function)
            made = step_at(place_of(sampler), "the sampler shuffles by `seed + epoch`, if it is walked over again")
            yield place, kept(made, Step.of(use.reduced, "the model learns from the same batches in every pass"))


def data_shuffled_anew(use: Use, seen: Survey) -> bool:
    """`rows.shuffle(seed=epoch)` in the loop of epochs: the sampler's numbers stand for other rows in each of them."""
    data = use.loader.attributes.get("dataset")
    place = data.facts.get("shuffled") if isinstance(data, Object) else None
    return place is not None and any(
        (event.path, event.at) == place[:2] and use.told_within in path and not fixed(event.extra["call"].get("seed"))
        for event, path in seen.of("shuffle")
    )


def fixed(seed: Value | None) -> bool:
    return isinstance(seed, Const) and seed != NONE


def says_a_number(run: Run, event: Event) -> bool:
    """`sampler.set_epoch(0)`, as it is written, `set_epoch(args.start_epoch)`, as it was given, or
    `set_epoch(self.epoch)` of an epoch that nobody ever counts on."""
    call = event.extra["call"]
    node = call.node
    given = [*node.args, *(value for _, value in node.keywords)] if isinstance(node, ir.Call) else []
    if len(given) != 1:
        return False
    held = next(iter(call.values), None)
    if isinstance(held, Unknown) and is_option(held.symbol):
        return True
    known = isinstance(held, Const) and type(held.value) is int and not held.scale
    if isinstance(given[0], ir.Attr):
        return known and written_once(run, given[0].name)
    return isinstance(given[0], ir.Const) or (known and isinstance(given[0], ir.Name))


STILL = frozenset({"split", "phi", "op +", "op -", "item", "loaded", "file", "source", "time", "not"})


def told_by_a_checkpoint(event: Event, epochs: Loop) -> bool:
    """`sampler.set_epoch(start)` of the epoch at which the run goes on, as a file said it in front of this loop. A turn
    may count on what is an attribute."""
    call = event.extra["call"]
    held = next(iter(call.values), None)
    named = isinstance(call.node, ir.Call) and [type(one) for one in call.node.args] == [ir.Name]
    if not isinstance(held, Unknown) or not named:
        return False
    made_of = list(provenance.symbols_in(held.symbol))
    first, last = epochs.born
    inside = (one for one in made_of if one.key[-1] == "fresh" and first < one.key[1] <= last)
    return (
        any(one.key[0] == "loaded" for one in made_of)
        and all(one.key[0] in STILL for one in made_of)
        and next(inside, None) is None
    )


def written_once(run: Run, name: str) -> bool:
    """Is there one statement in all of the program that gives attributes of this name a value?"""
    trees = (run.project.module(path) for path in run.project.mentioning(name))
    nodes = (node for tree in trees for node in every_node(tree.body))
    written = [node for node in nodes if any(isinstance(one, ir.Attr) and one.name == name for one in targets_of(node))]
    return len(written) == 1


def targets_of(node: ir.Node) -> tuple[ir.Expr, ...]:
    if isinstance(node, ir.Assign):
        parts = (getattr(target, "items", (target,)) for target in node.targets)
        return tuple(one for part in parts for one in part)
    return (node.target,) if isinstance(node, ir.AugAssign | ir.AnnAssign | ir.For) else ()


def same_own_order_every_epoch(run: Run) -> Iterator[tuple[Site, Steps]]:
    """A sampler or data set of the program's own that has a `set_epoch`, which nobody calls."""
    seen = survey(run)
    for use in seen.training():
        loop = use.epoch_loop
        if loop is None or use.reduced is None or use.loader.facts.get("prepared"):
            continue
        if told_around(use, (*seen.of("own-set-epoch"), *seen.of("set-epoch"))):
            continue
        if any(use.told_within in path for _, path in (*seen.of("loader"), *seen.of("untold"))):
            continue
        held = [use.loader.attributes.get(name) for name in ("batch_sampler", "sampler", "dataset")]
        held.append(use.described.sampler)  # inside of a batch sampler
        waiting = next((one for one in held if isinstance(one, Object) and waits_for_epoch(run, one)), None)
        if waiting is not None:
            place = (loop.decision.path, loop.decision.at, loop.decision.function)
            made = step_at(place_of(waiting), "its order depends on the epoch it was told last")
            yield place, kept(made, step_at(place_of(use.loader), "the loader it feeds"))


def waits_for_epoch(run: Run, thing: Object) -> bool:
    """Does its `__iter__` ask for what its `set_epoch` sets, its own or that of torch's sampler?"""
    if not isinstance(thing.kind, ClassRef):
        return False
    told, walk_over = (classes.in_class(None, thing.kind, name) for name in (TOLD_EPOCH, "__iter__"))  # type: ignore[arg-type]
    if not isinstance(walk_over, FunctionRef) or not isinstance(walk_over.node, ir.Function):
        return False
    if isinstance(told, FunctionRef):
        names = set(assigned(told.node)) if isinstance(told.node, ir.Function) else set()
    else:
        names = {"epoch"} if shuffles_as_torch(run, thing) else set()
    walking = below(thing.kind, walk_over.node)
    counts = any(not names.isdisjoint(counted_on(method)) or method.name == TOLD_EPOCH for method in walking)
    return not counts and any(not names.isdisjoint(method.tokens) for method in walking)


def below(kind: ClassRef, function: ir.Function) -> list[ir.Function]:
    """A method, and those of its class that it may call."""
    found = [function]
    for one in found:  # grows
        for name in sorted(one.tokens):
            method = classes.in_class(None, kind, name)  # type: ignore[arg-type]
            node = method.node if isinstance(method, FunctionRef) else None
            if isinstance(node, ir.Function) and node not in found:
                found.append(node)
    return found


def shuffles_as_torch(run: Run, thing: Object) -> bool:
    """Was it made as torch's distributed sampler, one that may shuffle?"""
    made = (event.extra["call"] for event, _ in survey(run).of("sampler") if event.subject is thing)
    return any(call.row.name == samplers.DISTRIBUTED and call.get("shuffle") != FALSE for call in made)


def assigned(function: ir.Function) -> Iterator[str]:
    """The attributes that it gives a value."""
    for node in every_node(function.body):
        targets = node.targets if isinstance(node, ir.Assign) else ()
        yield from (target.name for target in targets if isinstance(target, ir.Attr))


def counted_on(function: ir.Function) -> Iterator[str]:
    """`self.epoch += 1`: the attributes that it makes of what they were. Whoever walks over it need not tell it."""
    for node in every_node(function.body):
        if isinstance(node, ir.AugAssign) and isinstance(node.target, ir.Attr):
            yield node.target.name
        elif isinstance(node, ir.Assign):
            read = {one.name for one in every_node(node.value) if isinstance(one, ir.Attr)}
            yield from (one.name for one in node.targets if isinstance(one, ir.Attr) and one.name in read)


def same_stream_every_epoch(run: Run) -> Iterator[tuple[Site, Steps]]:
    """A stream that is shuffled by `seed + epoch`, walked over again and again without being told the epoch."""
    seen = survey(run)
    for use in seen.training():
        loop, dataset = use.epoch_loop, use.loader.attributes.get("dataset", use.loader)
        if loop is None or not isinstance(dataset, Object) or "shuffled" not in dataset.facts:
            continue
        made = dataset.facts.get("call")
        if made is None or not is_true(made.get("streaming")):
            continue
        if use.loader.facts.get("prepared") or use.reduced is None:
            continue
        if loop.decision.endless:
            continue  # who counts steps and no epochs may never come to the end of a stream
        told = [(event, path) for event, path in seen.of("set-epoch") if may_be_of(event.subject, dataset)]
        if told_around(use, told):
            continue
        if any(use.told_within in path for _, path in (*seen.of("shuffle"), *seen.of("loader"))):
            continue
        place = (loop.decision.path, loop.decision.at, loop.decision.function)
        shuffled = step_at(dataset.facts["shuffled"], "the stream shuffles by `seed + epoch`")
        yield place, kept(shuffled, step_at(place_of(use.loader), "the loader it feeds"))


def may_be_of(told: Value | None, dataset: Object) -> bool:
    """Every step makes a stream of its own: telling the one it was made of does not reach the one that is read."""
    if not isinstance(told, Object) or told.kind != dataset.kind or "shuffled" not in told.facts:
        return True
    return dataset in (told, *told.instead)


def counts_steps(sampler: Object) -> bool:
    """Is it made for jobs that know steps and no epochs?"""
    call = sampler.facts.get("call")
    return isinstance(call, Invocation) and bool(call.row.extra.get("steps"))


def fixed_seed(sampler: Object) -> bool:
    """Has a sampler that is made again in every epoch the same seed again?"""
    call = sampler.facts.get("call")
    seed = call.get("seed") if call is not None else None
    return seed is None or isinstance(seed, Const)


def concerns(run: Run, subject: Value | None, sampler: Object, loader: Object) -> bool:
    """May this `set_epoch` reach the sampler?"""
    if isinstance(subject, Unknown) and subject == loader.attributes.get("dataset"):
        return False  # data that somebody else's code holds: it knows nothing of the sampler
    if not isinstance(subject, Object) or not isinstance(subject.kind, str):
        return True
    if sampler in (subject, *subject.instead) or loader in (subject, *subject.instead):
        return True
    if sampler in held_by(subject) or loader_of(subject) is loader:
        return True
    loaders = run.facts.get("loaders", {}).values()
    return any(loader in one.instead and subject in held_by(one) for one in loaders)


def held_by(loader: Object) -> tuple[Value | None, ...]:
    return tuple(loader.attributes.get(name) for name in ("sampler", "dataset", "batch_sampler"))
