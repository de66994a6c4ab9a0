"""What did the JAX rooms of the machine note, in which order, and at which line would an author edit?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import and_
from typing import Any

from dtlint.findings import Span, Step
from dtlint.ir import nodes as ir
from dtlint.ir.ways import way_to
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.jax.checkpoints import SAVED_INTO
from dtlint.machine.library.jax.copies import ONE_HOST
from dtlint.machine.library.jax.facts import READ_BACK, SAVED_ALONE, has, is_fact, paths
from dtlint.machine.library.jax.fitting import COUNTED_BY
from dtlint.machine.library.jax.flow import OF_SOME
from dtlint.machine.library.jax.grids import OF_OTHERS
from dtlint.machine.library.jax.shapes import ON_A_HOST
from dtlint.machine.library.jax.state_keys import FOLLOWS, KEPT, states_before
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.logs import Call, Event, LogNode, Loop, decisions
from dtlint.machine.run import Run
from dtlint.machine.values import Const, Object, Tuple, Unknown, Value
from dtlint.timeline.arrays.lives import Use, exclude
from dtlint.timeline.options import default_for, default_in_a_class
from dtlint.timeline.records import calls_around, recorded
from dtlint.timeline.steps.training import survey

Path = tuple[LogNode, ...]
OF_HOSTS = frozenset(  # wrong in a program of several hosts only
    {"world axis", "world devices", "local in global", OF_SOME, ONE_HOST, OF_OTHERS}
)
OWN = ("jax.", "numpy.")  # libraries of which nothing reduces without a row
FROM_ELSEWHERE = "put in as stored"  # parameters of a file: with copies only if the program writes such
AS_STORED = frozenset({"restored over copies", "restored as stored", FROM_ELSEWHERE})


def noted(run: Run, op: str) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Notes of one kind, each with its trail."""
    if not run.facts.get("jax") or (op in OF_HOSTS and not run.facts.get("jax hosts")):
        return
    if op in AS_STORED and not run.facts.get(SAVED_ALONE) and (op != FROM_ELSEWHERE or writes_copies(run)):
        return  # the file may have as many copies as it replaces
    for event, path in recorded(run, "<jax>"):
        if event.op == op:
            yield event, trail_of(event, path)


def replicated_where_nothing_is_saved(run: Run) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """The folder of the program's own checkpoints is empty when it is run for the first time: the target comes back."""
    for event, trail in noted(run, "replicated where nothing is saved"):
        if event.extra["folder"] in run.facts.get(SAVED_INTO, ()):
            yield event, trail


def writes_copies(run: Run) -> bool:
    return any(event.op in ("written copies", "saved copies") for event, _ in recorded(run, "<jax>"))


def written_keys(run: Run) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Keys that a step, called in a loop of the program, makes of one number again and again."""
    for event, path in recorded(run, "<jax>") if run.facts.get("jax") else ():
        if event.op == "written key" and any(isinstance(node, Loop) for node in path):
            yield event, trail_of(event, path)


def too_many_keys(run: Run) -> Iterator[tuple[Event, tuple[Step, ...], int]]:
    """Keys for a mapped step, as many as an option says that is more by default than a host has devices."""
    for event, trail in noted(run, COUNTED_BY):
        count = event.extra["count"]
        default = default_for(run, count) or default_in_a_class(run, attribute_of(count))
        if isinstance(default, Const) and type(default.value) is int and default.value > max(ON_A_HOST):
            yield event, trail, default.value


def kept_keys(run: Run) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Steps that draw from the key of their state and hand that key on, where the next turn begins with what they
    gave."""
    told: set[Any] = set()
    for event, path in recorded(run, "<jax>") if run.facts.get("jax") else ():
        if event.op != KEPT or event.extra["place"] in told:
            continue
        if any(isinstance(node, Loop) and begins_with_it(run, event, node) for node in path):
            told.add(event.extra["place"])
            yield event, trail_of(event, path)


def begins_with_it(run: Run, event: Event, loop: Loop) -> bool:
    state, after = event.extra["state"], loop.carried.get(event.extra["state"])
    return after is not None and any(
        before is state and event.extra["field"] not in put
        for _, leaf in paths(after)
        if isinstance(leaf, Unknown)
        for before, put in states_before(run.facts[FOLLOWS], leaf.symbol)
    )


def hosts_meet(run: Run) -> bool:
    """Does the program join other hosts, or compute anything together with them? Else each is one of its own."""
    seen = survey(run)
    return bool(seen.of("init") or seen.of("host-part") or seen.collectives or seen.gradients)


