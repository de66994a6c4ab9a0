"""Which loader options the installed torch refuses, who forks too late, and whose copy of a data set is changed?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.evidence import distributed
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.logs import Call, Event, Loop
from dtlint.machine.names.subscripts import PRESETS
from dtlint.machine.values import NONE, TRUE, Bound, ClassRef, Const, FunctionRef, Object, Symbol, Unknown, Value
from dtlint.machine.walks import walk
from dtlint.timeline.devices import on_cuda
from dtlint.timeline.environment import starts
from dtlint.timeline.options import asked_for, default_of, option_of, usual
from dtlint.timeline.order import Met, before, below, loops_over
from dtlint.timeline.steps.stepping import events
from dtlint.timeline.symbols import worth

LOADER = "torch.utils.data.DataLoader"


def loaders(run: Any) -> Iterator[tuple[Met, Any]]:
    """Loaders of torch, with the call that made them; those with options nobody knows are left out."""
    for met in events(run, "record", "loader"):
        call = met.event.extra["call"]
        if run.knowledge.canonical(call.row.type or call.row.name) == LOADER:
            if not any(name is None for name, _ in call.keywords):
                yield met, call


@dataclass(frozen=True, slots=True)
class ToldATrainer:
    """What tells a trainer how to make its loaders, asked as if it were the call that makes one."""

    call: Invocation
    prefix: str

    def get(self, param: str) -> Value | None:
        return self.call.get(self.prefix + param)

    def expression(self, param: str) -> ir.Expr | None:
        return self.call.expression(self.prefix + param)


def with_workers(run: Any) -> Iterator[tuple[Met, Any]]:
    """Also what tells a trainer how it is to make its loaders."""
    yield from loaders(run)
    for met in events(run, "record", "init"):
        call = met.event.extra.get("call")
        if not isinstance(call, Invocation):
            continue
        prefix = call.row.extra.get("loader_options")
        if prefix and not any(name is None for name, _ in call.keywords):
            yield met, ToldATrainer(call, prefix)


def number_of_workers(call: Any) -> int | None:
    given = call.get("num_workers")
    if given is None:
        return 0
    known = isinstance(given, Const) and isinstance(given.value, int) and not given.scale
    return given.value if known else None


# --- options -------------------------------------------------------------------------------------------------------


def refused(run: Any) -> Iterator[tuple[Met, str, str]]:
    """Options that need workers, on a loader without any: the option, and when torch refuses it."""
    for met, call in with_workers(run):
        if run.entry.kind == "function" and isinstance(call.expression("num_workers"), ir.Attr):
            continue  # of an instance nobody was seen to make: whoever makes it may tell it another number
        if number_of_workers(call) != 0 and not none_by_default(run, met, call):
            found = refused_without(call)
            why = "where `num_workers` is 0, this is what the expression gives"
            if not found:
                found, why = refused_by_a_preset(run, met, call)
            if found and not put_in_on_a_side(run, met.event.path, found.partition("=")[0]):
                yield met, found, why
            continue
        unless = "" if number_of_workers(call) == 0 else ", unless the option for it is given: its default is 0"
        for option, refuses in NEED_WORKERS.items():
            value = as_given(run, met, call.get(option))
            if value is not None and refuses(value.value) and not fine_then(run, met, option, value):
                when = "iterated" if option == "timeout" else "made"
                error = "AssertionError" if option == "timeout" else "ValueError"
                yield met, f"{option}={value.value!r}", f"{error} when the loader is {when}{unless}"
                break


NEED_WORKERS: dict[str, Callable[[Any], bool]] = {
    "persistent_workers": lambda value: value is True,
    "prefetch_factor": lambda value: value is not None,
    "multiprocessing_context": lambda value: isinstance(value, str),
    "timeout": lambda value: isinstance(value, int | float) and value > 0,
}
# Until then it was what a loader without workers has, too.
REFUSED_SINCE: dict[tuple[str, object], str] = {("prefetch_factor", 2): "torch 2.0"}


def fine_then(run: Any, met: Met, option: str, value: Const) -> bool:
    """Is it no mistake in the versions that the project keeps to?"""
    since = REFUSED_SINCE.get((option, value.value))
    return since is not None and run.project.pins.before(met.event.path, since)


def as_given(run: Any, met: Met, value: Value | None) -> Const | None:
    """The value of an option; of one that the command line gives, the default, where no branch asks for it."""
    if isinstance(value, Const):
        return value
    name = attribute_of(value.symbol) if isinstance(value, Unknown) else None
    option = option_of(run, name)
    if name is None or option is None or asked_for(run, met.event.path, name) or asked_for(run, option.path, name):
        return None
    default = default_of(option)
    return default if isinstance(default, Const) else None


def none_by_default(run: Any, met: Met, call: Any) -> bool:
    """Is the number of workers an option whose default is 0, which no branch asks for, by whichever name?"""
    given, written = call.get("num_workers"), call.expression("num_workers")
    if isinstance(written, ir.Name) and asked_for(run, met.event.path, written.id):
        return False
    if not isinstance(given, Unknown):
        return False
    name = attribute_of(given.symbol)
    option = option_of(run, name)
    if name is None or option is None or default_of(option) != Const(0):
        return False
    return not asked_for(run, met.event.path, name) and not asked_for(run, option.path, name)


def refused_without(call: Any) -> str:
    """An option that depends on the number of workers, and that torch refuses where there are none."""
    workers = call.get("num_workers")
    if not isinstance(workers, Unknown):
        return ""
    for name, fine in (("prefetch_factor", None), ("persistent_workers", False)):
        given = call.get(name)
        if not isinstance(given, Unknown) or workers.symbol not in symbols_in(given.symbol):
            continue
        value = worth(given.symbol, {workers.symbol: 0})
        if value is not None and value is not fine and value != 0:
            return f"{name}={value}"
    return refused_on_a_side(call, workers.symbol)


def refused_on_a_side(call: Any, workers: Symbol) -> str:
    """One side of a branch leaves no workers, and does not take back what needs them."""
    what, *sides = workers.key
    if what != "phi":
        return ""
    for side in (1, 2):
        if sides[side] != token(Const(0)):
            continue
        for name, fine in (("prefetch_factor", NONE), ("persistent_workers", Const(False))):
            given = call.get(name)
            if isinstance(given, Unknown) and given.symbol.key[:2] == workers.key[:2]:
                held = given.symbol.key[side + 1]
            else:
                held = token(given) if isinstance(given, Const) else token(fine)
            if held not in (token(fine), token(NONE)) and not isinstance(held, Symbol):
                return f"{name}={given.value}" if isinstance(given, Const) else name
    return ""


def refused_by_a_preset(run: Any, met: Met, call: Any) -> tuple[str, str]:
    """`PRESETS[name].workers`: one of what the program offers has none, and the option is given with each of them."""
    workers = call.get("num_workers")
    key = workers.symbol.key if isinstance(workers, Unknown) else ()
    presets = run.facts.get(PRESETS, {}).get(key[1]) if len(key) == 3 and key[0] in ("attr", "item") else None
    if not presets or asked_for(run, met.event.path, str(key[2])):
        return "", ""
    for preset in presets:
        if not isinstance(preset, Object) or field_of(preset, key[2]) != Const(0):
            continue
        for option, fine in (("persistent_workers", (None, NONE, Const(False))), ("prefetch_factor", (None, NONE))):
            given = call.get(option)
            own = given.symbol.key if isinstance(given, Unknown) else ()
            if own[:2] == key[:2]:
                given = field_of(preset, own[2])
            if isinstance(given, Const) and given not in fine:
                return f"{option}={given.value}", f"one of the presets has `{key[2]}=0`"
    return "", ""


def field_of(preset: Object, name: Any) -> Value | None:
    return preset.attributes.get(name) or preset.attributes.get(("key", name))


def put_in_on_a_side(run: Any, path: str, option: str) -> bool:
    """`if workers > 0: options["persistent_workers"] = True`: the file gives the option below a branch."""
    return any(
        isinstance(target, ir.Index) and isinstance(target.index, ir.Const) and target.index.value == option
        for branch in every_node(run.project.tree(path).body)
        if isinstance(branch, ir.If)
        for node in every_node((branch.body, branch.orelse))
        if isinstance(node, ir.Assign)
        for target in node.targets
    )


# --- as many workers as cores, in every rank -----------------------------------------------------------------------


def all_cores(run: Any) -> Iterator[tuple[Event, tuple[Step, ...]]]:
    """Loaders that start as many workers as the node has cores, in each of its ranks."""
    if not distributed(run):
        return
    for met, call in with_workers(run):
        given = call.get("num_workers")
        if not isinstance(given, Unknown):
            continue
        if counts_cores(run, given):
            yield met.event, (Step(met.event.path, met.event.at[0], "one worker per core of the node, in every rank"),)
            continue
        option = option_of(run, attribute_of(given.symbol))
        if option is not None and counts_cores(run, default_of(option)):
            yield (
                option,
                (
                    Step(option.path, option.at[0], "the default is the number of cores of the node"),
                    Step(met.event.path, met.event.at[0], "every rank starts as many workers"),
                ),
            )


def counts_cores(run: Any, value: Value | None) -> bool:
    """The number of cores as it is, not divided, not bounded."""
    if not isinstance(value, Unknown):
        return False
    symbol = value.symbol
    if symbol.key[0] == "phi" and symbol.key[1] in symbol.key[2:] and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]  # `os.cpu_count() or 1`
    if symbol.key[0] == "len" and len(symbol.key) == 2 and hasattr(symbol.key[1], "key"):
        symbol = symbol.key[1]
    name = symbol.key[1] if symbol.key[0] in ("same", "source") and len(symbol.key) > 1 else symbol.key[0]
    row = run.knowledge.apis.get(name) if isinstance(name, str) else None
    return row is not None and bool(row.extra.get("cores"))


# --- forks ---------------------------------------------------------------------------------------------------------


def late_forks(run: Any) -> Iterator[tuple[Met, Event, str]]:
    """Processes that are forked after a runtime with threads was started, with what started it."""
    for met in events(run, "record", "fork"):
        asked = start_method(run, met)
        if asked not in ("fork", None):
            continue
        target = met.event.extra["call"].get("target")
        uses_it = works_on(run, target, "cuda", ("certain", "perhaps") if asked else ("certain",))
        # who asks for a fork may do so for a child nobody sees here, as that of a pool
        with_cuda = uses_it if isinstance(target, FunctionRef) or asked is None else True
        started = started_before(run, met, ("jax", "cuda") if with_cuda else ("jax",))
        if started is not None:
            yield met, started[0], started[1]
    for met, call in loaders(run):
        usually = usual(run, call.get("num_workers"))
        workers = usually.value if isinstance(usually, Const) and not usually.scale else 0
        if not workers or start_method(run, met) not in (None, "fork"):
            continue
        readers = ("jax", "cuda") if makes_samples_on_cuda(run, call) else ("jax",)
        started = started_before(run, first_iteration(run, met), readers)
        if started is not None:
            yield met, started[0], started[1]


def makes_samples_on_cuda(run: Any, call: Invocation) -> bool:
    """Does what the workers run, the data set or what collates its samples, put something onto a GPU?"""
    made: dict[int, Object] = run.facts.get("loaders", {})
    known = [one.facts["described"] for one in made.values() if made_by(one, call) and "described" in one.facts]
    logs = [look.log for described in known for look in described.looks]
    return any(isinstance(node, Event) and on_cuda(node) for log in logs for node, _ in walk(log))


def made_by(loader: Object, call: Invocation) -> bool:
    own = loader.facts.get("call")
    return isinstance(own, Invocation) and own.node is call.node


def works_on(run: Any, target: Value | None, reader: str, how_sure: tuple[str, ...]) -> bool:
    """Does the function of a child, or one of its file that it calls, speak of the runtime?"""
    row = run.knowledge.settings.get(f"work on {reader}")
    if row is None or not isinstance(target, FunctionRef):
        return False
    words = {word for name in how_sure for word in row.extra.get(name, ())}
    of_file = {name: tokens for name, tokens, owner in run.project.functions(target.path) if owner is None}
    todo, done = [frozenset(target.node.tokens)], set[str]()
    while todo:
        tokens = todo.pop()
        if not words.isdisjoint(tokens):
            return True
        called = (tokens & of_file.keys()) - done
        done |= called
        todo += [of_file[name] for name in called]
    return False


def first_iteration(run: Any, met: Met) -> Met:
    """Workers start when the loader is first iterated."""
    node = met.event.extra["call"].node
    for later in events(run, "end", "next turn"):
        loop = later.event.loop
        made = loaded_by(loop.subject) if loop is not None else None
        if made is not None and made.node is node:
            return later
    return met


def started_before(run: Any, met: Met, readers: tuple[str, ...]) -> tuple[Event, str] | None:
    for earlier in before(run, met):
        if earlier.conditional and met.above[: len(earlier.above)] != earlier.above:
            continue
        for reader in readers:
            if starts(run, earlier.event, reader) == "backend" and "is_available" not in earlier.event.api:
                return earlier.event, reader
    return None


def start_method(run: Any, met: Met) -> str | None:
    """fork, spawn or forkserver, where the program says so."""
    call = met.event.extra["call"]
    given = call.get("multiprocessing_context")
    if given is None and isinstance(call.receiver, Object) and "call" in call.receiver.facts:
        given = next(iter(call.receiver.facts["call"].values), None)
    if isinstance(given, Object) and "call" in given.facts:
        given = next(iter(given.facts["call"].values), None)
    if isinstance(given, Const) and isinstance(given.value, str):
        return given.value
    if given is not None and given != NONE:
        return "unknown"
    for other in events(run, "record", "start-method"):
        value = next(iter(other.event.extra["call"].values), None)
        return value.value if isinstance(value, Const) and isinstance(value.value, str) else "unknown"
    return asked_when_imported(run, met.event.path) or ("fork" if call.row.extra.get("forks") else None)


def asked_when_imported(run: Any, path: str) -> str | None:
    """`set_start_method("spawn")` at the top of the file that starts the processes: a function of it that is run for
    itself has not come by there."""
    names = {row.name.rpartition(".")[2] for row in run.knowledge.apis.values() if row.record == "start-method"}
    for node in every_node(run.project.tree(path).body, (ir.Function, ir.Lambda)):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr | ir.Name) and node.args:
            name = node.func.name if isinstance(node.func, ir.Attr) else node.func.id
            given = node.args[0]
            if name in names:
                return given.value if isinstance(given, ir.Const) and isinstance(given.value, str) else "unknown"
    return None


# --- state of the parent's data set --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StaleWrite:
    calls: tuple[Call, ...]  # from the loop that brings the write about
    write: Event
    attribute: str
    persistent: bool

    @property
    def first(self) -> tuple[str, tuple[int, int, int, int], str]:
        """The line of that loop: the write itself, or the call that leads to it."""
        for call in self.calls:
            return call.path, call.at, call.caller
        return self.write.path, self.write.at, self.write.function


def stale_writes(run: Any) -> Iterator[StaleWrite]:
    """Attributes set on a data set whose workers already hold their copy of it."""
    for met in events(run, "record", "dataset-write"):
        event = met.event
        call, name = event.extra["loader"], event.extra["attribute"]
        workers = usual(run, call.get("num_workers"))
        if (
            not isinstance(workers, Const)
            or not workers.value
            or not read_by_items(event.subject, name, collating(call))
        ):
            continue
        persistent = stays(call, workers.value)
        loops = loops_over(met)
        iterating = [loop for loop in loops if iterates(loop, call) or takes(run, loop, call, persistent)]
        if iterating or (persistent and any(contains_iteration(run, loop, call) for loop in loops)):
            outer = iterating[0] if iterating else loops[0]
            yield StaleWrite(calls_below(met, outer), event, name, persistent)
        elif persistent and event.extra["again"]:
            yield StaleWrite((), event, name, persistent)


def stays(call: Any, workers: int) -> bool:
    """`persistent_workers=True`, or an expression on the number of workers that is true of this many."""
    given, count = call.get("persistent_workers"), call.get("num_workers")
    if isinstance(given, Unknown) and isinstance(count, Unknown):
        return bool(worth(given.symbol, {count.symbol: workers}))
    return given == TRUE


def loaded_by(subject: Any) -> Any:
    """The call that made the loader a loop walks over."""
    for _ in range(4):
        if not isinstance(subject, Object):
            return None
        inner = subject.facts.get("inner")
        if not inner:
            break
        subject = inner[0]
    return subject.facts.get("call") if isinstance(subject, Object) else None


def iterates(loop: Loop, call: Any) -> bool:
    return is_made_by(loop.subject, call)


def takes(run: Any, loop: Loop, call: Any, persistent: bool) -> bool:
    """Does every turn take a batch from an iterator that was made before the loop?"""

    def inside(what: str) -> bool:
        return any(
            is_made_by(met.event.subject, call) and loop in loops_over(met) for met in events(run, "record", what)
        )

    return inside("batch-taken") and (persistent or not inside("iterator-made"))


def is_made_by(subject: Any, call: Any) -> bool:
    made = loaded_by(subject)
    return made is not None and made.node is call.node


def contains_iteration(run: Any, loop: Loop, call: Any) -> bool:
    return any(
        later.event.loop is not None and iterates(later.event.loop, call) and loop in loops_over(later)
        for later in events(run, "end", "next turn")
    )


def calls_below(met: Met, outer: Loop) -> tuple[Call, ...]:
    return tuple(node for node, _ in below(met, outer) if isinstance(node, Call))


def collating(call: Any) -> Bound | None:
    """`collate_fn=batches.make`: a method that the workers call."""
    given = call.get("collate_fn")
    return given if isinstance(given, Bound) else None


WORKED_WITH = ("__getitem__", "__iter__", "__getitems__", "__call__", "forward")


def read_by_items(dataset: Any, name: str, collate: Bound | None = None) -> bool:
    """Does what the workers run (`__getitem__`, `__iter__`, or `__call__` of what makes samples and batches, and what
    they call) read this attribute?"""
    if not isinstance(dataset, Object) or not isinstance(dataset.kind, ClassRef):
        return False
    methods = {
        statement.name: statement
        for statement in dataset.kind.node.body
        if isinstance(statement, ir.Function) and statement.name != "__init__"
    }
    begun = [found for found in WORKED_WITH if found in methods]
    if collate is not None and collate.receiver is dataset and isinstance(collate.function, FunctionRef):
        begun += [found for found in methods if found == collate.function.name.rpartition(".")[2]]
    todo, done = begun, set()
    while todo:
        method = todo.pop()
        if method in done:
            continue
        done.add(method)
        tokens = methods[method].tokens
        if name in tokens:
            return True
        todo.extend(other for other in methods if other in tokens)
    return False
