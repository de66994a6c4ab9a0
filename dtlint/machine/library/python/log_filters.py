"""Which ranks does a level or a filter of a log let through, and into which file does it go?"""

from __future__ import annotations

from dtlint.machine.contents.opaque import opaque
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import BY_RANK, FALSE, NONE, ClassRef, Const, External, FunctionRef, Object, Row, Value

LEVEL = "log-level"
LOGGER = "logging.Logger"
LOGGERS = "loggers"  # fact of the run: by name
OF_ALL = "level of the root"  # fact of the run: what loggers have that were given no level
NUMBERS = {"DEBUG": 10, "INFO": 20, "WARN": 30, "WARNING": 30, "ERROR": 40, "CRITICAL": 50, "FATAL": 50}


def added(machine: Machine, call: Invocation) -> Value:
    """`logger.addFilter(lambda record: rank == 0)` is a level by rank."""
    from dtlint.machine.functions import calls
    from dtlint.machine.names import attributes, classes

    chosen = call.get("filter")
    if isinstance(chosen, Object) and isinstance(chosen.kind, ClassRef):
        method = classes.in_class(machine, chosen.kind, "filter")
        chosen = attributes.bind(machine, method, chosen, call.mask) if isinstance(method, FunctionRef) else None
    if chosen is not None:
        record = machine.unknown("log record", call.name)
        answer = calls.call_value(machine, chosen, (record,), (), call.mask)
        if answer.cause is not None and answer.cause.kind in BY_RANK:
            machine.emit_event("record", LEVEL, call.name, call.mask, extra={"by rank": True})
    return NONE


def attribute_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    """`logger.disabled = True` below a question of the rank, or `logger.disabled = rank != 0`"""
    if value == FALSE or not isinstance(base, Object) or not isinstance(base.kind, str):
        return
    row = machine.knowledge.attribute(base.kind, name)
    if row is not None and row.record == LEVEL:
        by_rank = {"by rank": True} if value.cause is not None and value.cause.kind in BY_RANK else {}
        machine.emit_event("record", LEVEL, row.name, mask, subject=base, extra=by_rank)


def made(machine: Machine, call: Invocation) -> Value:
    """`logging.getLogger("train")` is the same one wherever it is asked for."""
    name = call.get("name") or NONE
    known = machine.facts.setdefault(LOGGERS, {})
    if not isinstance(name, Const):
        return machine.new(LOGGER, call.mask)
    if name.value not in known:
        born, machine.born = machine.born, None  # no call makes it anew
        known[name.value] = machine.new(LOGGER, machine.world.full)
        machine.born = born
    logger: Value = known[name.value]
    return logger


def level_set(machine: Machine, call: Invocation) -> Value:
    """`logger.setLevel(logging.INFO if rank == 0 else logging.ERROR)`"""
    level = call.get("level")
    if isinstance(call.receiver, Object) and level is not None:
        machine.set(call.receiver, "level", level, call.mask)
    return NONE


def enabled(machine: Machine, call: Invocation) -> Value | None:
    """`logger.isEnabledFor(logging.INFO)`, where the level was set by rank"""
    asked = call.get("level")
    held = call.receiver.attributes.get("level") if isinstance(call.receiver, Object) else None
    held = machine.facts.get(OF_ALL) if held is None else held
    if asked is None or not isinstance(held, Row):
        return None

    def lets_through(level: Value, wanted: Value) -> Value:
        least, number = number_of(level), number_of(wanted)
        known = least is not None and number is not None
        return Const(number >= least) if known else opaque(machine, call.name, level, wanted)  # type: ignore[operator]

    return map_lanes(lets_through, (held, asked), machine.world)


def number_of(level: Value) -> int | None:
    """`logging.INFO`, "INFO" or 20"""
    if isinstance(level, External):
        package, _, name = level.name.rpartition(".")
        return NUMBERS.get(name) if package == "logging" else None
    if isinstance(level, Const):
        return level.value if type(level.value) is int else NUMBERS.get(str(level.value).upper())
    return None


def configured(machine: Machine, call: Invocation) -> None:
    """`logging.basicConfig(filename="train.log")` opens the file as well."""
    if (level := call.get("level")) is not None:
        machine.facts[OF_ALL] = level
    if call.get("filename") not in (None, NONE):
        machine.emit_event("record", "file-write", call.name, call.mask, extra={"call": call})


MODELS = {
    "log_filter": added,
    "log_configured": configured,
    "log_made": made,
    "log_level": level_set,
    "log_enabled": enabled,
}
