"""Where does a program begin? Scripts, then hooks that frameworks call, then every function nobody reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_names, last_name
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.functions import calls, entering, following, instances
from dtlint.machine.library import reading
from dtlint.machine.library.computing import tensors
from dtlint.machine.library.feeding import loaders
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.library.meeting import group_start
from dtlint.machine.logs import Log, LogNode
from dtlint.machine.names import classes, said_types
from dtlint.machine.names.frames import Frame
from dtlint.machine.names.scopes import load_module
from dtlint.machine.starts import (
    called_by_frameworks,
    first_instance,
    given_back,
    module_state,
    run_before,
    set_up,
    settings,
    stand_ins,
    state,
    steering,
)
from dtlint.machine.values import (
    NONE,
    STANDS_IN,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Value,
)


@dataclass(frozen=True, slots=True)
class Entry:
    kind: str  # script | hook | function
    path: str
    name: str
    line: int


Defaults = tuple[tuple[str, Value], ...]
NOTHING: Mapping[str, str] = {}
# facts of the run: a framework calls this method on one rank only, or on all, in a class that knows of several
CALLED_ALONE, CALLED_ON_ALL = "called alone", "called on all"
GIVEN_TO_SOME = "given to some"  # fact of a run: only the ranks that were given this method call it
HELD_BY_ALL = "held by all"  # what asks which rank it is on knows that there are others: every rank makes one
MADE = "made"  # of a run: how many nodes at its beginning are the constructor's; of an instance: what they are


def run_script(machine: Machine, path: str) -> None:
    """The module body as `__main__`."""
    module = machine.project.tree(path)
    if module is None:
        return
    load_module(machine, path)
    frame = Frame(path, "<module>", None, None, None, machine.world.full)
    frame.variables["__name__"] = Const("__main__")
    frame.variables["__file__"] = Const(path)
    machine.frame = frame

    machine.run(module.body, machine.world.full)


def run_function(machine: Machine, path: str, function: ir.Function, owner: ir.Class | None) -> None:
    """A function nobody calls, on unknown arguments that are the same everywhere."""
    module_frame = load_module(machine, path)
    machine.frame = Frame(path, "<module>", None, None, None, machine.world.full)
    machine.frame.globals = module_frame
    module_state.by_functions(machine, path, unknown_arguments)
    machine.current_at = function.at or (1, 1, 1, 1)
    if owner is None:
        value = find(module_frame, function)
        receiver: Value | None = None
    else:
        kind = find_class(module_frame, owner)
        if kind is None:
            return
        value = kind.attributes.get(function.name) or kind.attributes.get(f"<setter> {function.name}")
        of_class = isinstance(value, FunctionRef) and value.kind == "class"
        receiver = kind if of_class else entered_on(machine, kind, function)
        machine.current_at = function.at or (1, 1, 1, 1)  # whether or not the instance was made just now
        if isinstance(receiver, Object) and given_to_some(receiver, function):
            machine.facts[GIVEN_TO_SOME] = True
        if called_alone(machine, kind, function.name):
            machine.facts[CALLED_ALONE] = True
        elif tells_who_it_is(machine, owner):
            machine.facts[HELD_BY_ALL] = True
            if is_hook(machine, kind, function.name) or function.name in run_before.CONSTRUCTORS:
                machine.facts[CALLED_ON_ALL] = True
        elif is_hook(machine, kind, function.name) and called_by_frameworks.on_several_ranks(machine):
            machine.facts[CALLED_ON_ALL] = True
    handed = handed_to(machine, receiver, function.name)
    keywords = unknown_keywords(machine, function, value.defaults if isinstance(value, FunctionRef) else (), handed)
    if isinstance(value, Bound) and value.receiver is None and value.extra:
        arguments = unknown_arguments(machine, function, owner is not None, handed=handed)
        if receiver is not None:
            arguments = (receiver, *arguments)
        calls.call_value(machine, value, arguments, keywords, machine.world.full)
        return
    if isinstance(value, Object) and "transform" in value.facts:
        arguments = unknown_arguments(machine, function, receiver is not None, handed=handed)
        calls.call_value(
            machine, value, (receiver, *arguments) if receiver is not None else arguments, (), machine.world.full
        )
        return
    if not isinstance(value, FunctionRef) or value.node is not function:
        value = FunctionRef(function, path, module_frame, find_class(module_frame, owner) if owner else None)
    skip_self = receiver is not None and value.kind != "static"
    begins_with_constructor(machine, receiver, function)
    arguments = unknown_arguments(machine, function, skip_self, value.defaults, handed)
    if function.is_generator:
        generator = machine.new("<generator>", machine.world.full)
        generator.facts.update(
            function=value, receiver=receiver if skip_self else None, arguments=arguments, keywords=keywords
        )
        calls.resume(machine, generator, machine.world.full, lambda held, lanes: NONE)
        return
    thing = receiver if skip_self else None
    answer = entering.enter(machine, value, thing, arguments, keywords, machine.world.full, None)
    note_answer(machine, value, receiver, answer, machine.world.full)
    given_back.call(machine, answer)
    if isinstance(receiver, Object) and function.name in run_before.CONSTRUCTORS:
        given_back.call_kept(machine, receiver)
    if isinstance(receiver, Object) and is_loss(machine, value, receiver):
        steering.learns(machine, receiver, value, answer, machine.world.full)
    if handed:
        steering.goes_on(machine)
    if function.name == "__enter__" and isinstance(receiver, Object) and isinstance(receiver.kind, ClassRef):
        leave = classes.in_class(machine, receiver.kind, "__exit__")
        if isinstance(leave, FunctionRef):  # whoever goes in comes out again
            calls.follow(machine, leave, receiver, (NONE, NONE, NONE), (), machine.world.full)


def given_to_some(instance: Object, method: ir.Function) -> bool:
    """`self.turn = self.lead if rank == 0 else self.follow`: a method that is called as what some ranks alone were
    given, and on these."""
    given = (one for held in instance.attributes.values() if isinstance(held, Row) for one in held.lanes)
    return any(isinstance(one, Bound) and getattr(one.function, "node", None) is method for one in given)


def called_alone(machine: Machine, kind: ClassRef, name: str) -> bool:
    """Does a framework call this method on one rank only?"""
    return any(name in known.alone for known in classes.library_types(machine, kind))


def is_hook(machine: Machine, kind: ClassRef, name: str) -> bool:
    return any(name in known.hooks for known in classes.library_types(machine, kind))


def note_answer(machine: Machine, method: FunctionRef, receiver: Value | None, answer: Value, mask: int) -> None:
    """A framework called this method; some of them give it a loss to differentiate, or schedules to step."""
    kind, node = getattr(receiver, "kind", None), method.node
    if not isinstance(kind, ClassRef) or not isinstance(node, ir.Function):
        return
    more: dict[str, Any] = {"path": method.path, "at": node.at, "subject": answer, "extra": {"module": receiver}}
    for known in classes.library_types(machine, kind):
        if node.name in known.losses:
            machine.emit_event("record", "loss", node.name, mask, **more)
        if node.name in known.schedules:
            machine.emit_event("record", "schedules", node.name, mask, **more)


def is_loss(machine: Machine, method: FunctionRef, receiver: Value | None) -> bool:
    kind, node = getattr(receiver, "kind", None), method.node
    if not isinstance(kind, ClassRef) or not isinstance(node, ir.Function):
        return False
    return any(node.name in known.losses for known in classes.library_types(machine, kind))


def tells_who_it_is(machine: Machine, owner: ir.Class | None) -> bool:
    """Does a method of this class ask for the rank, itself or by what the program decorates it with?"""
    if owner is None:
        return False
    methods = (one for one in owner.body if isinstance(one, ir.Function))
    decorators = {last_name(by) for one in methods for by in one.decorators}
    return not owner.tokens.isdisjoint(machine.knowledge.ranks) or not decorators.isdisjoint(
        following.own_names(machine).asking
    )


def find(module_frame: Frame, function: ir.Function) -> Value | None:
    found = module_frame.variables.get(function.name)
    if isinstance(found, FunctionRef) and found.node is function:
        return found
    if isinstance(found, Bound) or (isinstance(found, Object) and "transform" in found.facts):
        return found
    return None


def find_class(module_frame: Frame, owner: ir.Class | None) -> ClassRef | None:
    if owner is None:
        return None
    holder: Mapping[Any, Value] = module_frame.variables
    found: Value | None = None
    for part in owner.qualname.split("."):
        found = holder.get(part)
        if not isinstance(found, ClassRef):
            return None
        holder = found.attributes
    return found if isinstance(found, ClassRef) and found.node is owner else None


def instance_of(machine: Machine, kind: ClassRef, entered: ir.Function | None = None) -> Value:
    """An instance as its constructor makes it from unknown arguments, and as any of its methods may find it; what
    the constructor communicates is set aside, because it is an entry of its own."""
    made = constructed(machine, kind, Log())
    if isinstance(made, Object):
        state.settle(machine, made, entered)
    return made


def begins_with_constructor(machine: Machine, receiver: Value | None, function: ir.Function) -> None:
    """Who calls the method has made the instance: one log of both."""
    made: list[LogNode] = []
    if isinstance(receiver, Object) and function.name not in run_before.CONSTRUCTORS:
        made = receiver.facts.get(MADE, [])
    for node in made:
        machine.emit(node)
    machine.facts[MADE] = len(made)
    machine.own = receiver


def entered_on(machine: Machine, kind: ClassRef, function: ir.Function) -> Value:
    """The instance as its constructor leaves it, for the constructor; for every other method, from there on."""

    def make() -> Value:
        log = Log()
        made = constructed(machine, kind, log)
        if isinstance(made, Object):
            made.facts[MADE] = log.nodes
        return made

    def settle() -> Value:
        made = first_instance.given(machine, kind, "new", make)
        if isinstance(made, Object):
            set_up.by_other_methods(machine, made, unknown_arguments)
            state.settle(machine, made, function)
        return made

    if function.name in run_before.CONSTRUCTORS:
        return first_instance.given(machine, kind, "new", make)
    return first_instance.given(machine, kind, "settled", settle)


def standing_in(made: Value) -> Value:
    if isinstance(made, Object):
        made.facts[STANDS_IN] = True
    return made


def constructed(machine: Machine, kind: ClassRef, log: Log) -> Value:
    initialiser = classes.in_class(machine, kind, "__init__")
    saved, begun = machine.sinks, machine.facts.get(group_start.STARTED)
    reached, machine.uses.reached = machine.uses.reached, set()
    machine.sinks = [(log, machine.world.full)]
    frame = machine.frame
    try:
        if isinstance(initialiser, FunctionRef) and isinstance(initialiser.node, ir.Function):
            if initialiser.closure is not None:  # that of a base names its types where the base stands
                machine.frame = Frame(initialiser.path, "<module>", None, None, None, machine.world.full)
                machine.frame.globals = initialiser.closure.globals
            arguments = unknown_arguments(machine, initialiser.node, True, initialiser.defaults)
            keywords = unknown_keywords(machine, initialiser.node, initialiser.defaults)
            machine.frame = frame
            return standing_in(instances.instantiate(machine, kind, arguments, keywords, machine.world.full))
        given = () if initialiser is not None else left_out(machine, kind)
        return standing_in(instances.instantiate(machine, kind, (), given, machine.world.full))
    finally:
        machine.sinks, machine.uses.reached = saved, reached  # the constructor is an entry of its own
        machine.facts[group_start.STARTED] = begun  # set aside with the rest
        frame.left = 0
        frame.leavings.clear()
        frame.guards = None
        machine.frame = frame


def left_out(machine: Machine, kind: ClassRef) -> tuple[tuple[str, Value], ...]:
    """The fields of a dataclass that may be left out: None, or what the clock says, is what they hold then, and nobody
    knows what otherwise."""
    if not instances.has_fields(machine, kind, classes.external_bases(machine, kind)):
        return ()
    plain = any(name in instances.DATACLASSES for name in kind.decorated)
    return tuple(
        (name, machine.unknown("field", kind.name, name))
        for name in instances.field_names(machine, kind)
        if (default := classes.in_class(machine, kind, name)) is not None
        and (deep_cause(machine, (default,)) is not None or (plain and default == NONE))
    )


def handed_to(machine: Machine, receiver: Value | None, name: str) -> Mapping[str, str]:
    """What the framework gives to this method of a class derived from one of its own."""
    if not isinstance(receiver, Object) or not isinstance(receiver.kind, ClassRef):
        return {}
    kinds = classes.library_types(machine, receiver.kind)
    return {param: what for known in kinds if name in known.hooks for param, what in known.hands.items()}


def unknown_arguments(
    machine: Machine,
    function: ir.Function,
    skip_first: bool,
    defaults: Defaults = (),
    handed: Mapping[str, str] = NOTHING,
) -> tuple[Value, ...]:
    arguments: list[Value] = []
    usual = {name: value for name, value in defaults if isinstance(value, FunctionRef)}
    params = function.params[1:] if skip_first else function.params
    for param in params:
        if param.name in handed:
            arguments.append(framework_gives(machine, param.name, handed[param.name]))
        elif param.kind in ("positional", "normal"):
            arguments.append(argument(machine, function, param, usual.get(param.name)))
        elif param.kind == "vararg":
            arguments.append(spread(machine, machine.unknown("parameter", function.qualname, param.name)))
    return tuple(arguments)


def unknown_keywords(
    machine: Machine, function: ir.Function, defaults: Defaults = (), handed: Mapping[str, str] = NOTHING
) -> Keywords:
    """What stands behind the `*` is given by its name, or left out: what is off then holds for some calls only."""
    usual = {name: value for name, value in defaults if isinstance(value, FunctionRef)}
    return tuple(
        (
            param.name,
            framework_gives(machine, param.name, handed[param.name])
            if param.name in handed
            else argument(machine, function, param, usual.get(param.name)),
        )
        for param in function.params
        if param.kind == "keyword" and (param.default is None or is_off(param.default) or is_one(param.default))
    )


def is_off(default: ir.Expr) -> bool:
    return isinstance(default, ir.Const) and (default.value is None or default.value is False)


def is_one(default: ir.Expr) -> bool:
    """`grad_accum_every: int = 1`: one of what may be several."""
    return isinstance(default, ir.Const) and type(default.value) is int and default.value == 1


FIRST = ("is_main", "is_local_main")


def is_on(default: ir.Expr | None) -> bool:
    """`is_main_process=True`: who calls it is the first, unless it says otherwise; nothing tells of others."""
    return isinstance(default, ir.Const) and default.value is True


def framework_gives(machine: Machine, name: str, what: str) -> Value:
    if what == "batch":
        return loaders.handed_batch(machine, name)
    if what == "answer":
        return machine.unknown(what, name, cause=machine.cause("data", f"`{name}` is made of this rank's data"))
    if what == "number":
        return machine.fresh("index")  # as a loop over the batches would count them
    if what == "model":  # the one that it has wrapped: what it gives is learned from
        return machine.unknown("model", name, tags=frozenset({("wrapped", 0)}))
    return machine.new(machine.knowledge.canonical(what), machine.world.full)


def spread(machine: Machine, value: Value) -> Object:
    """`*value` in a call."""
    made = machine.new("<spread>", machine.world.full)
    made.attributes["value"] = value
    return made


def argument(machine: Machine, function: ir.Function, param: ir.Param, usual: FunctionRef | None = None) -> Value:
    """An unknown argument; its annotation, or a well-known name, says what it may be. Where a function stands for it
    unless another is given, this is what is called."""
    annotated = annotation_value(machine, param.annotation)
    if annotated is not None:
        if annotated.kind == tensors.KIND:
            annotated.attributes["content"] = machine.unknown("parameter", function.qualname, param.name)
        return annotated
    perhaps = annotation_value(machine, said_types.optional(param.annotation))
    if perhaps is not None:
        return machine.unknown("parameter", function.qualname, param.name, like=perhaps)
    known = machine.knowledge.parameters.get(param.name)
    if known is not None:
        if known.type:
            if not annotated_otherwise(param.annotation, known.type.rpartition(".")[2]):
                return machine.new(known.type, machine.world.full)
        elif not (
            (param.name == "rank" and (looks_like_low_rank(function) or asks_itself(machine, function)))
            or (known.value in FIRST and is_on(param.default))
        ):
            return reading.taken_by_name(machine, known.value, param.name)
    if param.default is not None and isinstance(param.default, ir.Const) and param.default.value is None:
        if "group" in param.name or param.name in ("pg", "mesh", "comm"):
            return NONE
    return machine.unknown("parameter", function.qualname, param.name, like=usual)


def annotated_otherwise(annotation: ir.Expr | None, usual: str) -> bool:
    """`process_group: StatelessProcessGroup | str`: the annotation names classes, and what the name says is none."""
    if isinstance(annotation, ir.BinOp) and annotation.op == "|":
        sides = (annotation.left, annotation.right)
        return all(isinstance(side, ir.Const) or annotated_otherwise(side, usual) for side in sides)
    name = getattr(annotation, "name", "") if isinstance(annotation, ir.Attr) else getattr(annotation, "id", "")
    return bool(name) and name not in (usual, "Any", "object")


def asks_itself(machine: Machine, function: ir.Function) -> bool:
    """A function that asks who it is, and starts nothing, is given the rank of somebody else."""
    if "init_process_group" in function.tokens:
        return False
    called = set(called_names(function.body))  # `self.rank` asks nobody
    return any(name in called for name in rank_calls(machine))


def rank_calls(machine: Machine) -> Iterator[str]:
    return (
        name.rpartition(".")[2] for name, row in machine.knowledge.apis.items() if row.value == "rank" and "." in name
    )


def looks_like_low_rank(function: ir.Function) -> bool:
    """`rank` beside a scaling or a decomposition is the rank of a matrix."""
    names = {param.name for param in function.params}
    return bool(names & {"alpha", "lora_alpha", "in_features", "out_features", "network_alpha", "decompose_both"})


def annotation_value(machine: Machine, annotation: ir.Expr | None) -> Object | None:
    """`accelerator: Accelerator` makes an instance; containers, builtins and enumerations say nothing."""
    words = said_types.expression_of(annotation)
    if words is None:
        return None
    found = said_types.meant(machine, words, machine.frame)
    if isinstance(found, External) and found.name in machine.knowledge.types:
        return machine.new(machine.knowledge.canonical(found.name), machine.world.full)
    if isinstance(found, ClassRef):
        found = stand_ins.stand_in(machine, found)
        machine.project.looked.add(found.path)
    if isinstance(found, ClassRef) and machine.depth < 2 and not found.node.tokens.isdisjoint(machine.interesting):
        machine.depth += 1
        try:
            made = instance_of(machine, found)
            if not isinstance(made, Object):
                return None  # an enumeration gives one of its members, and nobody knows which
            settings.by_a_caller(machine, made)
            return made
        finally:
            machine.depth -= 1
    return None
