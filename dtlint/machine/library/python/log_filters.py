"""Which ranks does a filter of a log let through, and into which file does it go?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import BY_RANK, FALSE, NONE, ClassRef, FunctionRef, Object, Value

LEVEL = "log-level"


def added(machine: Machine, call: Invocation) -> Value:
    """`logger.addFilter(lambda record: rank == 0)` is a level by rank."""
    from dtlint.machine.functions import calls
    from dtlint.machine.names import attributes

    chosen = call.get("filter")
    if isinstance(chosen, Object) and isinstance(chosen.kind, ClassRef):
        method = attributes.in_class(machine, chosen.kind, "filter")
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


def configured(machine: Machine, call: Invocation) -> None:
    """`logging.basicConfig(filename="train.log")` opens the file as well."""
    if call.get("filename") not in (None, NONE):
        machine.emit_event("record", "file-write", call.name, call.mask, extra={"call": call})


MODELS = {"log_filter": added, "log_configured": configured}
