"""Which writes of environment variables come too late, or are read by nobody?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.knowledge.rows import Api
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.library.python.environment_use import HANDED
from dtlint.machine.logs import Attempt, Event, Place
from dtlint.machine.values import NONE, Const, Unknown, Value
from dtlint.project.pins import Pins
from dtlint.timeline import devices
from dtlint.timeline.order import Met, before, open_questions, ordered


@dataclass(frozen=True, slots=True)
class Write:
    """`os.environ[name] = value`, with its place in the order of the run."""

    met: Met
    name: str
    value: Value
    at: Place  # of the call, or of the name where a table of several lines is handed over


def writes(run: Any) -> Iterator[Write]:
    for met in ordered(run):
        event = met.event
        if event.kind == "record" and event.op == "env" and len(event.details) == 2:
            name, value = event.details[0][1], event.details[1][1]
            if isinstance(name, Const) and isinstance(name.value, str):
                yield Write(met, name.value, value, place_of(run, event, name.value))


def handed(run: Any) -> Iterator[Write]:
    """`subprocess.run(command, env=table)`: what a child is given besides what this process has."""
    for met in ordered(run):
        if met.event.kind == "record" and met.event.op == "child":
            for name, value in met.event.extra["call"].extra.get(HANDED, {}).items():
                if isinstance(name, str):
                    yield Write(met, name, value, place_of(run, met.event, name))


def place_of(run: Any, event: Event, name: str) -> Place:
    first, _, last, _ = event.at
    if first == last:
        return event.at
    lines = run.project.text(event.path).split("\n")[first - 1 : last]
    found = [
        (number, line.index(quoted) + 1, number, line.index(quoted) + 1 + len(quoted))
        for number, line in enumerate(lines, first)
        for quoted in (f'"{name}"', f"'{name}'")
        if quoted in line
    ]
    return found[0] if len(found) == 1 else event.at


def starts(run: Any, event: Event, reader: str) -> str | None:
    """What of the runtime `reader` this event starts: import, init, communicator or backend."""
    if event.kind == "record" and event.op == "import":
        row = run.knowledge.settings.get(f"import {event.api.partition('.')[0]}")
        read = row.extra["reader"] if row is not None else ()
        return "import" if reader == read or (isinstance(read, list) and reader in read) else None
    if reader == "nccl":
        lasting = event.kind == "collective" and event.op not in ("init", "new_group", "init_process_group")
        return "communicator" if lasting else None
    if event.kind not in ("record", "collective"):
        return None
    call = event.extra.get("call")
    started = event.extra.get("starts") or (call.row.extra.get("starts") if call is not None else None)
    if reader == "cuda" and devices.on_cuda(event):
        return "backend"
    if started == reader or (event.op == "backend" and event.api.partition(".")[0] == reader):
        return "backend"
    if reader == "torch.distributed":
        return "init" if event.kind == "record" and event.op == "init" and reads_variables(call) else None
    for name, row in user_rows(run):
        if row.extra.get("reader") == reader and event.api.startswith(name) and event.op != "import":
            return "backend"
    return None


def reads_variables(call: Any) -> bool:
    """`init_process_group(init_method="tcp://…")` is told the address, and does not look for it."""
    given = call.get("init_method") if call is not None else None
    return given is None or given == NONE or (isinstance(given, Const) and str(given.value).startswith("env:"))


def user_rows(run: Any) -> list[tuple[str, Api]]:
    found: list[tuple[str, Api]] | None = run.cache.get("users of runtimes")
    if found is None:
        found = [
            (name.removeprefix("use ") + ".", row)
            for name, row in run.knowledge.settings.items()
            if name.startswith("use ")
        ]
        run.cache["users of runtimes"] = found
    return found


LATER = {"import": ("import", "backend"), "backend": ("backend",), "communicator": ("communicator",), "init": ("init",)}


def groups_follow(run: Any, write: Write) -> bool:
    """Are groups made when it is written? It is meant for their communicators, and not for the one that is there."""
    return any(
        met.number > write.met.number and met.event.kind == "collective" and met.event.op == "new_group"
        for met in ordered(run)
    )


def late_writes(run: Any) -> Iterator[tuple[Write, Api, Event]]:
    """Writes after the moment their variable was read, with the event that read it."""
    held: dict[str, Value] = {}  # what they are known to hold
    for write in writes(run):
        again = held.get(write.name) == write.value or put_back(write)
        if not write.met.conditional:
            held[write.name] = write.value
        if again:
            continue  # there is nothing new in it
        row = run.knowledge.settings.get(write.name)
        if row is None or "when" not in row.extra or handed_on(run, write) or of_own_program(run, write):
            continue
        if row.extra["when"] == "import" and spawns(run):
            continue  # the children import anew
        if row.extra["when"] == "communicator" and groups_follow(run, write):
            continue
        if read_by_itself(run, write):
            continue
        for met in before(run, write.met):
            if (
                of_package(write, met.event)
                or failed_before(met, write.met)
                or (row.extra.get("of_work") and counts_only(met.event))
            ):
                continue
            if starts(run, met.event, str(row.extra["reader"])) in LATER[str(row.extra["when"])]:
                if not on_some_way(run, met, write.met):
                    yield write, row, met.event
                    break


def put_back(write: Write) -> bool:
    """Is it what the variable held when the program began?"""
    return isinstance(write.value, Unknown) and write.value.symbol.key[:2] == ("environment", write.name)


def on_some_way(run: Any, met: Met, later: Met) -> bool:
    """Does a branch decide whether this happens before what is later? Where there is no device, nobody minds what it
    was told."""
    asked = open_questions(met, later)
    return not all(one is not None and one.key[0] == "same" and counting(run, one.key[1]) for one in asked)


def counting(run: Any, name: str) -> bool:
    row = run.knowledge.api(name)
    return row is not None and bool(row.extra.get("counts_only"))


def counts_only(event: Event) -> bool:
    """`torch.cuda.is_available()` looks for devices, and uses none."""
    call = event.extra.get("call")
    return call is not None and bool(call.row.extra.get("counts_only"))


def failed_before(reader: Met, later: Met) -> bool:
    """Is this in a handler of what failed to read it? It is for the next attempt."""
    handling = {id(node) for node, side in later.above if isinstance(node, Attempt) and 0 < side <= len(node.handlers)}
    return any(id(node) in handling and not side for node, side in reader.above)


def of_package(write: Write, event: Event) -> bool:
    """A package's own file has run before any of its modules does."""
    folder, _, name = write.met.event.path.rpartition("/")
    return name == "__init__.py" and write.met.event.function == "<module>" and event.path.startswith(f"{folder}/")


