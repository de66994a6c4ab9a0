"""Which loader feeds which loop, and what does the loop do with it? One walk over the log answers for every rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import Any

from dtlint.findings import Span, Step
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.computing.tensors import method_of
from dtlint.machine.library.feeding.loader_options import LOADER, Described
from dtlint.machine.library.feeding.loaders import inside_of
from dtlint.machine.library.feeding.own_rows import ALONG
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.training.own_gradients import GRADIENT
from dtlint.machine.logs import Attempt, Call, Choice, Event, LogNode, Loop, Site, plain_question
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.arrays import lives
from dtlint.timeline.ranks.joining import waited_for
from dtlint.timeline.steps.anew import trains_anew

Path = tuple[LogNode, ...]
DRY = "StopIteration"
REDUCES = frozenset({"all_reduce", "reduce_scatter", "all_reduce_coalesced", "allreduce", "reduce"})


@dataclass(slots=True)
class Use:
    """One loop over a loader (or one place that takes batches from it)."""

    loader: Object
    loop: Loop | None
    above: Path
    backward: Event | None = None
    reduced: Event | None = None  # gradients are made equal over ranks
    collective: Event | None = None
    no_grad: bool = False
    leaves: bool = False  # a break or return that all ranks take together
    begun: Path = ()  # what is around `iter(loader)`, where batches are asked for by hand

    @property
    def described(self) -> Described:
        found = self.loader.facts.get("described")
        return found if isinstance(found, Described) else Described()

    @property
    def epoch_loop(self) -> Loop | None:
        """The loop that walks over the loader again and again."""
        for node in reversed(self.begun if self.loop is None else self.above):
            if self.loop is None and isinstance(node, Choice):
                return None  # begun anew only now and then
            if isinstance(node, Loop) and loader_of(node.subject) is None:
                trip = node.trip
                if (isinstance(trip, Const) and trip.value in (0, 1)) or trains_anew(node):
                    return None
                return node
        return None

    @property
    def told_within(self) -> Loop | None:
        """The loop whose turns may say which epoch it is; whoever asks for batches by hand may do so in any around."""
        if self.loop is None and self.epoch_loop is not None:
            return next((node for node in self.above if isinstance(node, Loop)), None)
        return self.epoch_loop


@dataclass(slots=True)
class PartLoop:
    """A loop over a part of the data that is not equally long on all ranks."""

    loop: Loop
    above: Path
    talks: Event | None = None  # a step of the wrapped model, or a reduction of gradients
    leaves: bool = False  # at a question that all ranks answer alike, or for where they wait for each other


@dataclass(slots=True)
class Survey:
    uses: list[Use] = field(default_factory=list)
    parts: list[PartLoop] = field(default_factory=list)
    records: dict[str, list[tuple[Event, Path]]] = field(default_factory=dict)
    collectives: list[tuple[Event, Path]] = field(default_factory=list)
    gradients: list[Event] = field(default_factory=list)  # gradients combined over a mapped axis
    ordered: list[tuple[Loop, tuple[Any, ...]]] = field(default_factory=list)  # loops over parts of an unshared order

    def of(self, op: str) -> list[tuple[Event, Path]]:
        return self.records.get(op, [])

    def training(self) -> list[Use]:
        return [use for use in self.uses if use.backward is not None]


def survey(run: Run) -> Survey:
    found = run.cache.get("survey")
    if not isinstance(found, Survey):
        found = run.cache["survey"] = made(run)
    return found


def made(run: Run) -> Survey:
    result = Survey()
    by_loop: dict[int, list[Use]] = {}
    by_part: dict[int, PartLoop] = {}
    loaders: dict[int, Object] = run.facts.get("loaders", {})
    for node, path in run.walk():
        if isinstance(node, Loop):
            loader = loader_of(node.subject)
            if node.cause is not None and node.cause.kind in ("shard", "last batch"):
                part = by_part[id(node)] = PartLoop(node, path, leaves=waited_for(run, (*path, node), node.mask))
                result.parts.append(part)
            elif loader is None and node.subject is not None:
                result.ordered.extend((node, mark) for mark in unshared(node.subject))
            if loader is not None:
                uses = by_loop[id(node)] = [Use(one, node, path) for one in loaders_of(node.subject)]
                result.uses.extend(uses)
        elif isinstance(node, Choice):
            if node.cause is None and ("break" in node.exits or "return" in node.exits):
                for inner in left_by(node, path):
                    for use in by_loop.get(id(inner), ()):
                        use.leaves = True
                    if id(inner) in by_part:
                        by_part[id(inner)].leaves = True
        elif isinstance(node, Event):
            for one in path if by_part else ():
                part_of = by_part.get(id(one))
                if part_of is not None and part_of.talks is None and node.kind == "collective" and combines(node):
                    part_of.talks = node
            note(result, by_loop, loaders, node, path)
    leave_out_one_process(run, result)
    return result


def left_by(choice: Choice, path: Path) -> list[Loop]:
    """The loops that a side of this branch leaves: the one it is in, all of its function if it returns, and where a
    generator is walked, those in which the generator turns."""
    own = (choice.decision.path, choice.decision.function)
    walked = [number for number, node in enumerate(path) if isinstance(node, Call) and (node.path, node.caller) == own]
    inside = [node for node in path[walked[-1] :] if isinstance(node, Loop)] if walked else []
    around = [node for node in path if isinstance(node, Loop) and (node.decision.path, node.decision.function) == own]
    return inside + around if "return" in choice.exits else inside or around[-1:]


def leave_out_one_process(run: Run, seen: Survey) -> None:
    """On the other side of a branch than every start of a group there is one process. A wrapper that is asked for there
    as well would raise: nobody means it."""
    nobody = evidence.without_a_group(run)
    for use in seen.uses:
        if nobody or (use.reduced is not None and alone_there(seen, use.reduced, use.above)):
            use.reduced = use.collective = None
    seen.collectives = [(event, path) for event, path in seen.collectives if not alone_there(seen, event, path)]


def alone_there(seen: Survey, event: Event, path: Path) -> bool:
    """Is this on the other side of a branch than every start of a group?"""
    starts = [lives.Use(lives.NOTHING, start, above) for start, above in seen.of("init") if not evidence.of_one(start)]
    return lives.across(lives.Use(lives.NOTHING, event, path), starts)


def note(result: Survey, by_loop: dict[int, list[Use]], loaders: dict[int, Object], event: Event, path: Path) -> None:
    if event.kind == "record":
        result.records.setdefault(event.op, []).append((event, path))
    if event.kind == "collective":
        result.collectives.append((event, path))
    if event.kind == "device-collective" and isinstance(event.subject, Value):
        if any(tag[1:2] == ("grad",) for tag in provenance.marks(event.subject, "jax", 2)):
            result.gradients.append(event)
    if event.kind not in ("collective", "p2p", "step"):
        return
    around = [use for node in path if isinstance(node, Loop) for use in by_loop.get(id(node), ())]
    if event.op == "backward" and not around:
        around = taken_from(result, loaders, event, path)
    for use in around:
        if event.kind in ("collective", "p2p") and use.collective is None:
            use.collective = event
        if event.op == "backward":
            use.backward = use.backward or event
            if event.group is not None:  # also inside `Join`, where nobody waits for those that have no data left
                use.reduced = use.reduced or event
        elif (event.op in REDUCES and is_gradient(event.extra.get("tensor"))) or combines_all(event):
            use.reduced = use.reduced or event


def taken_from(result: Survey, loaders: dict[int, Object], event: Event, path: Path) -> list[Use]:
    """The loaders a loss was computed from, where no loop walks over them: `batch = next(batches)`."""
    found = []
    subject = event.extra.get("tensor") or event.extra.get("loss") or event.subject
    for mark in provenance.marks(subject, "loader", 2) if isinstance(subject, Value) else ():
        loader = loaders.get(mark[1])
        if loader is None:
            continue
        use = next((one for one in result.uses if one.loader is loader and around(one, path)), None)
        if use is None:
            use = Use(loader, None, path, begun=begun(result, loader, path))
            result.uses.append(use)
        found.append(use)
    return found


def begun(result: Survey, loader: Object, path: Path) -> Path:
    """What is around the `iter(loader)` that this turn takes its batches from. A loop that begins anew and takes no
    more than a batch is none of epochs."""
    events = [(event, above) for event, above in result.of("iterator-made") if event.subject is loader]
    made = [above for _, above in events]
    turns = [node for node in path if isinstance(node, Loop)]
    walked = in_generator(result, loader, turns) if turns else ()
    if walked or not made:
        return walked
    if turns and any(turns[-1] in above and when_dry(event, above) for event, above in events):
        return tuple(turns)
    if not made or not turns or any(node is turns[-1] for node in made[-1]):
        return ()
    return tuple(node for node in made[-1] if isinstance(node, Choice) or any(node is one for one in path))


def when_dry(event: Event, above: Path) -> bool:
    """Does it happen where an iterator has run dry? `except StopIteration: batches = iter(loader)`, where there is no
    next batch, or after so many steps."""
    below = (*above[1:], event)
    return any(
        (isinstance(node, Attempt) and caught(node, inner)) or (isinstance(node, Choice) and asks_for_more(node.symbol))
        for node, inner in zip(above, below, strict=True)
    )


def caught(attempt: Attempt, inner: LogNode) -> bool:
    """Is it done where a batch that was asked for is not there, whatever is caught?"""
    handlers = [one for one in attempt.handlers if inner in one.log.nodes]
    taken = any(isinstance(one, Event) and one.op == "batch-taken" for one, _ in walk(attempt.body))
    return any(DRY in one.types for one in handlers) or bool(handlers and taken)


def asks_for_more(symbol: Any) -> bool:
    """`batch is None` after `next(batches, None)`; `step % len(loader) == 0`"""
    asked, _ = plain_question(symbol)
    key = asked.key if isinstance(asked, Symbol) else ("",)
    inner = key[1].key[0] if len(key) > 1 and isinstance(key[1], Symbol) else ""
    return (key[0], inner) in (("is none", "next"), ("compare ==", "op %"))


def in_generator(result: Survey, loader: Object, turns: Sequence[LogNode]) -> Path:
    """What is around the walk over the loader in a generator that every turn asks for its next batch."""
    for use in result.uses:
        inside = all(any(turn is one for one in use.above) for turn in turns)
        if use.loop is None or use.loader is not loader or not inside:
            continue
        inner = use.above[max(number for number, one in enumerate(use.above) if one is turns[-1]) + 1 :]
        below = tuple(dropwhile(lambda one: isinstance(one, Choice), inner))  # asked for on one side of a branch
        if below and isinstance(below[0], Call):
            return below
    return ()


def unshared(subject: Value) -> list[tuple[Any, ...]]:
    """Marks of an order that ranks do not share, on a list that was cut by rank."""
    for held in provenance.parts(subject, 1):
        if held.tags:
            found = provenance.marks(held, "ordered", 0)
            if found:
                return found
            if held.cause is not None and held.cause.kind in ("rank", "shard") and "uneven" in held.tags:
                return provenance.marks(held, "order", 0)
    return []


def around(use: Use, path: Path) -> bool:
    """Is this the walk over the loader that the path's turn belongs to? A generator of the project may make it."""
    return use.loop is None or all(any(node is one for one in path) for node in use.above if isinstance(node, Loop))


