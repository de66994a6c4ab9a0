"""Which numbers are told as if they were everybody's, though they come from one rank's data?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from dtlint.findings import Step
from dtlint.machine.contents.dictionaries import entries
from dtlint.machine.contents.presence import part_of
from dtlint.machine.control.agreeing import AGREED
from dtlint.machine.library.computing.marks import deep_tags
from dtlint.machine.library.computing.metrics import OWN_COUNTS, held_in, told_to_one
from dtlint.machine.library.computing.provenance import inner_symbols, symbols_in
from dtlint.machine.library.feeding import cut_shares
from dtlint.machine.library.feeding.loader_options import Described
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax.facts import LEARNED
from dtlint.machine.library.meeting.evidence import asks, evidence
from dtlint.machine.library.training.stepping import ANSWERED
from dtlint.machine.library.training.wrapping import ALONE
from dtlint.machine.logs import Call, Choice, Event, LogNode, Loop
from dtlint.machine.names.subscripts import PRESETS
from dtlint.machine.run import Run
from dtlint.machine.values import NONE, Cause, Const, ModuleRef, Object, Symbol, Tuple, Unknown, Value
from dtlint.timeline.options import usual
from dtlint.timeline.places.put_together import put_together
from dtlint.timeline.ranks.obeying import was_told
from dtlint.timeline.records import calls_around, recorded
from dtlint.timeline.samples.given_by_hosts import given_by_hosts
from dtlint.timeline.steps.kinds import asks_kind
from dtlint.timeline.steps.training import alone_there, survey
from dtlint.timeline.symbols import constant, denominators, what_counts

EVALUATION = ("validation_step", "test_step", "on_validation_epoch_end", "on_test_epoch_end", "validation_epoch_end")
SUMS = frozenset({"all_reduce"})


@dataclass(frozen=True, slots=True)
class LocalMetric:
    """`kind`: shown, decides, steers, lightning, twice or means."""

    kind: str
    event: Event
    steps: tuple[Step, ...] = ()  # where the number comes from
    further: tuple[Step, ...] = ()  # where else it is told
    tier: str = "default"


def local_metrics(run: Run) -> Iterator[LocalMetric]:
    yield from evaluated(run)
    yield from of_cut_shares(run)
    yield from lightning(run)
    yield from reduced_twice(run)
    yield from handed_on(run)
    yield from means_of_means(run)


def evaluated(run: Run) -> Iterator[LocalMetric]:
    """Results of a loader that only evaluates (training losses are shown per rank everywhere), and whatever steers the
    schedule of a rank."""
    if not evidence(run).at_least("strong"):
        return
    trained = learned_with(run)
    if not trained and learns_unseen(run):
        return
    found: dict[frozenset[int], list[LocalMetric]] = {}  # one number, whatever is done with it
    for event, path in recorded(run, "metric-shown", "metric-decides", "metric-steers"):
        loaders = event.extra["loaders"]
        learns = bool(loaders & trained) or inside(run, path, loaders)
        if (learns and event.op != "metric-steers") or off_root(event) or of_everybody(run, loaders):
            continue
        if event.op == "metric-decides" and about_its_kind(event):
            continue
        if (not trained and not answered(event)) or of_one_answer(event) or alone_there(survey(run), event, path):
            continue
        steps = (*trail(event), *handed_to(event, path))
        found.setdefault(loaders, []).append(LocalMetric(event.op.removeprefix("metric-"), event, steps))
    for event, path in recorded(run, "metric-asked") if trained else ():
        loaders = event.extra["loaders"]
        others = loaders & trained or inside(run, path, loaders) or of_everybody(run, loaders) or about_its_kind(event)
        written = None if others else written_by_one(run, event)
        if written is not None:
            step = Step.of(written, "only some ranks write then")
            found.setdefault(loaders, []).append(LocalMetric("decides", event, (step,)))
    for loaders, (first, *more) in found.items():
        used = also_told(one.event for one in more)
        tier = "strict" if put_together(run, loaders, first.event) else "default"
        yield replace(first, further=used, tier=tier)


def also_told(events: Iterable[Event]) -> tuple[Step, ...]:
    return tuple(Step.of(event, "and used here as well") for event in events)


def about_its_kind(event: Event) -> bool:
    """`if type(record) == str`: what sort of thing was computed, and not how large it is."""
    return any(isinstance(value, Unknown) and asks_kind(value.symbol) for value in event.extra["values"])


def losses(run: Run) -> list[Value | None]:
    """What the program learns from: it is differentiated, or handed to an engine or a trainer that does so."""
    handed = (event.extra.get("call") for event, _ in recorded(run, "backward"))
    given = [call.get("loss") for call in handed if isinstance(call, Invocation)]
    told = [part for event, _ in recorded(run, "loss") for part in alternatives(event.subject)]
    return [*(event.subject for event, _ in recorded(run, "<step>")), *given, *told]


def alternatives(value: Value | None) -> Iterator[Value]:
    """`return (loss, outputs) if whole else loss`"""
    if isinstance(value, Tuple):
        yield from value.items[:1]
    elif value is not None:
        yield value
        like = value.like if isinstance(value, Unknown) else None
        yield from alternatives(like) if isinstance(like, Tuple) else ()


def learned_with(run: Run) -> set[int]:
    return {tag[1] for value in losses(run) for tag in tags_of(value)}


def of_cut_shares(run: Run) -> Iterator[LocalMetric]:
    """Means over a part of the samples that each rank has cut for itself. In a program that trains it takes marks to
    show that these are not what it trains with."""
    shown = list(recorded(run, cut_shares.SHOWN))
    if not shown or not evidence(run).at_least("strong"):
        return
    learned = losses(run)
    fed = [value for value, _ in given_by_hosts(run)]
    used = {tag for value in (*learned, *fed) if value is not None for tag in deep_tags((value,))}
    seen = bool(fed) or any(tags_of(value) for value in learned)
    trains = bool(learned) or learns_unseen(run) or bool(run.facts.get(LEARNED))
    found: dict[object, list[Event]] = {}
    for event, _ in shown:
        cuts = event.extra["cuts"]
        if trains and (not seen or not cuts or cuts & used):
            continue
        found.setdefault(cuts or parted_at(event.extra["value"]), []).append(event)
    for first, *more in found.values():
        cause = first.extra["value"].cause
        cut = cause.steps() if cause is not None else cut_here(first.extra["cuts"])
        yield LocalMetric("shown", first, tuple(cut), also_told(more))


def parted_at(value: Unknown) -> object:
    """One number may be told in several forms; where ranks came apart over it is the same for all of them."""
    steps = value.cause.steps() if value.cause is not None else ()
    return (steps[0].path, steps[0].line) if steps else value.symbol


def cut_here(cuts: frozenset[tuple[str, str, tuple[int, ...], str]]) -> tuple[Step, ...]:
    places = sorted((path, at[0]) for _, path, at, *_ in cuts)
    return tuple(Step(path, line, "each rank takes its own part here") for path, line in places[:1])


def learns_unseen(run: Run) -> bool:
    """Is there something to train with, though nobody was seen to do it? What is shown may be a loss of that."""
    if run.entry.kind != "script":
        return True
    fits = any(event.op == "fit" for event, _ in recorded(run, "<collective>"))
    return fits or any(True for _ in recorded(run, "optimizer", "optimizer-step"))


def answered(event: Event) -> bool:
    """A program that only evaluates: is it what a model said, rather than how many samples there were?"""
    call = event.extra.get("call")
    tags = deep_tags(call.values) if isinstance(call, Invocation) else ()
    return any(isinstance(tag, tuple) and tag[0] in ANSWERED for tag in tags)


def of_one_answer(event: Event) -> bool:
    """`print(output.mean(), output.std())` behind the loop: a look at what the model has said of the last batch, which
    was compared with nothing and is no figure of the data."""
    call = event.extra.get("call")
    if event.op != "metric-shown" or not isinstance(call, Invocation):
        return False
    own = [value for value in call.values if value.cause is not None and value.cause.kind == "data"]
    return bool(own) and all(isinstance(one, Unknown) and part_of(one.symbol).key[0] == "output" for one in own)


def of_everybody(run: Run, loaders: frozenset[int]) -> bool:
    """Loaders of which nobody else has another part: those that only some ranks make, unless a sampler says so, and
    those whose batches are not known to differ, or in something else than who has which part."""
    made: dict[int, Object] = run.facts.get("loaders", {})
    held = [made[number] for number in loaders if number in made]
    return len(held) == len(loaders) and all(
        (one.birth != run.world.full and one.attributes.get("sampler") == NONE) or gives_all(one) for one in held
    )


def gives_all(loader: Object) -> bool:
    known = loader.facts.get("described")
    return isinstance(known, Described) and (known.whole or known.gives != "differs")


def written_by_one(run: Run, asked: Event) -> Event | None:
    """What is written by some ranks only under this decision that each rank takes for itself, or later, of what it has
    chosen: `if score > best: kept = copy.deepcopy(state)`."""
    for event, path in recorded(run, "file-write"):
        under = any(
            isinstance(node, Choice) and (node.decision.path, node.decision.at[0]) == (asked.path, asked.at[0])
            for node in path
        )
        if event.mask != run.world.full and (under or writes_chosen(event, asked)):
            return event
    return None


def writes_chosen(event: Event, asked: Event) -> bool:
    call = event.extra.get("call")
    held = held_in(call.values) if isinstance(call, Invocation) else ()
    questions = [value.symbol for value in asked.extra["values"]]
    return any(
        isinstance(one, Unknown) and one.symbol.key[0] == "split" and one.symbol.key[1] in questions for one in held
    )


def off_root(event: Event) -> bool:
    """What a reduction left on the other ranks is another question."""
    call = event.extra.get("call")
    values = call.values if isinstance(call, Invocation) else ()
    own = [value for value in held_in(values) if value.cause is not None and value.cause.kind == "data"]
    return any(told_to_one(value) for value in values) or (bool(own) and all(told_to_one(value) for value in own))


def tags_of(value: Value | None) -> list[tuple[str, int]]:
    held = value.attributes.get("content", value) if isinstance(value, Object) else value
    tags = held.tags if held is not None else ()
    return [tag for tag in tags if isinstance(tag, tuple) and tag[0] == "loader"]


def inside(run: Run, path: tuple[LogNode, ...], loaders: frozenset[int]) -> bool:
    """In the loop over the loader, or in the turn that takes a batch from it: what is shown there is one batch's
    number."""
    loops = [node for node in path if isinstance(node, Loop)]
    return any(number_in(node.subject) & loaders for node in loops) or any(
        number_in(taken.subject) & loaders and any(node is turn for node in loops)
        for taken, above in (recorded(run, "batch-taken") if loops else ())
        if (turn := next((node for node in reversed(above) if isinstance(node, Loop)), None)) is not None
    )


def number_in(value: Value | None) -> frozenset[int]:
    if not isinstance(value, Object):
        return frozenset()
    inner = value.facts.get("inner") or ()
    return frozenset({value.number}).union(*(number_in(one) for one in inner))


def trail(event: Event) -> tuple[Step, ...]:
    call = event.extra.get("call")
    values = call.values if isinstance(call, Invocation) else event.extra.get("values", ())
    cause = next((value.cause for value in values if value.cause is not None), None)
    return cause.steps() if cause is not None else ()


def handed_to(event: Event, path: tuple[LogNode, ...]) -> tuple[Step, ...]:
    """`say(f"accuracy {accuracy}")`: who calls a helper to show it knows what the number is."""
    made, call = trail(event)[-1:], calls_around(event, path)[-1:]
    if not made or not call or made[0].path != call[0].path:
        return ()
    last, asked, told = made[0].line, call[0].at[0], event.at[0]
    if last > asked or (event.path == made[0].path and last <= told <= asked):
        return ()  # made in the function that shows it
    return (Step(call[0].path, asked, f"calls `{call[0].function}`"),)


ALIKE = ("turn", "same", "kind")  # symbol: an attribute of a library that all ranks have alike


def of_all_ranks(value: Unknown) -> bool:
    """`float(self.trainer.current_epoch + 1)`: made of nothing but numbers that all ranks have."""
    beginnings = [one for one in symbols_in(value.symbol) if next(inner_symbols(one.key), None) is None]
    return value.cause is None and all(one.key[0] in ALIKE for one in beginnings)


def lightning(run: Run) -> Iterator[LocalMetric]:
    """`self.log` of an evaluation hook without `sync_dist`, in a program whose Trainer runs several processes."""
    found = [event for event, path in recorded(run, "log") if evaluates(event, path)]
    if not found or not several_processes(run):
        return
    for event in found:
        call = event.extra.get("call")
        if not isinstance(call, Invocation) or "sync_dist" not in call.row.params:
            continue
        given = call.get("sync_dist")
        if given is not None and not (isinstance(given, Const) and given.value is False):
            continue
        if any(name is None for name, _ in call.keywords) or all(map(is_everybodys, logged(call))):
            continue
        zero = call.get("rank_zero_only")
        if zero is None:
            yield LocalMetric("lightning", event)


def evaluates(event: Event, path: tuple[LogNode, ...]) -> bool:
    """In the hook itself, or in a step that the hooks share: `self._step(batch, "val")`."""
    around = (event.function, *(call.function for call in calls_around(event, path)))
    return any(function.rpartition(".")[2] in EVALUATION for function in around)


def logged(call: Invocation) -> tuple[Value | None, ...]:
    """`self.log(name, value)`, or all of `self.log_dict({name: value})`"""
    table = call.get("dictionary")
    if table is None:
        return (call.get("value"),)
    return tuple(value for _, value in entries(table)) if isinstance(table, Object) and table.kind == "dict" else ()


def is_everybodys(value: Value | None) -> bool:
    """A metric object is reduced by itself."""
    if isinstance(value, Unknown):
        return was_told(value.symbol) or of_all_ranks(value)
    return isinstance(value, Object | ModuleRef | Const)


COUNTS = ("devices", "num_nodes")
ALL_DEVICES = -1  # whoever asks as well which rank it is expects several of them


def several_processes(run: Run) -> bool:
    for event, _ in recorded(run, "<collective>"):
        facts = event.subject.facts if isinstance(event.subject, Object) else {}
        call = facts.get("call")
        if event.op in ("fit", "validate", "test") and isinstance(call, Invocation) and not facts.get(ALONE):
            named = (call.get("strategy"), call.get("accelerator"))  # `accelerator="ddp"` is what it was called once
            if any(is_of_several(one) for value in named for one in may_be(run, value)):
                return True
            counts = [one.value for name in COUNTS for one in may_be(run, call.get(name)) if isinstance(one, Const)]
            if any(isinstance(one, int) and one > 1 for one in counts):
                return True
            if ALL_DEVICES in counts and asks(run) is not None:
                return True
    return False


def may_be(run: Run, value: Value | None) -> tuple[Value, ...]:
    """The value, the default of the option that it is, or all that `{"one": "auto", "many": "ddp"}[option]` and
    `"auto" if options.debug else "ddp"` offer."""
    told = usual(run, value)
    if isinstance(told, Unknown) and told.cause is None and told.symbol.key[0] == "phi":
        return tuple(Const(side) for side in told.symbol.key[2:] if isinstance(side, str | int))
    if isinstance(told, Unknown):
        return tuple(run.facts.get(PRESETS, {}).get(told.symbol, ()))
    return (told,) if told is not None else ()


def is_of_several(strategy: Value) -> bool:
    """`"ddp_spawn"`, `FSDPStrategy(…)`"""
    name = strategy.value if isinstance(strategy, Const) else getattr(strategy, "kind", None)
    return isinstance(name, str) and name.rpartition(".")[2].lower().startswith(("ddp", "fsdp", "deepspeed"))


def reduced_twice(run: Run) -> Iterator[LocalMetric]:
    """A running total is summed over the ranks in every turn: what was summed before is summed again."""
    grown = [(event, path) for event, path in recorded(run, "grown")]
    if not grown:
        return
    emptied = {(loop_of(path), event.subject.number) for event, path in recorded(run, "emptied")}  # type: ignore[union-attr]
    for event, path in recorded(run, "<collective>"):
        tensor = event.extra.get("tensor")
        loop = loop_of(path)
        if event.op not in SUMS or loop is None or not isinstance(tensor, Object) or averaged(event):
            continue
        if not in_place(event):
            continue  # the total itself stays what it was
        if (loop, tensor.number) in emptied or made_inside(tensor, path) or ended_by(event, path):
            continue
        add = next((one for one, way in grown if one.subject is tensor and loop_of(way) == loop), None)
        if add is not None:
            yield LocalMetric("twice", event, (Step.of(add, "added up over the turns"),))


def handed_on(run: Run) -> Iterator[LocalMetric]:
    """`total = all_reduce(total + own)`: the sum over the ranks goes into the next turn, whoever made it on the way."""
    loops = (node for node, _ in run.walk() if isinstance(node, Loop) and node.carried)
    sums = [
        (before, after.symbol, loop)
        for loop in loops
        for before, after in loop.carried.items()
        if isinstance(after, Unknown) and after.symbol.key[0] == AGREED
    ]
    for event, path in recorded(run, "<collective>") if sums else ():
        held = event.extra.get("held")
        if event.op not in SUMS or not isinstance(held, Unknown) or averaged(event):
            continue
        for before, after, loop in sums:
            summed = loop in path and held.symbol in after.key and is_added(before, held.symbol)
            if summed and not ended_by(event, path):
                step = Step.of(loop.decision, "what is summed goes on into the next turn")
                yield LocalMetric("twice", event, (step,))
                break


def is_added(part: Symbol, total: Symbol) -> bool:
    """`total + own`, `own + more + total`"""
    word, *parts = total.key
    return word == "op +" and any(one == part or (isinstance(one, Symbol) and is_added(part, one)) for one in parts)


def ended_by(event: Event, path: tuple[LogNode, ...]) -> bool:
    """`all_reduce(stopped)`, `if stopped > 0: break`: as long as the loop turns, what was summed before is nothing."""
    held = event.extra.get("held")
    loop = next(node for node in reversed(path) if isinstance(node, Loop))
    asked = (node for node in loop.body.nodes if isinstance(node, Choice) and node.exits[0] in ("break", "return"))
    return isinstance(held, Unknown) and any(is_more_than_nothing(choice.symbol, held.symbol) for choice in asked)


def is_more_than_nothing(question: Symbol | None, counted: Symbol) -> bool:
    """`if total:`, `total > 0`, `total != 0`, `total >= 1`"""
    if question is None:
        return False
    word, *parts = question.key
    if word == "not" and isinstance(parts[0], Symbol) and parts[0].key[0] == "compare ==":
        word, parts = "compare !=", list(parts[0].key[1:])
    whole = parts[0] if word in MORE and len(parts) == 2 and constant(parts[1]) in MORE[word] else question
    return isinstance(whole, Symbol) and whole.key[:2] == (AGREED, counted)


MORE = {"compare >": (0, 0.0), "compare !=": (0, 0.0), "compare >=": (1, 1.0)}


def means_of_means(run: Run) -> Iterator[LocalMetric]:
    """Each rank divides by its own count, the counts differ, and then the quotients are averaged."""
    counts: dict[Symbol, Cause] = run.facts.get(OWN_COUNTS, {})
    counted = {what_counts(symbol): cause for symbol, cause in counts.items()}
    trained = learned_with(run) if counts else set()
    for event, path in recorded(run, "<collective>") if counts else ():
        held = event.extra.get("held")
        if event.op not in SUMS or not isinstance(held, Unknown):
            continue
        causes = [counted.get(what_counts(one)) for one in denominators(held.symbol)]
        cause = causes[0] if causes and None not in causes else None
        if cause is not None and told_by_model(held, trained) and not learns(run, path):
            yield LocalMetric("means", event, cause.steps())


def told_by_model(held: Unknown, trained: set[int]) -> bool:
    """A number that a model gave, of other data than those it learns from."""
    tags = [tag for tag in held.tags if isinstance(tag, tuple)]
    return any(tag[0] in ANSWERED for tag in tags) and not any(tag[0] == "loader" and tag[1] in trained for tag in tags)


def learns(run: Run, path: tuple[LogNode, ...]) -> bool:
    """Is there a step of training in the function that this belongs to? Losses are divided in ways of their own."""
    call = call_of(path)
    return any(call is None or call in above for _, above in recorded(run, "<step>"))


def call_of(path: tuple[LogNode, ...]) -> Call | None:
    return next((node for node in reversed(path) if isinstance(node, Call)), None)


def in_place(event: Event) -> bool:
    call = event.extra.get("call")
    return not isinstance(call, Invocation) or bool(call.row.same)


def averaged(event: Event) -> bool:
    op = dict(event.details).get("op")
    return op is not None and getattr(op, "name", "").rpartition(".")[2] in ("AVG", "MAX", "MIN")


def loop_of(path: tuple[LogNode, ...]) -> int | None:
    return next((id(node.decision) for node in reversed(path) if isinstance(node, Loop)), None)


def made_inside(tensor: Object, path: tuple[LogNode, ...]) -> bool:
    loop = next(node for node in reversed(path) if isinstance(node, Loop))
    if 0 < loop.objects < tensor.number:
        return True
    decision = loop.decision
    if tensor.at is None or tensor.path != decision.path:
        return loop.objects == 0  # else it is older than the loop
    return tensor.at[0] >= decision.at[0]
