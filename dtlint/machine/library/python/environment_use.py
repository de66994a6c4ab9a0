"""When does the program write environment variables, import libraries and start their backends?

A variable is read at one moment: when a library is imported, a backend started, a communicator made. Here these moments
become events, so that rules can ask which came first.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents import containers, presets
from dtlint.machine.contents.dictionaries import entries
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import MISSING, NONE, Const, External, Object, Tuple, Unknown, Value

ENVIRONMENT = "os.environ"
HANDED = "handed"  # of a call that starts a child: the variables it is given
DEFAULTS = "defaults of environment variables"  # fact of the run: what each is read with where it is not set


def written(machine: Machine, name: Value, value: Value, mask: int, default: bool = False) -> None:
    """`os.environ[name] = value`; `default`: where nobody has set it."""
    reads = machine.facts.setdefault("environment reads", set())
    machine.emit_event(
        "record",
        "env",
        ENVIRONMENT,
        mask,
        details=(("name", name), ("value", value)),
        extra={"reads": reads, "default": default},
    )


def item_written(machine: Machine, container: Value, index: Value, value: Value, mask: int) -> None:
    if isinstance(container, External) and container.name == ENVIRONMENT:
        written(machine, index, value, mask)


def read(machine: Machine, name: Value | None) -> None:
    """The program itself reads this variable: whoever writes it knows what for."""
    if isinstance(name, Const) and isinstance(name.value, str):
        machine.facts.setdefault("environment reads", set()).add(name.value)


def setdefault(machine: Machine, call: Invocation) -> Value | None:
    if len(call.arguments) > 1:
        written(machine, call.arguments[0], call.arguments[1], call.mask, default=True)
    return call.arguments[1] if len(call.arguments) > 1 else None


def copied(machine: Machine, call: Invocation) -> Value:
    """`os.environ.copy()`: a dictionary with whatever the environment holds."""
    made = machine.new("dict", call.mask)
    made.attributes["[]"] = machine.unknown("merged", ENVIRONMENT)
    return made


def holds_variables(container: Value, name: Value) -> bool:
    """The environment, or a copy of it in which nothing else was put under this name."""
    if isinstance(container, External):
        return container.name == ENVIRONMENT
    if not isinstance(container, Object) or container.kind != "dict" or not isinstance(name, Const):
        return False
    rest = container.attributes.get("[]")
    copy = isinstance(rest, Unknown) and rest.symbol.key == ("merged", ENVIRONMENT)
    return copy and container.attributes.get(("key", name.value), MISSING) is MISSING


def update(machine: Machine, call: Invocation) -> Value | None:
    for value in call.arguments[:1]:
        table_written(machine, value, call.mask)
    for keyword, held in call.keywords:
        if keyword is not None:
            written(machine, Const(keyword), held, call.mask)
    return NONE


def taken_over(machine: Machine, container: External, value: Value, mask: int) -> bool:
    """`os.environ |= table`"""
    if container.name == ENVIRONMENT:
        table_written(machine, value, mask)
    return container.name == ENVIRONMENT


def table_written(machine: Machine, value: Value, mask: int) -> None:
    found = presets.pairs(machine, value)
    if found is None and isinstance(value, Object) and value.kind == "dict":
        found = dict(entries(value))
    for name, held in (found or {}).items():
        if isinstance(name, str):
            written(machine, Const(name), held, mask)
    if isinstance(value, Object) and value.kind == "dict":
        perhaps = value.facts.get(containers.FILTERED)
        for pair in perhaps.items if isinstance(perhaps, Tuple) else ():
            if isinstance(pair, Tuple) and text(pair.items[0]):
                written(machine, pair.items[0], pair.items[1], mask)


# --- imports and backends --------------------------------------------------------------------------------------


def reads_variables(machine: Machine, package: str) -> bool:
    """Does its import make a runtime read its variables, of which somebody speaks?"""
    row = machine.knowledge.settings.get(f"import {package}")
    word = row.extra.get("mentioned") if row is not None else None
    return row is not None and (word is None or bool(machine.project.mentioning(str(word))))


def users(machine: Machine) -> tuple[tuple[str, str], ...]:
    """Packages of which any function starts a backend."""
    found: tuple[tuple[str, str], ...] | None = machine.notes.get(("users",))
    if found is None:
        found = tuple(
            (name.removeprefix("use ") + ".", str(row.extra["reader"]))
            for name, row in machine.knowledge.settings.items()
            if name.startswith("use ")
        )
        machine.notes["users",] = found
    return found


def imported(machine: Machine, dotted: str, path: str | None, mask: int) -> None:
    """A library, or a module of the project with all that its own body does, is imported for the first time."""
    seen = machine.facts.setdefault("imported", set())
    name = path or dotted
    if name in seen:
        return
    seen.add(name)
    if path is not None:
        log = machine.notes.get(("module log", path))
        if log is not None and log.nodes:
            machine.emit_event("record", "import", dotted, mask, extra={"module log": log})
        if machine.notes.get(("module asks", path)):
            machine.facts["global rank"] = True
        return
    if reads_variables(machine, dotted.partition(".")[0]):
        machine.emit_event("record", "import", dotted, mask)


def used(machine: Machine, name: str, mask: int) -> None:
    """The first call of a library whose functions start a backend."""
    for prefix, reader in users(machine):
        if name.startswith(prefix):
            if (reader, len(machine.stack) > 0) not in machine.facts.setdefault("backends", set()):
                machine.facts["backends"].add((reader, len(machine.stack) > 0))
                machine.emit_event("record", "backend", name, mask)
            return


def set_aside(machine: Machine) -> dict[str, Any]:
    """A module's body is run once and kept: what it imports and starts is told anew in its own log."""
    return {name: machine.facts.pop(name) for name in ("imported", "backends") if name in machine.facts}


def take_back(machine: Machine, kept: dict[str, Any]) -> None:
    for name in ("imported", "backends"):
        machine.facts.pop(name, None)
    machine.facts.update(kept)


def text(value: Value) -> str | None:
    """What a string is, rank by rank the same, as far as it is known."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


FUNCTIONS: dict[str, Any] = {"os.environ.update": update}


def child_started(machine: Machine, call: Invocation) -> None:
    """`subprocess.run(command, env=table)`: what the table holds by then, whatever is put there later."""
    table = call.get("env")
    if isinstance(table, Object) and table.kind == "dict":
        call.extra[HANDED] = dict(entries(table))


MODELS: dict[str, Any] = {
    "environment_default": setdefault,
    "environment_copied": copied,
    "child_started": child_started,
}
