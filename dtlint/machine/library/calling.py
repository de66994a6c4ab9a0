"""What do names of libraries do? The packs say it; the modules here read the rows that need more than a row."""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.knowledge.rows import Api
from dtlint.machine.contents import asked_for, containers
from dtlint.machine.contents.opaque import TEMPORARY
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library import foreign
from dtlint.machine.library.answering import (
    MOVES,
    told,
    without_flags,
)
from dtlint.machine.library.computing import devices, elements, filled_rows, metrics, provenance, tensors, told_apart
from dtlint.machine.library.drawing import rollouts, worlds
from dtlint.machine.library.feeding import (
    data,
    loader_options,
    loaders,
    streams,
    vocabularies,
    webdatasets,
    whole_batches,
    workers,
)
from dtlint.machine.library.invocation import LOCAL, Invocation, Keywords
from dtlint.machine.library.jax import hosts as jax_hosts
from dtlint.machine.library.jax import mapping as jax_mapping
from dtlint.machine.library.meeting import (
    children,
    collectives,
    computed_alone,
    evidence,
    group_start,
    groups,
    identity,
    managers,
    meshes,
    processes,
    spawning,
    transfers,
    unheard,
    works,
)
from dtlint.machine.library.python import (
    bars,
    by_settings,
    clocks,
    command_line,
    environment_use,
    exit_stacks,
    files,
    importing,
    locks,
    log_filters,
    named_fields,
    namespaces,
    options,
    plainly,
    registries,
    replaced,
    run_later,
    threads,
    thrown_away,
)
from dtlint.machine.library.python import builtins as python
from dtlint.machine.library.python import iteration as python_iteration
from dtlint.machine.library.python import methods as python_methods
from dtlint.machine.library.training import (
    engines,
    hooks,
    models,
    modes,
    modules,
    own_gradients,
    parameters,
    parts,
    sharded_scope,
    stepping,
    trainers,
    wrapping,
)
from dtlint.machine.values import FALSE, NONE, ClassRef, Const, FunctionRef, Object, Tuple, Value

ITERATES = {"__iter__": "builtins.iter", "__next__": "builtins.next", "next": "builtins.next"}  # what a method is for
HANDLERS: dict[str, Any] = {
    **elements.MODELS,
    **told_apart.MODELS,
    **own_gradients.MODELS,
    **parameters.MODELS,
    **groups.MODELS,
    **sharded_scope.MODELS,
    **metrics.MODELS,
    **meshes.MODELS,
    **named_fields.MODELS,
    **namespaces.MODELS,
    **asked_for.MODELS,
    **hooks.MODELS,
    **log_filters.MODELS,
    **models.MODELS,
    **modes.MODELS,
    **data.MODELS,
    **processes.MODELS,
    **run_later.MODELS,
    **spawning.MODELS,
    **command_line.MODELS,
    **by_settings.MODELS,
    **registries.MODELS,
    **importing.MODELS,
    **jax_hosts.MODELS,
    **managers.MODELS,
    **parts.MODELS,
    **vocabularies.MODELS,
    **transfers.MODELS,
    **threads.MODELS,
    **works.MODELS,
    **clocks.MODELS,
    **locks.MODELS,
    **files.MODELS,
    **options.MODELS,
    **python.MODELS,
    **trainers.MODELS,
    **wrapping.MODELS,
    **environment_use.MODELS,
    **exit_stacks.MODELS,
    **stepping.MODELS,
    **devices.MODELS,
    **engines.MODELS,
    **workers.MODELS,
    **replaced.MODELS,
    **rollouts.MODELS,
    **worlds.MODELS,
    **filled_rows.MODELS,
    **whole_batches.MODELS,
    **webdatasets.MODELS,
}