def of_own_program(run: Any, write: Write) -> bool:
    """The head of a file that is a program as well: it is for the runs that start there, and has a run of its own."""
    event = write.met.event
    if event.function != "<module>" or event.path == run.entry.path:
        return False
    return "__main__" in run.project.text(event.path)


def handed_on(run: Any, write: Write) -> bool:
    """Child processes started afterwards read the environment anew; a new group reads it, too."""
    for met in ordered(run):
        if met.number > write.met.number and met.event.kind == "record":
            if met.event.op in ("fork", "child") or (met.event.op == "init" and own_init(met, write)):
                return True
    return False


def read_by_itself(run: Any, write: Write) -> bool:
    """`os.environ["MASTER_PORT"] = "10639"; url = f"tcp://…:{os.environ['MASTER_PORT']}"`: it is for the program itself
    that it is kept there."""
    nodes = list(every_node(run.project.tree(write.met.event.path).body))
    written = {id(target) for node in nodes if isinstance(node, ir.Assign) for target in node.targets}
    return any(
        isinstance(node, ir.Index) and isinstance(node.index, ir.Const) and node.index.value == write.name
        for node in nodes
        if id(node) not in written
    )


def own_init(met: Met, write: Write) -> bool:
    return met.event.api.startswith("torch.distributed") and write.name.startswith(
        ("MASTER_", "TORCH_", "GLOO_", "TP_")
    )


# --- names nothing reads ---------------------------------------------------------------------------------------


def unread(run: Any, name: str, reads: frozenset[str] | set[str]) -> tuple[str, str] | None:
    """What works instead of a variable nobody reads, and what to say of it; None where somebody may read it."""
    if name in reads and name not in run.knowledge.settings:
        return None
    found = meant(run.knowledge, name, run.project.pins, run.entry.path)
    family = family_of(run.knowledge, name) if found is None else None
    if family is None or name in run.knowledge.settings or name in run.knowledge.environment:
        return found
    if family.extra.get("near_miss") or any(uses(run, package) for package in family.extra.get("unless", ())):
        return None
    if family.extra.get("family") and uses(run, str(family.extra["family"])):
        return "", "has no effect: neither jax nor jaxlib has an option of this name"
    return None


def meant(knowledge: Any, name: str, pins: Pins, path: str) -> tuple[str, str] | None:
    """The variable that is meant by a name that a row calls old or wrong, or that is nearly the one of a variable. In
    the versions that a project keeps to the old name may be the only one."""
    settings = knowledge.settings
    row = settings.get(name)
    old, since = renamed(knowledge, name)
    if old and pins.before(path, since):
        unknown = f"has no effect: {since} and later read it, and this project keeps to older ones"
        return None if old == name else (old, unknown)
    if row is not None:
        instead = row.extra.get("instead")
        return (str(instead), said(row, "nothing reads this name")) if instead else None
    if name in knowledge.environment or family_of(knowledge, name) is None:
        return None
    known = [other for other, row in settings.items() if other.isupper() and "instead" not in row.extra]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.88)
    return (near[0], "has no effect: nothing reads this name") if near else None


def family_of(knowledge: Any, name: str) -> Api | None:
    rows = ((prefix, row) for prefix, row in knowledge.settings.items() if prefix.endswith("_*"))
    return next((row for prefix, row in rows if name.startswith(prefix[:-1])), None)