def host_keys(run: Run) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Keys that all hosts make alike, and draw from for what each has for itself."""
    for event, trail in noted(run, "host key") if hosts_meet(run) else ():
        if on_several(event) and not made_anew(run, place(run, event)[0]):
            yield event, trail


def on_several(event: Event) -> bool:
    """Do several ranks come here? A function is called by all, and a branch of it is taken by some."""
    here = reduce(and_, (one.taken for one in decisions(event.guards)), event.mask)
    return here & (here - 1) != 0


def made_anew(run: Run, made: Span) -> bool:
    """`for level in levels: noise = normal(PRNGKey(42), shape)`: by its number it is the same each time, as meant."""
    way = way_to(run.project.tree(made.path), made.line, made.column)
    call = way[-1] if way else None
    if not isinstance(call, ir.Call) or not call.args or not isinstance(call.args[0], ir.Const):
        return False
    inner = next((i for i, node in reversed(list(enumerate(way))) if isinstance(node, ir.Function)), 0)
    return any(isinstance(node, ir.For | ir.While | ir.Comp) for node in way[inner:])


def trail_of(event: Event, path: Path) -> tuple[Step, ...]:
    calls = [Step.of(node, f"calls `{node.function}`") for node in calls_around(event, path)]
    own = Step.of(event, "seen here")
    place = event.extra["place"]
    steps = [*calls[-3:], *event.extra["steps"]]
    if (event.path, event.at[0]) != (place[0], place[1][0]):
        steps.append(own)
    unique: list[Step] = []
    for step in steps:
        if all((step.path, step.line) != (other.path, other.line) for other in unique):
            unique.append(step)
    return tuple(unique)


def place(run: Run, event: Event) -> tuple[Span]:
    path, at, _scope = event.extra["place"]
    return (Span(path, *at),)


def saved(run: Run) -> Iterator[tuple[Event, tuple[Step, ...], Span]]:
    """States written with their axis of devices, at the call in the function that made them."""
    for event, path in recorded(run, "<jax>") if run.facts.get("jax") else ():
        if event.op == "saved copies":
            own = span = place(run, event)[0]
            for node in path:
                if isinstance(node, Call) and (node.path, node.caller) == event.extra["origin"]:
                    span = Span(node.path, *node.at)
            written = () if own == span else (Step(own.path, own.line, "is written here"),)
            yield event, (*trail_of(event, path), *written), span


def written_with_copies(run: Run) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """States written as the devices have them, where the program reads files and never hands one of them to the devices
    as it is."""
    if run.facts.get(READ_BACK) and not any(event.op in AS_STORED for event, _ in recorded(run, "<jax>")):
        yield from noted(run, "written copies")


def drifting(run: Run) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Mapped calls in a loop whose output differs between devices, though it began equal and is fed back in."""
    if not run.facts.get("jax"):
        return
    synced: set[object] = run.facts.get("jax synced", set())  # parts of states that are made equal again
    for event, path in recorded(run, "<jax>"):
        if event.op != "mapped call" or not event.extra["reduced"]:
            continue
        loops = [node for node in path if isinstance(node, Loop)]
        for number, value in event.extra["arguments"]:
            if keeps_own(value):
                continue
            for way, leaf in paths(value):
                assert isinstance(leaf, Unknown)
                carried = [loop.carried.get(leaf.symbol) for loop in loops]
                if any(
                    (not synced and comes_back(event, number, after))
                    or (synced.isdisjoint(way) and part_comes_back(event, way, leaf, after))
                    for after in carried
                    if not handed_on(run, after)
                ):
                    yield event, trail_of(event, path)


def keeps_own(state: Value) -> bool:
    """Does the state hold, beside copies for all devices, what each device has made for itself: an environment? What is
    with it goes its own way on each of them."""
    made = [leaf for _, leaf in paths(state) if not_key(leaf) and not has(leaf, "replicated")]
    return any(has(leaf, "output") for leaf in made)


def handed_on(run: Run, after: object) -> bool:
    """`if step % 100 == 0: state = train_utils.sync(state)`: has a library that nobody knows made what is left, now and
    then? It may have reduced it."""
    names = [str(one.key[0]) for one in symbols_in(after.symbol)] if isinstance(after, Unknown) else []
    return any("." in name and not name.startswith(OWN) and run.knowledge.api(name) is None for name in names)


def comes_back(event: Event, number: int, after: object) -> bool:
    if not isinstance(after, Unknown):
        return False
    for index, parts, _ in event.extra["outputs"]:
        if any(varying and number in replicas for varying, replicas in parts):
            if any(is_fact(tag, "output") and tag[2:] == (event.extra["number"], index) for tag in after.tags):
                return True
    return False


def part_comes_back(event: Event, way: tuple[Any, ...], leaf: Unknown, after: object) -> bool:
    """Is this part of the state equal at first, and then what each device has for itself?"""
    if not isinstance(after, Object | Tuple) or not has(leaf, "replicated"):
        return False
    # what was put on all devices as a whole may come back in parts; keys differ on purpose
    now = [(own, one) for own, one in paths(after) if own == way or (way and own[: len(way)] == way and not_key(one))]
    return any(
        part in own and any(is_fact(tag, "output") and tag[2:] == (event.extra["number"], index) for tag in one.tags)
        for index, _, own in event.extra["outputs"]
        for part, one in now
    )


def not_key(value: Value) -> bool:
    return not has(value, "key") and not has(value, "keys")


def late_starts(run: Run) -> Iterator[tuple[Event, tuple[Step, ...], str]]:
    """Initialisation of the processes after something that starts the backend."""
    if not run.facts.get("jax hosts"):
        return
    before: list[Use] = []
    for event, path in recorded(run, "<jax>"):
        if event.op == "backend":
            before.append(Use(None, event, path))  # type: ignore[arg-type]
        elif event.op == "initialize":
            use = Use(None, event, path)  # type: ignore[arg-type]
            first = next((one for one in before if not exclude(one, use)), None)
            if event.extra["imported"]:
                yield event, event.extra["steps"], "an imported module"
            elif first is not None:
                name = first.event.extra["api"]
                steps = (*trail_of(first.event, first.path), Step.of(first.event, f"`{name}`"))
                yield event, steps, name


def never_joined(run: Run) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Where a program divides something between hosts that never meet: the documents start it on several, outside of a
    pod of TPUs, which finds its hosts by itself."""
    if run.entry.kind != "script" or not run.project.started.elsewhere(run.entry.path):
        return
    if any(run.project.mentioning(f"{name}(") for name in run.knowledge.joining_hosts):
        return
    for event, path in recorded(run, "<jax>"):
        if event.op == "backend" and counts_hosts(run, event.extra["api"]):
            yield event, trail_of(event, path)
            return


def counts_hosts(run: Run, name: str) -> bool:
    row = run.knowledge.api(name)
    return row is not None and row.value == "world_size"
