"""What is a path made of, and which calls open, make or leave what at it?

A path is told by its text: constants where they are known, a placeholder for each part that is not. Two paths with
equal texts are the same place, one whose text goes on after a slash is inside the other. The text is kept per lane, so
that a rank in it tells the lanes' places apart.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from dtlint.knowledge.rows import Api
from dtlint.machine.contents.opaque import all_tags, deep_cause, first_cause, opaque
from dtlint.machine.core import Machine
from dtlint.machine.joining import join
from dtlint.machine.lanes import lanes_in, map_lanes, token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python.folders import OF_NODE, node_local, said_to_be
from dtlint.machine.logs import plain_question
from dtlint.machine.starts.state import objects_in
from dtlint.machine.values import (
    BY_PROCESS,
    BY_SHARE,
    NONE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
    lane_value,
)

PATH = "pathlib.Path"
OF_PYTHON = ("sys.", "builtins.")  # modules that keep streams and functions, and no paths
HANDLE = "io.TextIOWrapper"
WRITING = frozenset("wax+")
JOINED = "path"
LOOKED_FOR = "names looked for"  # fact: the patterns that the names of a listing are held to, by its place
FOLDERS = "folders of paths"  # fact: what stands before the last part of a path that was put together


# --- values ----------------------------------------------------------------------------------------------------


def is_path(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == PATH


ASKING = {"startswith": "{}*", "endswith": "*{}", "in": "*{}*"}


def note_looked_for(machine: Machine, name: Value, method: str, arguments: tuple[Value, ...]) -> None:
    """`[name for name in os.listdir(folder) if name.startswith("step_")]`: what is not called so is left out."""
    if method not in ASKING or len(arguments) != 1:
        return
    text = arguments[0].value if isinstance(arguments[0], Const) else None
    if not isinstance(text, str):
        return
    for _, path, at, *_ in provenance.marks(name, "order", 0):
        known = machine.facts.setdefault(LOOKED_FOR, {}).setdefault((path, at), set())
        known.add(ASKING[method].format(text))


def no_place(value: Value, given: bool) -> bool:
    """Something that is open already or, where it was `given` to a call, lives in memory: an object of a library that
    is not a path; or `sys.stderr`, or what is called with each line."""
    called = value.function if isinstance(value, Bound) else value  # `options.output_dir` of a library may be a path
    if isinstance(called, FunctionRef) or (isinstance(value, External) and value.name.startswith(OF_PYTHON)):
        return given
    if not isinstance(value, Object) or not isinstance(value.kind, str):
        return False
    return value.kind == HANDLE or (given and "text" not in value.facts)


def text_of(value: Value) -> Value:
    """The text of a path, or of whatever stands for one."""
    if isinstance(value, Row) and any(is_path(held) for held in value.lanes):
        return Row(tuple(text_of(held) for held in value.lanes), value.cause)
    if isinstance(value, Object):
        held = value.facts.get("text")
        return held if isinstance(held, Value) else value
    return value


def path_of(machine: Machine, text: Value, mask: int) -> Object:
    made = machine.new(PATH, mask)
    made.facts["text"] = text
    return made


def named(machine: Machine, made: Object, call: Invocation) -> None:
    """`bucket.blob(f"logs/{rank}.json")`: what a bucket holds stands for its place there."""
    given = call.get(str(call.row.extra.get("stands_for", "")))
    if given is None:
        return
    around = call.receiver.facts.get("text") if isinstance(call.receiver, Object) else None
    made.facts["text"] = joined(machine, around if isinstance(around, Value) else Const(BUCKETS), text_of(given))


def joined(machine: Machine, *parts: Value) -> Value:
    """`os.path.join`, lane by lane."""

    def one(*held: Value) -> Value:
        if all(isinstance(part, Const) and isinstance(part.value, str) for part in held):
            return Const(posixpath.join(*(part.value for part in held)))  # type: ignore[attr-defined]

        known = [token(part) for part in held]
        made = machine.unknown(JOINED, *known, cause=first_cause(*held), tags=all_tags(*held))
        machine.facts.setdefault(FOLDERS, {})[made.symbol] = held[:-1]
        return made

    return map_lanes(one, tuple(text_of(part) for part in parts), machine.world)


def divided(machine: Machine, left: Value, right: Value, mask: int) -> Value | None:
    """`folder / name`; who divides something by a text has a path."""
    named = isinstance(left, Unknown) and isinstance(right, Const) and isinstance(right.value, str)
    if (
        named
        or is_path(left)
        or is_path(right)
        or (isinstance(left, Row) and any(is_path(held) for held in left.lanes))
    ):
        return path_of(machine, joined(machine, left, right), mask)
    return None


def spoken(value: Value) -> Value:
    """The path inside an f-string or `str(…)`."""
    return text_of(value) if is_path(value) else value


# --- what a path says ------------------------------------------------------------------------------------------


NOTHING: Mapping[Symbol, bool] = {}


def place(value: Value, lane: int, answers: Mapping[Symbol, bool] = NOTHING) -> str:
    """Where this is for one lane; of one of two places, as these questions have been answered."""
    return posixpath.normpath(written(lane_value(text_of(value), lane), answers))


def written(value: Value, answers: Mapping[Symbol, bool] = NOTHING) -> str:
    if isinstance(value, Const):
        return str(value.value)
    if isinstance(value, Unknown):
        return of_symbol(value.symbol, 0, answers)
    if isinstance(value, External) and value.name == "os.devnull":
        return "/dev/null"
    return f"<{token(value)}>"


BUCKETS = "gs://"  # where a bucket is, of which nobody knows the name
PLAIN = ("int", "float", "bool")
TEXTS = frozenset({"text", "op +", "builtins.str", "os.fspath"})


def of_symbol(part: Any, depth: int, answers: Mapping[Symbol, bool]) -> str:
    if isinstance(part, Symbol):
        word = part.key[0]
        if depth > 8:
            return f"<{id(part)}>"
        if word == JOINED:
            return "/".join(of_symbol(inner, depth + 1, answers) for inner in part.key[1:])
        if word in TEXTS:
            return "".join(of_symbol(inner, depth + 1, answers) for inner in part.key[1:])
        if word == "phi" and answers:
            asked, given = plain_question(part.key[1])
            if asked is not None and asked in answers:
                return of_symbol(part.key[2 if answers[asked] is given else 3], depth + 1, answers)
        if word == "same" and len(part.key) > 1 and part.key[1] == "tempfile.gettempdir":
            return "/tmp"
        if word == "environment" and part.key[1] in OF_NODE:
            return "/tmp"
        if word == "environment" and (folder := said_to_be(part.key[1])):
            return f"{folder}/<{id(part)}>"
        sides = [of_symbol(side, depth + 1, answers) for side in part.key[2:]] if word == "phi" else ["<"]
        if not any(side.startswith("<") for side in sides):
            return "|".join(sides)  # one or the other, and both are written down
        return f"<{id(part)}>"
    if isinstance(part, str | int):
        return str(part)
    if isinstance(part, tuple) and len(part) in (2, 3) and part[0] in PLAIN:
        return str(part[1])
    return f"<{part}>"


def on_this_node(call: Invocation) -> bool:
    """Does a question to the file system concern a place of this node only?"""
    target = call.receiver if call.receiver is not None else call.arguments[0] if call.arguments else None
    return target is not None and node_local(place(target, 0))


# --- calls -----------------------------------------------------------------------------------------------------


def path_made(machine: Machine, call: Invocation) -> Value:
    parts = call.arguments or (Const("."),)
    text = joined(machine, *parts) if len(parts) > 1 else text_of(parts[0])
    return path_of(machine, text, call.mask)


def path_joined(machine: Machine, call: Invocation) -> Value:
    parts = (call.receiver, *call.arguments) if call.receiver is not None else call.arguments
    if not parts or any(isinstance(part, Object) and part.kind == "<spread>" for part in parts):
        return machine.fresh("path")
    text = joined(machine, *parts)
    return path_of(machine, text, call.mask) if call.receiver is not None else text


def path_same(machine: Machine, call: Invocation) -> Value | None:
    """`os.path.abspath(path)`, `path.resolve()`: another spelling of the same place."""
    if call.receiver is not None:
        return call.receiver
    return call.arguments[0] if call.arguments else None


def path_parent(machine: Machine, call: Invocation) -> Value | None:
    """`os.path.dirname(path)`"""
    return parent(machine, call.arguments[0]) if call.arguments else None


def path_split(machine: Machine, call: Invocation) -> Value | None:
    """`folder, name = os.path.split(path)`"""
    if not call.arguments:
        return None
    return Tuple((parent(machine, call.arguments[0]), opaque(machine, "os.path.basename", text_of(call.arguments[0]))))


def parent(machine: Machine, value: Value) -> Value:
    def one(text: Value) -> Value:
        if isinstance(text, Const) and isinstance(text.value, str):
            return Const(posixpath.dirname(text.value))
        if not isinstance(text, Unknown):
            return opaque(machine, "parent", text)
        path = without_ending(text.symbol)
        either = machine.symbols.either.get(path)
        if either is not None:  # one of two paths
            return join(one(either.then), one(either.other), machine.symbols, either.question, None)
        folder = machine.facts.get(FOLDERS, {}).get(path)
        if folder:  # what only the last part differs by is gone
            found = folder[0] if len(folder) == 1 else joined(machine, *folder)
            if isinstance(found, Unknown) and text.cause is None:  # one process has named it for all
                return Unknown(found.symbol, None, found.tags, found.like)
            return found
        return opaque(machine, "parent", text)

    return map_lanes(one, (text_of(value),), machine.world)


def without_ending(path: Symbol) -> Symbol:
    """`path + ".rank1"`, `f"{path}.{step}"` with a number that is written out: they lie where `path` does."""
    first, *ending = path.key[1:] if path.key[0] in ("op +", "text") and len(path.key) > 2 else (None,)
    plain = all(type(part) is int or (isinstance(part, str) and "/" not in part) for part in ending)
    return without_ending(first) if isinstance(first, Symbol) and plain else path


def path_beside(machine: Machine, call: Invocation) -> Value | None:
    """`path.with_suffix(".part")`, `path.with_name(name)`: another name in the same folder."""
    if call.receiver is None or not call.arguments:
        return None
    method = call.name.rpartition(".")[2]

    def one(text: Value, given: Value) -> Value:
        key = text.symbol.key if isinstance(text, Unknown) else ()
        last = key[-1] if key and key[0] == JOINED else text.value if isinstance(text, Const) else None
        try:
            named = str(getattr(PurePosixPath(str(last)), method)(given.value)) if isinstance(given, Const) else None
        except ValueError:
            named = None
        if isinstance(last, str) and named is not None:
            return Const(named) if not key else machine.unknown(*key[:-1], named, cause=text.cause, tags=text.tags)
        cause, tags = first_cause(text, given), all_tags(text, given)
        return machine.unknown(call.name, token(text), token(given), cause=cause, tags=tags)

    texts = (text_of(call.receiver), text_of(call.arguments[0]))
    return path_of(machine, map_lanes(one, texts, machine.world), call.mask)


PARENTS = "pathlib.Path.parents"


def read_item(machine: Machine, base: Value, index: Value, mask: int) -> Value | None:
    """`path.parents[1]`"""
    if not isinstance(base, Object) or base.kind != PARENTS or not isinstance(index, Const):
        return None
    found: Value = base.facts["path"]
    for _ in range(index.value + 1 if type(index.value) is int else 0):
        found = parent(machine, found)
    return path_of(machine, found, mask) if found is not base.facts["path"] else None


def attribute(machine: Machine, thing: Object, name: str, mask: int) -> Value | None:
    if name == "parent":
        return path_of(machine, parent(machine, thing), mask)
    if name == "parents":
        made = machine.new(PARENTS, mask)
        made.facts["path"] = thing
        return made
    if name in ("name", "stem", "suffix", "parts"):

        def one(text: Value) -> Value:
            if isinstance(text, Const) and isinstance(text.value, str):
                base = posixpath.basename(text.value)
                stem, dot = posixpath.splitext(base)
                return Const({"name": base, "stem": stem, "suffix": dot}.get(name, base))
            return opaque(machine, f"path.{name}", text)

        return map_lanes(one, (text_of(thing),), machine.world)
    return None


def opened(machine: Machine, call: Invocation) -> Value:
    """`open(path, mode)`, `tarfile.open(path, mode)`: what is done with the file is known from the mode."""
    target = call.receiver if is_path(call.receiver or NONE) else call.get(call.row.params[0])
    given = call.get("mode")
    word = "r" if given is None else str(given.value).partition(":")[0] if isinstance(given, Const) else ""
    made = machine.new(call.row.type or HANDLE, call.mask)
    made.facts["text"] = text_of(target) if target is not None else NONE
    stream = isinstance(target, External) and target.name != "os.devnull"  # `sys.stdout` is open already
    stream = stream or (target is not None and no_place(target, given=False))
    if word and target is not None and not stream:
        writes = bool(WRITING.intersection(word)) and word != call.row.extra.get("in_place")  # each rank its own rows
        kind = "file-write" if writes else "file-read"
        extra = {"call": call, "target": target, "mode": word}
        event = machine.emit_event("record", kind, call.name, call.mask, subject=target, extra=extra)
        made.facts["opened"] = event
        if word.startswith("a"):
            machine.facts["appending"] = True
        held = content(machine, made.facts["text"]) if not writes else None
        if held is not None:
            machine.set(made, "content", held, call.mask)
    return made


APPENDED = "appended"


def handed(machine: Machine, call: Invocation) -> None:
    """Opening a file to append to it changes nothing: what is done with it afterwards does."""
    if "appending" in machine.facts and call.name.rpartition(".")[2] not in SPARING:
        for held in (thing for value in (call.receiver, *call.values) for thing in objects_in(value)):
            event = held.facts.get("opened")
            if event is not None and event.extra["mode"].startswith("a"):
                machine.emit_event("record", APPENDED, call.name, call.mask, extra={"opened": event})


SPARING = frozenset({"close", "flush", "fileno", "seek", "tell", "__enter__", "__exit__"})


def content(machine: Machine, text: Value) -> Value | None:
    """What stands in a file, where each rank opens another one."""
    if text.cause is None or text.cause.kind not in BY_PROCESS | BY_SHARE:
        return None
    return provenance.own_data(machine, machine.unknown("content", token(text), cause=text.cause))


def line_of(machine: Machine, handle: Object) -> Value | None:
    """What a walk over an open file gives."""
    cause = deep_cause(machine, (handle,))
    return machine.unknown("item", token(handle), cause=cause) if cause is not None else None


FETCHED = "fetched"  # fact of the run: the places that a data set has been fetched into


def fetching_data(machine: Machine, call: Invocation) -> Value | None:
    """A data set that is read from `root`, and fetched into it first where `download` says so and nobody else has.

    Once some ranks have fetched it, all ranks read: each of them looks whether it has to fetch anything.
    """
    target = call.get(str(call.row.extra["path"]))
    if target is None:
        return None
    asked = call.get("download") or Const(False)
    fetching = sum(
        1 << lane
        for lane in lanes_in(call.mask)
        if not isinstance(held := lane_value(asked, lane), Const) or held.value
    )
    place, known = token(target), machine.facts.setdefault(FETCHED, set())
    first = isinstance(asked, Const) and place not in known  # and they look all at once
    some = fetching if fetching != machine.world.full or first else 0
    if some:
        known.add(place)
    for kind, lanes in (("download", some), ("file-read", call.mask & ~some)):
        if lanes:
            machine.emit_event("record", kind, call.name, lanes, subject=target, extra={"call": call, "target": target})
    return None


def absent(machine: Machine, callee: Row, target: Value, lanes: int) -> None:
    """A method of an open file, of a log writer or of an instance of the project's is called by lanes that hold None
    instead."""
    if not (isinstance(target, Bound) and target.receiver == NONE):
        return
    for held in callee.lanes:
        thing = held.receiver if isinstance(held, Bound) else None
        if isinstance(thing, Object) and (isinstance(thing.kind, ClassRef) or writes(machine, str(thing.kind))):
            name = thing.kind.name if isinstance(thing.kind, ClassRef) else str(thing.kind)
            machine.emit_event("record", "absent-used", name, lanes, subject=thing, extra={"made": thing})
            return


def writes(machine: Machine, kind: str) -> bool:
    """Is it an open file or a log writer?"""
    row = machine.knowledge.api(kind)
    return kind == HANDLE or kind in LOGS or (row is not None and row.record == "log-init")


LOGS = frozenset({"wandb.Run"})


_ANYWHERE: dict[int, dict[str, Api]] = {}


def anywhere(machine: Machine, name: str) -> Api | None:
    """A method that means the same on whatever object has it (`extra.anywhere` in the packs)."""
    known = _ANYWHERE.get(id(machine.knowledge.apis))
    if known is None:
        rows = (row for row in machine.knowledge.apis.values() if row.extra.get("anywhere"))
        known = _ANYWHERE[id(machine.knowledge.apis)] = {row.name.rpartition(".")[2]: row for row in rows}
    return known.get(name)


def to_text(call: Invocation) -> Value | None:
    return text_of(call.arguments[0]) if call.arguments and is_path(call.arguments[0]) else None


MODELS = {
    "path_made": path_made,
    "path_joined": path_joined,
    "path_same": path_same,
    "path_parent": path_parent,
    "path_split": path_split,
    "path_beside": path_beside,
    "open_file": opened,
    "fetching_data": fetching_data,
}