def renamed(knowledge: Any, name: str) -> tuple[str, str]:
    """The older name of a variable, whichever of the two this is, and since when it has the newer one."""
    rows = ((older, row.extra) for older, row in knowledge.settings.items() if "renamed_in" in row.extra)
    pairs = ((older, str(extra["renamed_in"])) for older, extra in rows if name in (older, extra["instead"]))
    return next(pairs, ("", ""))


def other_name(knowledge: Any, name: str) -> str:
    """What else the variable is called in other versions."""
    older, _ = renamed(knowledge, name)
    return old_name(knowledge, name) or older


def old_name(knowledge: Any, name: str) -> str:
    """The new name of a variable that a library goes on reading under its old one."""
    row = knowledge.settings.get(name)
    return str(row.extra.get("instead", "")).strip("`") if row is not None and "told" in row.extra else ""


def asked_by_program(run: Any, name: str) -> bool:
    """Does a file of this program ask for the variable? Then the program means it for itself, whoever else does not."""
    known: dict[str, bool] = run.cache.setdefault("asked by the program", {})
    if old_name(run.knowledge, name):
        return False
    if name not in known:
        own = run.project.relatives(run.entry.path)
        known[name] = any(
            path in own and name in names_asked_for(run.project.module(path)) for path in run.project.mentioning(name)
        )
    return known[name]


def names_asked_for(module: ir.Module) -> set[object]:
    """`os.getenv("PATIENCE", 60)`, `os.environ.get("PATIENCE")`, `os.environ["PATIENCE"]` where it is not written."""
    nodes = list(every_node(module.body))
    written = {id(target) for node in nodes if isinstance(node, ir.Assign) for target in node.targets}
    asked = [node.index for node in nodes if isinstance(node, ir.Index) and id(node) not in written]
    for node in nodes:
        if isinstance(node, ir.Call) and node.args and getattr(node.func, "name", "") in ("get", "getenv"):
            asked.append(node.args[0])
    return {one.value for one in asked if isinstance(one, ir.Const)}


def said(row: Api, otherwise: str) -> str:
    """An old name may still be read, which is no reason to go on with it."""
    return str(row.extra.get("told") or f"has no effect: {row.extra.get('why', otherwise)}")


def uses(run: Any, package: str) -> bool:
    """Does any scanned file import the package?"""
    return package in run.project.packages()


def flags(value: Value) -> list[str]:
    """The names of the flags in `XLA_FLAGS`."""
    text = value.value if isinstance(value, Const) and isinstance(value.value, str) else ""
    return [word.partition("=")[0] for word in text.split() if word.startswith("--")]


def unread_writes(run: Any) -> Iterator[tuple[Write, str, str, str]]:
    """The write, the name nobody reads, what works instead, and what to say of it."""
    written = {write.name for write in writes(run)}
    for write in writes(run):
        reads = write.met.event.extra.get("reads", frozenset())
        found = unread(run, write.name, reads)
        if found is not None and not asked_by_program(run, write.name) and not for_older(run, write.name, written):
            yield write, write.name, *found
        yield from ((write, *found) for found in unread_flags(run.knowledge, write.value))
    given = list(handed(run))
    written = {write.name for write in given}
    for write in given:
        found = unread(run, write.name, frozenset())
        if found is not None and not asked_by_a_child(run, write.name) and not for_older(run, write.name, written):
            yield write, write.name, *found
        yield from ((write, *found) for found in unread_flags(run.knowledge, write.value))


def asked_by_a_child(run: Any, name: str) -> bool:
    """Which program the child is, nobody knows: any of the project may ask for the variable."""
    asking = run.project.mentioning(name) if not old_name(run.knowledge, name) else ()
    return any(name in names_asked_for(run.project.module(path)) for path in asking)


def unread_flags(knowledge: Any, value: Value) -> Iterator[tuple[str, str, str]]:
    for flag in flags(value):
        row = knowledge.settings.get(flag)
        if row is not None and row.extra.get("instead"):
            yield flag, str(row.extra["instead"]), said(row, "nothing reads this flag")


def unread_here(knowledge: Any, pins: Pins, variable: Any) -> Iterator[tuple[str, str, str]]:
    """The same of a variable that a launch file hands on, and of the flags in it."""
    name, text = variable.name, variable.given.value or ""
    other = other_name(knowledge, name)
    found = meant(knowledge, name, pins, variable.launch.path)
    if found is not None and (other not in variable.beside if other else not variable.read_here):
        yield name, *found
    yield from unread_flags(knowledge, Const(text))


def for_older(run: Any, name: str, written: set[str]) -> bool:
    """The one name of a variable in a program that sets the other as well: one is for another version."""
    return other_name(run.knowledge, name) in written


def debugging(run: Any) -> Iterator[tuple[Write, Api]]:
    """Debugging switches that are on in every run."""
    for write in chain(writes(run), handed(run)):
        row = run.knowledge.settings.get(write.name)
        wanted = row.extra.get("debug") if row is not None else None
        if wanted and isinstance(write.value, Const) and str(write.value.value) == wanted and not write.met.conditional:
            assert row is not None
            yield write, row