def call(
    machine: Machine,
    name: str,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
    decorating: bool = False,
) -> Value:
    """Call something of a library by its canonical name."""
    last = name.rpartition(".")[2]
    row: Api | None = None
    if last == "__iter__" and isinstance(receiver, Object) and loaders.BATCHES in receiver.facts:
        return loaders.inside_of(receiver)
    if last in ITERATES and isinstance(receiver, Object) and (last != "next" or loaders.is_loader(receiver)):
        return call(machine, ITERATES[last], None, (receiver, *arguments), keywords, mask, node)
    if last == "__init__" and isinstance(receiver, Object):
        return initialised(machine, name.rpartition(".")[0], receiver, arguments, keywords, mask, node)
    if receiver is not None:
        from dtlint.machine.names import classes

        modules.asked_for(machine, receiver, last)
        row = classes.method_row(machine, receiver, last)
    if row is None:
        row = machine.knowledge.api(name) or stepping.method_of_wrapped(machine, receiver, last)
    if row is None and receiver is None:
        row = of_class(machine, name)
    elif row is None and isinstance(receiver, ClassRef):
        from dtlint.machine.functions import own_kind

        if last in own_kind.makers(machine):
            return own_kind.made(machine, receiver, keywords, mask, node)
    if row is not None:
        if row.op == "forward" and isinstance(receiver, Object) and models.is_wrapper(receiver):
            return models.forward(machine, receiver, Invocation(name, row, receiver, arguments, keywords, mask, node))
        return perform(machine, row, receiver, arguments, keywords, mask, node, decorating)
    invocation = Invocation(name, LOCAL, receiver, arguments, keywords, mask, node)
    files.handed(machine, invocation)
    if name == "dtlint.guarded":
        return processes.call_guarded(machine, invocation)
    if name == "dtlint.register_command":
        return command_line.registered(invocation)
    if name == "dtlint.guard":
        return processes.guard_made(machine, invocation)
    environment_use.used(machine, name, mask)
    if name in python_iteration.CONSUMERS:
        python_iteration.consume(machine, invocation)
    plain = plainly.computed(machine, invocation)
    if plain is not None:
        return plain
    handler = python.FUNCTIONS.get(name) or environment_use.FUNCTIONS.get(name)
    if handler is not None:
        result = handler(machine, invocation)
        return result if result is not None else python.opaque(machine, invocation)
    if receiver is not None:
        handled = call_method(machine, receiver, last, invocation)
        if handled is not None:
            return handled
    found = jax_hosts.unlisted(machine, invocation)
    if found is not None:
        return found
    made = tensors.construct(machine, invocation)
    if made is not None:
        devices.tensor_made(machine, invocation)
        return made
    if receiver is None and last[:1].isupper() and not name.startswith("builtins."):
        thing = machine.new(machine.knowledge.canonical(name), mask)
        data.constructed(machine, thing, invocation)
        run_later.handed_over(machine, invocation)
        return thing
    known = machine.knowledge.functions.get(last)
    asks_of_itself = known is not None and not identity.of_another(known, arguments, keywords)
    if known is not None and asks_of_itself and receiver is None and not known_library(name):
        return identity.lane_value_of(machine, known.value, last)
    foreign.called(machine, invocation)
    if not known_library(name):
        unheard.called(machine, invocation)
    if isinstance(receiver, Object) and isinstance(receiver.kind, str) and receiver.kind not in machine.knowledge.types:
        stepping.guessed(machine, receiver, last, invocation)
    run_later.handed_over(machine, invocation)
    options.handed_over(machine, invocation)
    of_nobody = receiver is None and not known_library(name)
    if of_nobody or foreign.is_foreign(machine, receiver):
        own_gradients.handed_on(machine, invocation.values, mask)
    if of_nobody:
        invocation = without_flags(invocation)
    unknown = python.opaque(machine, invocation)
    return unknown if receiver is not None else told(machine, unknown, invocation.values)


def of_class(machine: Machine, name: str) -> Api | None:
    """`LlamaForCausalLM.from_pretrained(…)`: asked of the class, and said of one that it derives from."""
    owner, _, last = name.rpartition(".")
    return machine.knowledge.method(owner, last) if owner in machine.knowledge.types else None


