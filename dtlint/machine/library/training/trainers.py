"""Trainers that own the loop: which methods of modules and callbacks do they call, on every rank?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.feeding import handing, loaders, workers
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting import collectives, group_start
from dtlint.machine.library.python import run_later
from dtlint.machine.library.training import stepping, wrapping
from dtlint.machine.logs import Decision
from dtlint.machine.names import attributes, classes
from dtlint.machine.values import BY_RANK, NONE, ClassRef, Const, FunctionRef, Object, Row, Tuple, Unknown, Value

STATE = "transformers.TrainerState"
CONTROL = "transformers.TrainerControl"
ARGUMENTS = "transformers.TrainingArguments"
WRAPPED = "wrapped by a trainer"  # fact of a module: a symbol made when its hooks had built it
TURNS = "framework turns"  # fact of the run: the methods that a trainer calls with every batch


def constructed(machine: Machine, thing: Object, call: Invocation) -> None:
    """What a trainer was given, in the attributes under which it is known later; of a word it makes the thing."""
    given_values = [(name, call.get(name)) for name in call.row.params]
    for name, value in (*given_values, *call.keywords):
        made = isinstance(value, Const) and machine.knowledge.attribute(call.row.type, name or "") is not None
        if name is not None and value is not None and not made:
            thing.attributes.setdefault(name, value)
    given = thing.attributes.get("args")
    if isinstance(given, Object) and given.facts.get("sharded"):
        thing.facts["sharded"] = True
    callbacks = call.get("callbacks")
    if callbacks is not None:
        thing.facts.setdefault("callbacks", []).append((callbacks, call.mask))


def hf_trainer(machine: Machine, call: Invocation) -> Value:
    made = machine.new(machine.knowledge.canonical(call.row.type), call.mask)
    made.facts.update(api=call.row.name, call=call)
    constructed(machine, made, call)
    return made


def parsed(machine: Machine, call: Invocation) -> Value | None:
    """`parser.parse_args_into_dataclasses()`: one of each class that the parser was made for. Of those that are no
    arguments for a trainer nothing is known."""
    made = call.receiver.facts.get("call") if isinstance(call.receiver, Object) else None
    given = made.values[0] if isinstance(made, Invocation) and made.values else None
    kinds = containers.items_of(machine, given) if given is not None else None
    if given is not None and kinds is None:
        kinds = (given,)
    if kinds is None or not any(of_a_trainer(machine, kind) for kind in kinds):
        return None
    assert isinstance(call.receiver, Object)
    machine.emit_event("record", "device", call.name, call.mask, extra={"call": call})  # those for a trainer choose one
    group_start.started(machine, call.mask, call.row)  # and begin the group for it
    one_each = [
        filled_in(machine, kind, call.mask)
        if of_a_trainer(machine, kind)
        else machine.unknown("item", call.row.name, call.receiver.number, number)
        for number, kind in enumerate(kinds)
    ]
    rest = call.get("return_remaining_strings")
    return Tuple((*one_each, *([machine.unknown("arguments left", call.receiver.number)] if rest is not None else [])))


def filled_in(machine: Machine, kind: Value, mask: int) -> Object:
    """Arguments as whoever starts the program gives them: what the project adds to them is no constant. How they shard
    stands in the class, where it does."""
    from dtlint.machine.functions import instances

    if not isinstance(kind, ClassRef):
        made = machine.new(ARGUMENTS, mask)
        wrapping.told_to_shard(machine, made, None, None)
        return made
    made = machine.new(kind, mask)
    fsdp, deepspeed = (classes.in_class(machine, kind, name) for name in ("fsdp", "deepspeed"))
    wrapping.told_to_shard(machine, made, fsdp, deepspeed)
    for name in instances.field_names(machine, kind):
        machine.set(made, name, machine.unknown("attribute", made.number, name), mask)
    return made


def of_a_trainer(machine: Machine, kind: Value) -> bool:
    names = classes.external_bases(machine, kind) if isinstance(kind, ClassRef) else [getattr(kind, "name", "")]
    return any(machine.knowledge.canonical(name) == ARGUMENTS or is_one(machine, name) for name in names)


def is_one(machine: Machine, name: str) -> bool:
    row = machine.knowledge.api(name)
    return row is not None and row.type == ARGUMENTS


def lightning_trainer(machine: Machine, call: Invocation) -> Value:
    made = wrapping.sharding_strategy(machine, call)
    assert isinstance(made, Object)
    constructed(machine, made, call)
    return made


def add_callback(machine: Machine, call: Invocation) -> Value:
    if isinstance(call.receiver, Object) and call.values:
        call.receiver.facts.setdefault("callbacks", []).append((call.values[0], call.mask))
    return NONE


def hf_train(machine: Machine, call: Invocation) -> Value:
    result = collectives.perform_collective(machine, call)
    trainer = call.receiver
    if isinstance(trainer, Object):
        handing.to_hf_trainer(machine, call)
        given = trainer.attributes.get("args")
        settings: Value = given if given is not None else machine.new(ARGUMENTS, call.mask)
        if isinstance(settings, Unknown) and settings.like is None:
            # options that were read from somewhere, of the one type that a trainer takes
            settings = Unknown(settings.symbol, settings.cause, settings.tags, machine.new(ARGUMENTS, call.mask))
        leading = (settings, machine.new(STATE, call.mask), machine.new(CONTROL, call.mask))
        for callback, lanes in callbacks_of(machine, trainer, call.mask):
            run_hooks(machine, callback, leading, lanes)
        if not trainer.facts.get("training"):  # an overridden `train` asks for the one of the framework itself
            trainer.facts["training"] = True
            run_hooks(machine, trainer, (), call.mask)
            trainer.facts["training"] = False
    return result


ASKED_BEFORE = frozenset({"setup", "train", "state", "teardown"})  # in the names of hooks of a data module
OTHER_LOOPS = frozenset({"test", "predict"})
VALIDATION = frozenset({"val", "validation", "sanity"})
MODULE = "lightning.pytorch.LightningModule"


def nothing_to_validate(machine: Machine, call: Invocation, data: Object | None) -> bool:
    """`trainer.fit(module, loader)`, and the module has no loader of its own for it: Lightning leaves that loop out. So
    it does where the trainer was told `limit_val_batches=0`."""
    made = call.receiver.facts.get("call") if isinstance(call.receiver, Object) else None
    limit = made.get("limit_val_batches") if isinstance(made, Invocation) else None
    if isinstance(limit, Const) and limit.value == 0:
        return True
    given = [call.get(name) for name in ("val_dataloaders", "datamodule", "val_dataloader")]
    unsaid = any(name is None for name, _ in call.keywords)
    if data is not None or unsaid or any(one not in (None, NONE) for one in given):
        return False
    module = call.get("model")
    if not isinstance(module, Object) or not isinstance(module.kind, ClassRef):
        return False
    if not loaders.is_loader(call.get("train_dataloaders")):
        return False
    bases = {machine.knowledge.canonical(name) for name in classes.external_bases(machine, module.kind)}
    return bases == {MODULE} and classes.in_class(machine, module.kind, "val_dataloader") is None


def lightning_loop(machine: Machine, call: Invocation) -> Value:
    """`trainer.fit(module)` and its siblings call the hooks of the module and of every callback."""
    result = collectives.perform_collective(machine, call)
    trainer, module = call.receiver, call.get("model")
    omits = frozenset(call.row.extra.get("omits", ()))
    if isinstance(trainer, Object):
        handing.data_module(machine, call)
        handing.to_trainer(machine, call)
        data = handing.module_of_data(machine, call)
        if not omits and nothing_to_validate(machine, call, data):
            omits = VALIDATION
        if data is not None and data is not module:
            run_hooks(machine, data, (), call.mask, omits | (ASKED_BEFORE if omits else ASKED_BEFORE | OTHER_LOOPS))
        if isinstance(module, Object):
            machine.set(module, "trainer", trainer, call.mask)
            run_hooks(machine, module, (), call.mask, omits)
        leading = (trainer, module if module is not None else NONE)
        for callback, lanes in callbacks_of(machine, trainer, call.mask):
            run_hooks(machine, callback, leading, lanes, omits)
    return result


def hooks_called(machine: Machine, call: Invocation) -> Value:
    """`trainer.train()` of detectron2 calls methods of its own, and those of the hooks it was given or has built."""
    from dtlint.machine.functions import calls

    trainer = call.receiver
    if not isinstance(trainer, Object) or not isinstance(trainer.kind, ClassRef):
        return NONE
    builder = classes.in_class(machine, trainer.kind, str(call.row.extra["builder"]))
    if isinstance(builder, FunctionRef):
        built = calls.follow(machine, builder, trainer, (), (), call.mask)
        trainer.facts.setdefault("callbacks", []).append((built, call.mask))
    run_hooks(machine, trainer, (), call.mask)
    for hook, lanes in callbacks_of(machine, trainer, call.mask):
        if isinstance(hook, Object):
            machine.set(hook, str(call.row.extra["keeps"]), trainer, lanes)
        run_hooks(machine, hook, (), lanes)
    return NONE


def callbacks_of(machine: Machine, trainer: Object, mask: int) -> Iterator[tuple[Value, int]]:
    for given, lanes in trainer.facts.get("callbacks", ()):
        for held, here in by_lanes(given, lanes & mask):
            listed = held.attributes.get("[]") if isinstance(held, Object) else None
            if isinstance(listed, Row):
                yield from of_each_list(listed, here)
                continue
            items = containers.items_of(machine, held)
            for callback in items if items is not None else (held,):
                yield from by_lanes(callback, here)


def of_each_list(lists: Row, mask: int) -> Iterator[tuple[Value, int]]:
    """`if rank == 0: callbacks.append(…)`: what is in some of the lists, with the lanes that have it."""
    found: dict[int, tuple[Value, int]] = {}
    for lane in lanes_in(mask):
        held = lists.lanes[lane]
        for item in held.items if isinstance(held, Tuple) else ():
            found[id(item)] = (item, found.get(id(item), (item, 0))[1] | 1 << lane)
    yield from found.values()


def by_lanes(value: Value, mask: int) -> Iterator[tuple[Value, int]]:
    """What the lanes of `mask` hold, with the lanes that hold it."""
    if not isinstance(value, Row):
        if mask:
            yield value, mask
        return
    done = 0
    for lane in lanes_in(mask):
        if done >> lane & 1:
            continue
        held = value.lanes[lane]
        lanes = sum(1 << other for other in lanes_in(mask) if value.lanes[other] is held or value.lanes[other] == held)
        done |= lanes
        yield held, lanes


def hooks_of(machine: Machine, kind: ClassRef) -> list[tuple[Value, FunctionRef]]:
    """The methods of a project class that its framework calls, and the function in each, whoever may run it."""
    found: list[tuple[Value, FunctionRef]] = []
    seen = set()
    for base in classes.external_bases(machine, kind):
        for owner in machine.knowledge.ancestors(base):
            known = machine.knowledge.types.get(owner)
            for name in known.hooks if known is not None else ():
                method = classes.in_class(machine, kind, name) if name not in seen else None
                seen.add(name)
                inner = run_later.unguarded(method) if method is not None else None
                if method is not None and isinstance(inner, FunctionRef) and isinstance(inner.node, ir.Function):
                    found.append((method, inner))
    return found


def run_hooks(
    machine: Machine, thing: Value, leading: tuple[Value, ...], mask: int, omits: frozenset[str] = frozenset()
) -> None:
    """Calls the hooks of a thing, except those that have one of some words in their names."""
    from dtlint.machine.functions import instances, one_of_several

    if isinstance(thing, ClassRef):
        thing = instances.instantiate(machine, thing, (), (), mask)
    one_of_several.each(machine, thing, lambda one, lanes: run_its_hooks(machine, one, leading, lanes, omits), mask)


def run_its_hooks(machine: Machine, thing: Value, leading: tuple[Value, ...], mask: int, omits: frozenset[str]) -> None:
    from dtlint.machine.starts import entries

    if not isinstance(thing, Object) or not isinstance(thing.kind, ClassRef):
        return
    hooks = [one for one in hooks_of(machine, thing.kind) if omits.isdisjoint(one[1].node.name.split("_"))]
    for _, hook in hooks:
        machine.consult(hook)
    if all(hook.node.tokens.isdisjoint(machine.interesting) for _, hook in hooks) and not workers.are_kept(machine):
        hooks = [(method, hook) for method, hook in hooks if entries.is_loss(machine, hook, thing)]
    before = dict(thing.attributes)
    run_each(machine, thing, hooks, leading, mask)
    parted = {name for name, held in thing.attributes.items() if by_rank(held) and not by_rank(before.get(name))}
    if parted:  # the next turn begins with what this one has left on some ranks only
        run_each(machine, thing, [one for one in hooks if not parted.isdisjoint(one[1].node.tokens)], leading, mask)


def by_rank(held: Value | None) -> bool:
    return held is not None and held.cause is not None and held.cause.kind in BY_RANK


def run_each(
    machine: Machine,
    thing: Object,
    hooks: list[tuple[Value, FunctionRef]],
    leading: tuple[Value, ...],
    mask: int,
) -> None:
    from dtlint.machine.functions import calls
    from dtlint.machine.starts import entries, state, steering

    assert isinstance(thing.kind, ClassRef)
    known = tuple(classes.library_types(machine, thing.kind))
    for method, hook in hooks:
        node: Any = hook.node
        if not any(node.name in one.builds for one in known):
            thing.facts.setdefault(WRAPPED, machine.symbols.fresh("wrapped").key[1])
        frame = machine.frame
        if hook.closure is not None:
            machine.frame = hook.closure.globals  # annotations are words of the module that has the hook
        if any(node.name in one.turns for one in known):
            machine.facts.setdefault(TURNS, set()).add((hook.path, node.qualname))
        failing = any(node.name in one.failing for one in known)
        handed = entries.handed_to(machine, thing, node.name)
        arguments = entries.unknown_arguments(machine, node, True, handed=handed)
        machine.frame = frame
        arguments = (*leading, *arguments[len(leading) :])[: len(arguments)]

        if failing:
            bound = attributes.bind(machine, method, thing, mask)
            run_later.later(machine, bound, mask, "exit", f"`{node.name}`", "exception", arguments)
            continue
        state.counted(machine, thing, mask)

        def inside(method: Value = method, arguments: tuple[Value, ...] = arguments) -> int:
            if isinstance(method, FunctionRef):
                loss = entries.is_loss(machine, method, thing)
                with stepping.training(machine, loss):
                    answer = calls.follow(machine, method, thing, arguments, (), mask)
                entries.note_answer(machine, method, thing, answer, mask)
                if loss:
                    steering.learns(machine, thing, method, answer, mask)
            else:
                calls.call_value(machine, attributes.bind(machine, method, thing, mask), arguments, (), mask)
            return mask

        with workers.again_and_again(machine, node.name):
            if mask == machine.frame.mask:
                inside()
            else:
                text, cause = f"who has {thing.kind.name}", machine.control_cause()
                decision = Decision(
                    "branch", frame.path, machine.current_at, text, cause, mask, frame.mask, frame.scope
                )
                machine.guarded(decision, inside)
        steering.goes_on_after(machine, mask)


MODELS: dict[str, Any] = {
    "hf_trainer": hf_trainer,
    "hf_train": hf_train,
    "hf_parsed": parsed,
    "add_callback": add_callback,
    "hooks_built": lambda machine, call: machine.new_list((), call.mask),  # the library's own say nothing
    "hooks_registered": add_callback,
    "hooks_called": hooks_called,
    "lightning_trainer": lightning_trainer,
    "lightning_fit": lightning_loop,
    "lightning_validate": lightning_loop,
    "lightning_test": lightning_loop,
    "lightning_predict": lightning_loop,
}
