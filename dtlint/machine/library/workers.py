"""Which data sets do loader workers hold a copy of, and who changes them afterwards?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import ClassRef, Object, Value


def performed(machine: Machine, call: Invocation) -> None:
    """A loader was made: from its first iteration on, its workers hold copies of the data set, of what that holds,
    and of who makes batches of its samples."""
    if call.row.record != "loader":
        return
    dataset = call.get("dataset")
    copied = [call.get("collate_fn")]
    if isinstance(dataset, Object) and isinstance(dataset.kind, ClassRef):
        machine.facts.setdefault("loaded", {})[dataset.number] = (call, dataset)
        copied += dataset.attributes.values()
    for held in copied:
        if isinstance(held, Object) and isinstance(held.kind, ClassRef):
            machine.facts.setdefault("loaded", {}).setdefault(held.number, (call, held))


def attribute_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    if isinstance(base, Object) and base.number in machine.facts.get("loaded", ()):
        call, _ = machine.facts["loaded"][base.number]
        machine.emit_event(
            "record", "dataset-write", name, mask, subject=base, extra={"loader": call, "attribute": name}
        )


def item_written(machine: Machine, container: Value, mask: int) -> None:
    """`dataset.settings["level"] = 2`; tensors and managed dictionaries may be shared with the workers."""
    plain = isinstance(container, Object) and container.kind in ("dict", "list")
    for _, dataset in machine.facts.get("loaded", {}).values() if plain else ():
        for name, held in dataset.attributes.items():
            if held is container:
                attribute_written(machine, dataset, name, container, mask)


MODELS: dict[str, Any] = {}