def initialised(
    machine: Machine,
    owner: str,
    thing: Object,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
) -> Value:
    """`super().__init__(…)` of a library class: the project's instance was made with these arguments."""
    row = machine.knowledge.api(owner)
    if row is None:
        return NONE
    call = Invocation(row.name, row, None, arguments, keywords, mask, machine.making.get(thing.number, node))
    if row.model == bars.BAR:
        thing.facts[containers.BEHIND] = bars.progress(machine, call)
    elif row.does == "context":
        opens(thing, call)
    if row.does != "make":
        return NONE
    trainers.constructed(machine, thing, call)
    if row.type == loader_options.LOADER:
        loaders.derived(machine, thing, call)
    data.derived(machine, thing, call)
    if row.op == wrapping.WRAP:
        wrapping.derived(machine, thing, call)
    if row.extra.get("container"):
        thing.facts["call"] = call
    if row.record:
        event = machine.emit_event("record", row.record, row.name, mask, subject=thing, extra={"call": call})
        frame = machine.frame
        while frame.receiver is thing and frame.caller is not None:
            frame = frame.caller
        if thing.at is not None and thing.path == frame.path:  # whoever makes it chose the arguments
            event.path, event.at, event.function = thing.path, thing.at, frame.scope
    return NONE


def known_library(name: str) -> bool:
    """Does some pack describe this name's package? Then a missing row means: nothing to see."""
    first = name.partition(".")[0]
    return first in ("builtins", "torch", "jax", "numpy", "os", "sys", "random", "math")


def call_method(machine: Machine, receiver: Value, name: str, invocation: Invocation) -> Value | None:
    if name in MOVES and isinstance(receiver, Object) and receiver.kind != tensors.KIND:
        return receiver
    if jax_mapping.staged(receiver, name):
        return receiver
    if isinstance(receiver, Object):
        bars.told(machine, receiver, invocation.values)
        if receiver.kind == tensors.KIND:
            if name == "backward":
                return models.backward(machine, invocation)
            return tensors.method(machine, receiver, name, invocation)
        container = python_methods.container_of(receiver, name)
        if container is not None:
            return python_methods.container_method(machine, container, name, invocation)
        if isinstance(receiver.kind, ClassRef):
            other = replaced.method(machine, receiver, name, invocation)
            if other is not None:
                return other
        return data.method(machine, receiver, name, invocation)
    if isinstance(receiver, Const | Tuple):
        return python_methods.text_method(machine, receiver, name, invocation)
    return None


def perform(
    machine: Machine,
    row: Api,
    receiver: Value | None,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None,
    decorating: bool = False,
) -> Value:
    """Do what a row says."""
    invocation = Invocation(row.name, row, receiver, arguments, keywords, mask, node)
    thrown_away.performed(machine, invocation)
    workers.performed(machine, invocation)
    works.performed(machine, invocation)
    computed_alone.performed(machine, invocation)
    files.handed(machine, invocation)
    if "first" in row.extra:
        hooks.run_first(machine, invocation)
    if row.record:
        machine.emit_event(
            "record",
            row.record,
            row.name,
            mask,
            subject=receiver or (arguments[0] if arguments else None),
            extra={"call": invocation},
        )
    if "startup" in row.extra:
        machine.emit_event("record", "startup", row.name, mask, extra={"call": invocation})
    if row.record == "init":
        group_start.started(machine, mask, row)
        children.told(machine, invocation)
    elif row.extra.get("process"):
        children.started(machine, invocation)
    reduces = row.does == "collective" and row.record == "log" and collectives.condition_holds(machine, invocation)
    if not reduces and (row.record == "log" or row.extra.get("shows")):
        metrics.shown(machine, invocation)
    if row.extra:
        group_start.asked(machine, invocation)
    handler = HANDLERS.get(row.model) if row.model else None
    if handler is not None:
        result = handler(machine, invocation)
        if result is not None:
            return result
    match row.does:
        case "collective":
            return collectives.perform_collective(machine, invocation)
        case "p2p":
            return transfers.point_to_point(machine, invocation)
        case "value":
            if "begun_by" in row.extra and group_start.starts_here(machine, invocation):
                return FALSE
            group = invocation.get(row.group) if row.group else None
            return identity.ask(machine, row, row.name, group)
        case "source":
            text = f"`{identity.short(row.name)}` is what only this rank sees ({row.cause})"
            time = machine.symbols.fresh("time")
            kind = row.cause
            if kind == "files" and files.on_this_node(invocation):
                kind = "local files"
            tags = frozenset({TEMPORARY} if row.extra.get("private") else ())
            made = machine.unknown("source", row.name, time, cause=machine.cause(kind, text), tags=tags)
            return jax_hosts.with_shape(machine, invocation, made) if machine.flow is not None else made
        case "make":
            return make(machine, invocation)
        case "same":
            word = "turn" if row.extra.get("counts") else "kind" if row.extra.get("asks_kind") else "same"
            return machine.unknown(word, row.name, *(token(value) for value in invocation.values))
        case "identity":
            if row.op and collectives.condition_holds(machine, invocation):
                note(machine, invocation)
            if row.params[:1] == ("self",):
                return receiver if receiver is not None else NONE
            given = invocation.get(row.params[0]) if row.params else None
            return given or (arguments[0] if arguments else receiver or NONE)
        case "decorator":
            return processes.decorate(machine, invocation, decorating)
        case "context":
            return context(machine, invocation)
        case "exit":
            return processes.leave(machine, invocation)
        case "spawn":
            return spawning.spawn(machine, invocation)
        case "partial":
            return python.partial(machine, invocation) or NONE
        case "record":
            return NONE if row.result in ("", "none") else python.opaque(machine, invocation)
    if receiver is not None:
        handled = call_method(machine, receiver, row.name.rpartition(".")[2], invocation)
        if handled is not None:
            return handled
    if not row.extra.get("looks_only"):
        run_later.handed_over(machine, invocation)
    options.handed_over(machine, invocation)
    found: Value = python.opaque(machine, invocation)
    return provenance.own_data(machine, found) if row.extra.get("stored") and not row.model else found