def combines(event: Event) -> bool:
    return event.implicit or (event.op in REDUCES and is_gradient(event.extra.get("tensor")))


def combines_all(event: Event) -> bool:
    """An optimizer that reduces the gradients of a model before it steps."""
    call = event.extra.get("call")
    return isinstance(call, Invocation) and bool(call.row.extra.get("combines_gradients"))


def is_gradient(value: Any) -> bool:
    if not isinstance(value, Value) or not provenance.has_mark(value, GRADIENT[0], 2):
        return False
    return not isinstance(value, Unknown) or not is_number_of(value.symbol)


def is_number_of(symbol: Symbol) -> bool:
    """A norm, or another number that was made of gradients: who reduces it leaves them as they are."""
    todo, seen = [symbol], set[Symbol]()
    while todo:
        one = todo.pop()
        if one in seen or (one.key[0] == "attr" and one.key[-1] == "grad"):
            continue  # what the gradient itself was made of is another matter
        seen.add(one)
        method = method_of(one)
        if method is not None and method[1] in ALONG:
            return True
        todo.extend(() if str(one.key[0]).endswith("grad") else provenance.inner_symbols(one.key))
    return False


def loader_of(value: Value | None) -> Object | None:
    """The loader under `enumerate`, `zip`, `islice` and the like."""
    depth = 0
    while isinstance(value, Object) and depth < 5:
        depth += 1
        value = inside_of(value)
        if value.kind == LOADER or value.facts.get("loader") or "described" in value.facts or is_pipeline(value):
            return value
        inner = value.facts.get("inner") or ()
        if value.kind == "<zip>" and len(inner) > 1:
            return next((found for one in inner if (found := loader_of(one)) is not None), None)
        value = inner[0] if inner else None
    return None


