"""Which data sets do loader workers hold a copy of, and who changes them afterwards?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import ClassRef, Object, Value


def performed(machine: Machine, call: Invocation) -> None:
    """A loader was made: from its first iteration on, its workers hold copies of the data set."""
    if call.row.record == "loader":
        dataset = call.get("dataset")
        if isinstance(dataset, Object) and isinstance(dataset.kind, ClassRef):
            machine.facts.setdefault("loaded", {})[dataset.number] = call


def attribute_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    if isinstance(base, Object) and base.number in machine.facts.get("loaded", ()):
        machine.emit_event(
            "record",
            "dataset-write",
            name,
            mask,
            subject=base,
            extra={"loader": machine.facts["loaded"][base.number], "attribute": name},
        )


MODELS: dict[str, Any] = {}