def note(machine: Machine, call: Invocation) -> None:
    """The event of a row that communicates besides what it does."""
    row = call.row
    if row.op == "init" and evidence.made_alone(call):
        return
    machine.emit_event(
        "collective",
        row.op,
        call.name,
        call.mask,
        group=collectives.communicator(machine, call) if row.group else groups.begun(machine, call),
        implicit=row.implicit,
        subject=call.arguments[0] if call.arguments else None,
        extra={"call": call},
    )


def make(machine: Machine, call: Invocation) -> Value:
    row = call.row
    if row.op and collectives.condition_holds(machine, call):
        note(machine, call)
    if isinstance(call.receiver, ClassRef):
        from dtlint.machine.functions import own_kind

        node = call.node if isinstance(call.node, ir.Call) else None
        return own_kind.made(machine, call.receiver, call.keywords, call.mask, node)
    made = machine.new(machine.knowledge.canonical(row.type or row.name), call.mask)
    made.facts["api"] = row.name
    made.facts["call"] = call
    streams.begun(machine, made)
    data.constructed(machine, made, call)
    parts.constructed(machine, made, call)
    files.named(machine, made, call)
    return made


def context(machine: Machine, call: Invocation) -> Value:
    made = machine.new("<context>", call.mask)
    opens(made, call)
    return made


def opens(made: Object, call: Invocation) -> None:
    """A context of a library, or an instance of a class derived from one."""
    made.facts["context"] = call.row.kind
    made.facts["api"] = call.row.name
    if call.row.kind == "suppress":
        from dtlint.machine.control.attempts import exception_names

        made.facts["types"] = tuple(name for value in call.arguments for name in exception_names(value))


def project_row(machine: Machine, function: FunctionRef) -> Api | None:
    """A pack's (or the user's) row for a function of the project itself: it is taken at its word."""
    name = f"{machine.project.name_of(function.path)}.{function.name}"
    row = machine.knowledge.api(name)
    return row if row is not None and row.does != "local" else None


def project_type(machine: Machine, kind: ClassRef) -> str | None:
    """The library name of a class of the project, when the project is the library itself and a pack describes it:
    from outside its own file it is what the pack says."""
    if kind.path == machine.frame.path:
        return None
    name = machine.knowledge.canonical(f"{machine.project.name_of(kind.path)}.{kind.name}")
    return name if name in machine.knowledge.types else None