def loaders_of(value: Value | None) -> list[Object]:
    """All of them, where a loop walks over several at once: `zip(labelled, unlabelled)`."""
    held = value
    while isinstance(held, Object) and held.kind == "<enumerate>" and held.facts.get("inner"):
        held = held.facts["inner"][0]
    several = held.facts.get("inner", ()) if isinstance(held, Object) and held.kind == "<zip>" else (value,)
    found = [one for one in map(loader_of, several) if one is not None and "described" in one.facts]
    first = loader_of(value)
    return found if first is None or first in found else [first, *found]


def is_pipeline(value: Object) -> bool:
    return isinstance(value.kind, str) and value.kind.startswith(("datasets.", "tensorflow.data.", "webdataset."))


# --- places ----------------------------------------------------------------------------------------------------


def place_of(thing: Object) -> Site:
    """Where the object was made: path, exact place, function."""
    held = thing.facts.get("at")
    if held is not None:
        return held
    return (thing.path, thing.at or (1, 1, 1, 1), "")


def span_at(place: Site) -> Span:
    return Span(place[0], *place[1])


def step_at(place: Site, text: str) -> Step:
    return Step(place[0], place[1][0], text)


def spoken_training(use: Use) -> Step | None:
    event = use.reduced or use.backward
    if event is None:
        return None
    text = (
        "the gradients of all ranks are combined here" if use.reduced is not None else "the model learns from it here"
    )
    return Step.of(event, text)
