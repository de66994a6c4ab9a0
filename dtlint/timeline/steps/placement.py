"""Which device does each rank choose to work on?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import children, every_node
from dtlint.launch.model import is_local
from dtlint.machine.contents.dictionaries import entries
from dtlint.machine.library.meeting.evidence import alone
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.library.meeting.spawning import INDEX
from dtlint.machine.library.reading import BY_NAME
from dtlint.machine.logs import Event
from dtlint.machine.spoken import COMMUNICATES
from dtlint.machine.values import (
    Cause,
    Const,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
    lane_value,
)
from dtlint.timeline.order import Met, ordered
from dtlint.timeline.programs import of_trials
from dtlint.timeline.steps.names_of_parts import functions
from dtlint.timeline.steps.stepping import events

INIT = "torch.distributed.init_process_group"
OWN_LAUNCHER = frozenset({"executable", "device_count"})
PARAMS = (
    "device",
    "device_ids",
    "device_id",
    "device_index",
    "type",
    "index",
    "map_location",
    "device_map",
)  # DDP only notes its `output_device`


def number_of(value: Value) -> int | None:
    """The number of the device that one lane names."""
    if isinstance(value, Const) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value.value
    kind, _, number = text_of(value).partition(":")
    return int(number) if kind in ("cuda", "xpu", "hip", "npu") and number.isdecimal() else None


def text_of(value: Value | None) -> str:
    """A text that is written down, or what is known of one that is put together."""
    if isinstance(value, Const):
        return value.value if isinstance(value.value, str) else ""
    if isinstance(value, Unknown) and value.symbol.key[0] == "text":
        return "".join(spelled(part) for part in value.symbol.key[1:])
    return ""


def spelled(part: Any) -> str:
    if isinstance(part, tuple) and len(part) >= 2:
        return str(part[1]).strip("'")
    return "" if isinstance(part, Symbol) else str(part)


def named(value: Value | None) -> tuple[Value | None, ...]:
    """The device, or those in `device_ids=[local_rank]`, or in `map_location={"cuda:0": f"cuda:{local_rank}"}`."""
    if isinstance(value, Object) and value.kind == "dict":
        return tuple(held for _, held in entries(value))
    if isinstance(value, Object) and value.kind == "list":
        value = value.attributes.get("[]")
    return value.items if isinstance(value, Tuple) else (value,)


def beyond_node(run: Any, value: Value | None) -> Cause | None:
    """Why a device number is larger than any a node has: it is the global rank."""
    for item in named(value):
        if isinstance(item, Row) and item.cause.kind == "rank":
            numbers = [number_of(lane_value(item, lane)) for lane in range(run.world.size)]
            if numbers == list(run.world.ranks()):
                return item.cause
    return None


def counted_over_nodes(run: Any, value: Value | None, ranks: list[Value | None]) -> Cause | None:
    """Processes spawned on each of several machines: the number that the group knows them by, computed from the number
    of the machine, is not their index on it."""
    counted = [rank for rank in ranks if isinstance(rank, Row) and holds_machine(run, rank)]
    for item in named(value) if counted else ():
        if isinstance(item, Row) and item in counted:
            return item.cause
    asked = beyond_node(run, value) if counted else None
    return (
        asked if asked is not None and asked.steps()[:1] and asked.steps()[0] not in run.facts.get(INDEX, ()) else None
    )


def holds_machine(run: Any, rank: Row) -> bool:
    """Is it more than the index that spawn gives?"""
    first, second = rank.lanes[0], rank.lanes[run.world.per_host % run.world.size]
    return first != second and not one_after_another([number_of(held) for held in rank.lanes])


def one_after_another(numbers: list[int | None]) -> bool:
    """The index that spawn gives, or as much more for everybody: no number of a machine is in it."""
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and [number - known[0] for number in known] == list(range(len(known)))


def global_rank_devices(run: Any) -> Iterator[tuple[Met, Cause]]:
    """The first place of the run that names a device by the global rank."""
    if sets_visible(run) or starts_itself(run) or on_one_machine(run):
        return
    spawned = spawns(run)
    ranks = [met.event.extra["call"].get("rank") for met in events(run, "record", "init")]
    if any(isinstance(rank, Row) and rank.cause.kind == "local rank" for rank in ranks):
        return  # all ranks are on one machine, or two of them would have the same number
    told: set[tuple[str, int]] = set()
    for met in ordered(run):
        call = met.event.extra.get("call")
        if call is None or not names_device(met.event):
            continue
        for value, written in devices_of(met.event, call):
            cause = counted_over_nodes(run, value, ranks) if spawned else beyond_node(run, value)
            if cause is None or divided(run, met.event, written):
                continue
            if guessed(run, cause) or spawned_elsewhere(run, cause):
                continue
            origin = cause.steps()[0] if cause.steps() else None
            key = (origin.path, origin.line) if origin is not None else (met.event.path, met.event.at[0])
            if key not in told:
                told.add(key)
                yield met, cause
            break


def on_one_machine(run: Any) -> bool:
    """Do the documents start the program on one machine, is it one process, or a test, for which one machine is enough,
    or do its ranks meet at an address that each machine has for itself?"""
    started = run.project.started
    told = of_trials(run.entry.path) or started.on_one_machine(run.entry.path)
    told = told or bool(run.facts.get("on one machine"))
    told = told or (run.entry.kind == "function" and started.nothing_on_several_machines())  # whoever calls it
    return told or alone(run) or begins_none(run) or meets_at_home(run) or of_what_starts_by_itself(run)


def of_what_starts_by_itself(run: Any) -> bool:
    """Code of programs that the documents start by themselves, and never by a launcher: the trainer that starts their
    other ranks does so on the same machine."""
    told, own = run.project.started, run.project.relatives(run.entry.path)
    if run.entry.kind != "function" or any(told.by_a_launcher(path) for path in own):
        return False
    return any(told.by_itself(path) for path in own)


def begins_none(run: Any) -> bool:
    """A script that the documents start by itself, and that asks for its rank where it may have one: it begins no group
    and talks to nobody."""
    if run.entry.kind != "script" or not run.project.started.by_itself(run.entry.path):
        return False
    talks = (node for node, _ in run.walk() if isinstance(node, Event) and node.kind in COMMUNICATES)
    return not events(run, "record", "init") and next(talks, None) is None


def meets_at_home(run: Any) -> bool:
    """`init_method="tcp://127.0.0.1:29500"`, wherever the program begins a group"""
    starts = [met.event.extra["call"] for met in events(run, "record", "init")]
    return bool(starts) and all(is_local(text_of(call.get("init_method"))) for call in starts)


def names_device(event: Event) -> bool:
    if event.kind == "record":
        return event.op in ("device", "device-named", "move", "init", "load")
    return event.kind == "collective" and event.op in ("wrap", "barrier")


def guessed(run: Any, cause: Cause) -> bool:
    """A parameter of a function nobody calls, or an attribute of one, was taken for the rank because of its name. Who
    calls may start one process per device of this machine."""
    if run.entry.kind != "function" or not cause.steps():
        return False
    source = cause.steps()[0]
    return source.line == run.entry.line or source in run.facts.get(BY_NAME, ())


def starts_itself(run: Any) -> bool:
    """The program is its own launcher, of one process per device of the machine it is on: a function of it starts this
    interpreter (`sys.executable`) again, as often as there are devices."""
    own = run.project.relatives(run.entry.path)
    for path in run.project.mentioning(min(OWN_LAUNCHER)):
        module = run.project.module(path) if path in own else None
        if module is not None and module.tokens >= OWN_LAUNCHER:
            if any(function.tokens >= OWN_LAUNCHER for function in functions(module.body)):
                return True
    return False


def spawned_elsewhere(run: Any, cause: Cause) -> bool:
    """The rank is asked for in a program that starts its group only where it spawns the processes of one machine, or
    where it gives them their numbers on this machine as their ranks, and that is not in this run."""
    if not cause.steps() or any(met.event.api.endswith("init_process_group") for met in events(run, "record", "init")):
        return False
    own = run.project.relatives(cause.steps()[0].path)
    paths = [path for path in run.project.mentioning("init_process_group") if path in own]
    modules = [run.project.module(path) for path in paths]
    local = {name for name, asked in run.knowledge.parameters.items() if asked.value == "local_rank"}
    return bool(modules) and all(
        module is not None and ("spawn" in module.tokens or starts_with(module, local)) for module in modules
    )


def starts_with(module: ir.Module, local: set[str]) -> bool:
    """`init_process_group(…, rank=args.local_rank)`, wherever this file begins a group"""
    calls = [node for node in every_node(module.body) if isinstance(node, ir.Call)]
    starts = [node for node in calls if next(names_in(node.func), "") == INIT.rpartition(".")[2]]
    given = [value for node in starts for name, value in node.keywords if name == "rank"]
    return bool(starts) and len(given) == len(starts) and all(local.intersection(names_in(value)) for value in given)


def sets_visible(run: Any) -> bool:
    """Each process chooses what it sees: numbers mean something else then."""
    for met in events(run, "record", "env"):
        name = met.event.details[0][1] if met.event.details else None
        row = run.knowledge.settings.get(name.value) if isinstance(name, Const) else None
        if row is not None and row.extra.get("reader") == "cuda" and "VISIBLE" in str(name.value):  # type: ignore[union-attr]
            return True
    return False


def devices_of(event: Event, call: Any) -> Iterator[tuple[Value | None, Sequence[ir.Expr]]]:
    """What names a device in this call, with the expressions that may be it."""
    everything = call.node.args if call.node is not None else ()
    for name in PARAMS:
        written = call.expression(name)
        yield call.get(name), everything if written is None else (written,)
    if event.op == "move" and call.arguments:
        yield call.arguments[0], everything


def divided(run: Any, event: Event, given: Sequence[ir.Expr]) -> bool:
    """`rank % 8`: a remainder by a literal is the number of devices per node, whatever it is in our small world. Also
    where a name that is given here was assigned one, or a function of the project that is asked returns one."""
    module = run.project.module(event.path)
    if any(map(has_remainder, given)):
        return True
    if module is None:
        return False
    names = {name for expression in given for name in names_in(expression)}
    assigned = [one.value for one in statements(module.body) if targets_of(one) & names]
    if any(map(has_remainder, assigned)):
        return True
    asked = {name for value in assigned if isinstance(value, ir.Call) for name in names_in(value.func)}
    return any(gives_remainder(run, event.path, name) for name in names | asked)


def gives_remainder(run: Any, path: str, name: str, depth: int = 2) -> bool:
    """`def local_rank(): return rank() % devices_of_a_node()`, or what it returns is another function's answer."""
    own = run.project.relatives(path)
    modules = [run.project.module(one) for one in run.project.mentioning(name) if one in own]
    bodies = [
        one.body for module in modules if module is not None for one in functions(module.body) if one.name == name
    ]
    returned = [one.value for body in bodies for one in statements(body) if isinstance(one, ir.Return)]
    asked = {inner for value in returned if isinstance(value, ir.Call) for inner in names_in(value.func)} - {name}
    return any(value is not None and has_remainder(value) for value in returned) or (
        depth > 1 and any(gives_remainder(run, path, inner, depth - 1) for inner in asked)
    )


def has_remainder(expression: Any) -> bool:
    """Is there a `%` of numbers? Not that of a text: `"cuda:%d" % rank`."""
    if isinstance(expression, ir.BinOp) and expression.op == "%":
        if not (isinstance(expression.left, ir.Const) and isinstance(expression.left.value, str)):
            return True
    return any(map(has_remainder, children(expression)))


def names_in(expression: Any) -> Iterator[str]:
    """Of the variables and attributes that are read."""
    if isinstance(expression, ir.Name):
        yield expression.id
    elif isinstance(expression, ir.Attr):
        yield expression.name
    for inner in children(expression):
        yield from names_in(inner)


def targets_of(statement: Any) -> set[str]:
    """The names and attributes it gives a value."""
    targets = statement.targets if isinstance(statement, ir.Assign) else ()
    return {getattr(target, "id", getattr(target, "name", "")) for target in targets}


def statements(body: tuple[Any, ...]) -> Iterator[Any]:
    for statement in body:
        yield statement
        for name in ("body", "orelse", "final"):
            inner = getattr(statement, name, None)
            if isinstance(inner, tuple):
                yield from statements(inner)
