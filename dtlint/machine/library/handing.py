"""Which framework takes a loader or data set over, and does it divide the data?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library import loaders
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, Const, Object, Tuple, Value


def prepare(machine: Machine, call: Invocation) -> Value | None:
    """`fabric.setup_dataloaders(train, test)`: each comes back in its place, divided."""
    if any(isinstance(value, Object) and value.kind == "<spread>" for value in call.arguments):
        return None
    given = tuple(one(machine, call, value) for value in call.arguments)
    if not given:
        return NONE
    return given[0] if len(given) == 1 else Tuple(given)


def one(machine: Machine, call: Invocation, value: Value) -> Value:
    if isinstance(value, Object) and loaders.is_loader(machine, value):
        return loaders.prepared(machine, value, call.name, call.mask)
    return value


def prepare_loader(machine: Machine, call: Invocation) -> Value | None:
    value = call.arguments[0] if call.arguments else call.get("data_loader")
    return one(machine, call, value) if value is not None else None


def fabric_setup(machine: Machine, call: Invocation) -> Value | None:
    for name, value in call.keywords:
        if name == "use_distributed_sampler" and isinstance(value, Const) and value.value is False:
            return call.arguments[0] if len(call.arguments) == 1 else Tuple(call.arguments)
    return prepare(machine, call)


MODELS = {
    "accelerate_prepare_loader": prepare_loader,
    "fabric_setup_loaders": fabric_setup,
}
__all__ = ["MODELS"]
