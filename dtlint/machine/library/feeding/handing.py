"""Which framework takes a loader or data set over, and does it divide the data?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.core import Machine
from dtlint.machine.functions import calls
from dtlint.machine.library.feeding import inside, loader_options, loaders, workers
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Decision
from dtlint.machine.names import classes
from dtlint.machine.values import FALSE, NONE, TRUE, ClassRef, Const, FunctionRef, Object, Tuple, Unknown, Value


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
        made = machine.new(loader_options.LOADER, call.mask)  # it takes loaders only, so this was one
        made.attributes["dataset"] = machine.unknown("dataset of", value.symbol)
        return loaders.prepared(machine, made, call.name, call.mask, call.receiver)
    if isinstance(value, Object) and loaders.is_loader(value):
        if call.row.extra.get("leaves_streams") and inside.is_iterable(machine, value.attributes.get("dataset", NONE)):
            return value  # there is no sampler to replace
        return loaders.prepared(machine, value, call.name, call.mask, call.receiver)
    return value


def prepare_loader(machine: Machine, call: Invocation) -> Value | None:
    value = call.arguments[0] if call.arguments else call.get("data_loader")
    return one(machine, call, value) if value is not None else None


def made_divided(machine: Machine, call: Invocation) -> Value:
    """`auto_dataloader(dataset, batch_size=8)`: a loader that the framework makes and divides."""
    row = machine.knowledge.apis[loader_options.LOADER]
    made = library.calling.perform(machine, row, None, call.arguments, call.keywords, call.mask, call.node)
    return loaders.prepared(machine, made, call.name, call.mask) if isinstance(made, Object) else made


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
    if isinstance(found, Object) and loaders.is_loader(found):
        loaders.described(machine, found)
        extra = {"replaces": replaces, "owner": trainer}
        machine.emit_event("record", "hand-over", call.name, call.mask, subject=found, extra=extra)


OWN_LOADER = "get_train_dataloader"


def to_hf_trainer(machine: Machine, call: Invocation) -> None:
    """The HF Trainer makes its own loader from the data set it was given, and divides it; a loader that the program
    makes instead it takes as it is."""
    trainer = call.receiver
    if not isinstance(trainer, Object):
        return
    own = classes.in_class(machine, trainer.kind, OWN_LOADER) if isinstance(trainer.kind, ClassRef) else None
    if isinstance(own, FunctionRef):
        found = calls.follow(machine, own, trainer, (), (), call.mask)
        if isinstance(found, Object) and loaders.is_loader(found):
            loaders.described(machine, found)
            extra = {"replaces": False, "as_launched": True}
            machine.emit_event("record", "hand-over", call.name, call.mask, subject=found, extra=extra)
        return
    dataset = trainer.attributes.get("train_dataset")
    if isinstance(dataset, Object):
        machine.emit_event("record", "hand-over", call.name, call.mask, subject=dataset, extra={"replaces": True})
        workers.performed(machine, loader_made(machine, trainer, dataset, call))


def loader_made(machine: Machine, trainer: Object, dataset: Object, call: Invocation) -> Invocation:
    """The call by which the trainer makes its loader, as far as its arguments say."""
    told = trainer.attributes.get("args")
    made = told.facts.get("call") if isinstance(told, Object) else None
    given: list[tuple[str | None, Value]] = []
    if isinstance(made, Invocation) and "loader_options" in made.row.extra:
        prefix = made.row.extra["loader_options"]
        given = [(name.removeprefix(prefix), held) for name, held in made.keywords if name is not None]
    collate = trainer.attributes.get("data_collator")
    keywords = (("dataset", dataset), *given, *((("collate_fn", collate),) if collate is not None else ()))
    return Invocation(
        loader_options.LOADER, machine.knowledge.apis[loader_options.LOADER], None, (), keywords, call.mask, call.node
    )


def train_loader(machine: Machine, trainer: Object, module: Value, call: Invocation) -> Value | None:
    """What `train_dataloader()` of a module gives on each rank."""
    if not isinstance(module, Object) or not isinstance(module.kind, ClassRef):
        return None
    method = classes.in_class(machine, module.kind, "train_dataloader")
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
            if classes.in_class(machine, given.kind, "train_dataloader") is not None:
                return given
    return None


def set_up(machine: Machine, trainer: Object, module: Object, mask: int) -> None:
    machine.set(module, "trainer", trainer, mask)
    prepare_once(machine, trainer, module, mask)
    setup = classes.in_class(machine, module.kind, "setup") if isinstance(module.kind, ClassRef) else None
    if isinstance(setup, FunctionRef):
        calls.follow(machine, setup, module, (Const("fit"),), (), mask)


PREPARED = "data prepared"


def prepare_once(machine: Machine, trainer: Object, module: Object, mask: int) -> None:
    """`prepare_data` runs in the first process of each node, or in the first of all; the others wait for it."""
    prepare = classes.in_class(machine, module.kind, "prepare_data") if isinstance(module.kind, ClassRef) else None
    if module.facts.get(PREPARED) or trainer.facts.get("alone"):
        return
    if not isinstance(prepare, FunctionRef) or not isinstance(prepare.node, ir.Function):
        return
    module.facts[PREPARED] = True
    world = machine.world
    everywhere = module.attributes.get("prepare_data_per_node", TRUE) != FALSE
    first = sum(1 << lane for lane in range(0, world.size, world.per_host if everywhere else world.size))
    who = "the first process of each node" if everywhere else "the first process of all"
    cause = machine.cause("node" if everywhere else "rank", f"the trainer calls `prepare_data` in {who}")
    at, lanes = prepare.node.at or machine.current_at, mask & first
    decision = Decision("branch", prepare.path, at, "prepare_data", cause, lanes, mask, prepare.node.qualname)

    def inside() -> int:
        calls.follow(machine, prepare, module, (), (), lanes)
        return lanes

    if lanes:
        machine.guarded(decision, inside)
    machine.emit_event("record", "may-meet", "prepare_data", mask)


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
    "loader_made_divided": made_divided,
    "fabric_setup_loaders": fabric_setup,
    "keras_compile": keras_compile,
    "keras_fit": keras_fit,
}
