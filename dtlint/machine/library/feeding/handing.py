"""Which framework takes a loader or data set over, and does it divide the data?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.functions import calls
from dtlint.machine.library.feeding import inside, loaders
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.names import attributes
from dtlint.machine.values import NONE, ClassRef, Const, FunctionRef, Object, Tuple, Unknown, Value


def prepare(machine: Machine, call: Invocation) -> Value | None:
    """`fabric.setup_dataloaders(train, test)`: each comes back in its place, divided."""
    if any(isinstance(value, Object) and value.kind == "<spread>" for value in call.arguments):
        return None
    given = tuple(one(machine, call, value) for value in call.arguments)
    if not given:
        return NONE
    return given[0] if len(given) == 1 else Tuple(given)


def one(machine: Machine, call: Invocation, value: Value) -> Value:
    if isinstance(value, Unknown) and call.row.extra.get("loaders") and value.symbol.key[0] != "loop":
        made = machine.new(loaders.LOADER, call.mask)  # it takes loaders only, so this was one
        made.attributes["dataset"] = machine.unknown("dataset of", value.symbol)
        return loaders.prepared(machine, made, call.name, call.mask, call.receiver)
    if isinstance(value, Object) and loaders.is_loader(machine, value):
        if call.row.extra.get("leaves_streams") and inside.is_iterable(machine, value.attributes.get("dataset", NONE)):
            return value  # there is no sampler to replace
        return loaders.prepared(machine, value, call.name, call.mask, call.receiver)
    return value


def prepare_loader(machine: Machine, call: Invocation) -> Value | None:
    value = call.arguments[0] if call.arguments else call.get("data_loader")
    return one(machine, call, value) if value is not None else None


def fabric_setup(machine: Machine, call: Invocation) -> Value | None:
    for name, value in call.keywords:
        if name == "use_distributed_sampler" and isinstance(value, Const) and value.value is False:
            return call.arguments[0] if len(call.arguments) == 1 else Tuple(call.arguments)
    return prepare(machine, call)


def to_trainer(machine: Machine, call: Invocation) -> None:
    """A trainer that owns the loop takes loaders and data modules: does it put a sampler of its own in front?"""
    trainer = call.receiver
    if not isinstance(trainer, Object):
        return
    given = trainer.attributes.get("use_distributed_sampler", trainer.attributes.get("replace_sampler_ddp"))
    replaces = not (isinstance(given, Const) and given.value is False)
    given_loaders = call.get("train_dataloaders")
    found = None
    for source in (given_loaders, call.get("datamodule"), call.get("model")):  # the second may be in the first's place
        if found is None and isinstance(source, Object):
            found = train_loader(machine, trainer, source, call)
    found = found or given_loaders
    if isinstance(found, Object) and loaders.is_loader(machine, found):
        loaders.described(machine, found)
        machine.emit_event("record", "hand-over", call.name, call.mask, subject=found, extra={"replaces": replaces})


OWN_LOADER = "get_train_dataloader"


def to_hf_trainer(machine: Machine, call: Invocation) -> None:
    """The HF Trainer makes its own loader from the data set it was given, and divides it; a loader that the program
    makes instead it takes as it is."""
    trainer = call.receiver
    own = (
        attributes.in_class(machine, trainer.kind, OWN_LOADER)
        if isinstance(trainer, Object) and (isinstance(trainer.kind, ClassRef))
        else None
    )
    if isinstance(own, FunctionRef) and isinstance(trainer, Object):
        found = calls.follow(machine, own, trainer, (), (), call.mask)
        if isinstance(found, Object) and loaders.is_loader(machine, found):
            loaders.described(machine, found)
            extra = {"replaces": False, "as_launched": True}
            machine.emit_event("record", "hand-over", call.name, call.mask, subject=found, extra=extra)
        return
    dataset = trainer.attributes.get("train_dataset") if isinstance(trainer, Object) else None
    if isinstance(dataset, Object):
        machine.emit_event("record", "hand-over", call.name, call.mask, subject=dataset, extra={"replaces": True})


def train_loader(machine: Machine, trainer: Object, module: Value, call: Invocation) -> Value | None:
    """What `train_dataloader()` of a module gives on each rank."""
    if not isinstance(module, Object) or not isinstance(module.kind, ClassRef):
        return None
    method = attributes.in_class(machine, module.kind, "train_dataloader")
    if not isinstance(method, FunctionRef):
        return None
    if module is not module_of_data(machine, call):
        set_up(machine, trainer, module, call.mask)
    return calls.follow(machine, method, module, (), (), call.mask)


def data_module(machine: Machine, call: Invocation) -> None:
    """A trainer knows the data module before it asks the model for anything, and lets it set itself up."""
    trainer, module = call.receiver, module_of_data(machine, call)
    if isinstance(trainer, Object) and module is not None:
        machine.set(trainer, "datamodule", module, call.mask)
        set_up(machine, trainer, module, call.mask)


def module_of_data(machine: Machine, call: Invocation) -> Object | None:
    """By its name, or in the place of the loaders."""
    for given in (call.get("datamodule"), call.get("train_dataloaders"), call.get("dataloaders")):
        if isinstance(given, Object) and isinstance(given.kind, ClassRef):
            if attributes.in_class(machine, given.kind, "train_dataloader") is not None:
                return given
    return None


def set_up(machine: Machine, trainer: Object, module: Object, mask: int) -> None:
    machine.set(module, "trainer", trainer, mask)
    setup = attributes.in_class(machine, module.kind, "setup") if isinstance(module.kind, ClassRef) else None
    if isinstance(setup, FunctionRef):
        calls.follow(machine, setup, module, (Const("fit"),), (), mask)


def keras_compile(machine: Machine, call: Invocation) -> Value:
    """`model.compile(optimizer=…)`"""
    optimizer = call.get("optimizer")
    if isinstance(call.receiver, Object) and optimizer is not None:
        machine.set(call.receiver, "optimizer", optimizer, call.mask)
    return NONE


def keras_fit(machine: Machine, call: Invocation) -> Value | None:
    """`model.fit(dataset)` walks over it as it is, also where the optimizer combines the gradients of all ranks."""
    optimizer = call.receiver.attributes.get("optimizer") if isinstance(call.receiver, Object) else None
    kind = optimizer.kind if isinstance(optimizer, Object) else None
    row = machine.knowledge.method(kind, "step") if isinstance(kind, str) else None
    given = call.get("x")
    if isinstance(given, Object) and row is not None and row.extra.get("combines_gradients"):
        extra = {"replaces": False, "together": True}
        machine.emit_event("record", "hand-over", call.name, call.mask, subject=given, extra=extra)
    return None


MODELS = {
    "accelerate_prepare_loader": prepare_loader,
    "fabric_setup_loaders": fabric_setup,
    "keras_compile": keras_compile,
    "keras_fit": keras_fit,
}
