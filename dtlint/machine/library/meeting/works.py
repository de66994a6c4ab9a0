"""Which asynchronous calls are still running, and who uses their tensors or forgets their handles?

A handle is an object of kind `Work`. While it is running, the value of its tensor carries the mark `("running",
number)`; computing with such a value is an *early use*. Waiting for a handle ends it; waiting where nobody can tell
which handle is meant (in a loop, for something out of a container) ends them all.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.library.computing import marks
from dtlint.machine.library.computing.provenance import modules_of
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.logs import Event, Group
from dtlint.machine.names.frames import Frame
from dtlint.machine.values import MANY, NONE, Const, External, Object, Row, Slots, Symbol, Tuple, Unknown, Value

KIND = "torch.distributed.Work"
RUNNING = "running"
EARLY = "early-use"
SENDING = "sending"  # fact: the handle that sends it, by the number of the tensor
ON_GRADIENTS = "running on gradients"  # fact: the handle by the parameter
READS = frozenset(
    [
        "item",
        "tolist",
        "cpu",
        "numpy",
        "clone",
        "to",
        "float",
        "double",
        "half",
        "int",
        "long",
        "bool",
        "sum",
        "mean",
        "max",
        "min",
        "prod",
        "norm",
        "abs",
        "all",
        "any",
        "clamp",
        "sqrt",
        "div",
        "mul",
        "add",
        "sub",
        "pow",
        "exp",
        "log",
        "square",
        "argmax",
        "argmin",
        "isnan",
        "isinf",
        "isfinite",
        "sort",
        "topk",
        "cumsum",
        "softmax",
    ]
)
SCALES_GRADIENTS = frozenset({"clip", "unscale"})  # records: they read every gradient and write it anew
# what a tensor is asked about itself: none of it is in its content
ABOUT_IT = frozenset(
    ["id", "type", "hash", "numel", "nelement", "data_ptr", "element_size", "stride", "is_contiguous", "get_device"]
)
IDENTITY = ("compare is", "compare is not")
MADE_WHERE = "made where"  # fact of a handle: what was answered in the branches that it was made on
KEPT = frozenset({"requires_grad_", "retain_grad_", "share_memory_", "record_stream", "pin_memory_"})


def made(machine: Machine, call: Invocation, event: Event | None, written: tuple[str, ...]) -> Object:
    """The handle of a call that has just been started; `written` are the parameters it will fill."""
    work = machine.new(KIND, call.mask)
    work.facts["event"] = event
    work.facts["node"] = call.node
    work.facts["journal"] = len(machine.journal)
    work.facts[MADE_WHERE] = tuple(machine.assumed)
    work.facts["turns"] = turns_around(machine.frame)
    if event is None or machine.facts.get("coalescing"):
        return work
    event.extra["work"] = work
    note_crossing(machine, work, event)
    running(machine)[work.number] = work
    for param in written:
        tensor = call.get(param)
        if isinstance(tensor, Object) and not is_one(tensor):
            continue
        marks.put(machine, call, param, (RUNNING, work.number))
        if isinstance(tensor, Unknown) and tensor.symbol.key[0] == "attr" and tensor.symbol.key[-1] == "grad":
            # in the journal: what a loop's turn leaves running is not there at the start of the next attempt
            started = machine.facts.setdefault(ON_GRADIENTS, Slots(1))
            machine.store(started, tensor.symbol.key[1], Const(work.number), call.mask, call.mask)
    return work


def started_beside(
    machine: Machine, node: ir.Call, arguments: list[Value], keywords: list[tuple[str | None, Value]], mask: int
) -> None:
    """`Pending(tensor, all_reduce(tensor, async_op=True))`: what is handed over beside the handle is on its way."""
    if len(arguments) == len(node.args):
        for place, argument in enumerate(node.args):
            if isinstance(argument, ir.Name | ir.Attr):
                arguments[place] = machine.evaluate(argument, mask)
    if [name for name, _ in keywords] == [name for name, _ in node.keywords]:
        for place, (name, argument) in enumerate(node.keywords):
            if isinstance(argument, ir.Name | ir.Attr):
                keywords[place] = name, machine.evaluate(argument, mask)


def running(machine: Machine) -> dict[int, Object]:
    found: dict[int, Object] = machine.facts.setdefault(RUNNING, {})
    return found


def note_crossing(machine: Machine, work: Object, event: Event) -> None:
    """Another handle, on another group that shares two ranks with this one, is still running."""
    for other in running(machine).values():
        before: Event = other.facts["event"]
        if event.kind == before.kind == "collective" and crossing(event.group, before.group, event.mask & before.mask):
            note(machine, "crossed-works", work, other=other)
            return


def crossing(one: Group | None, other: Group | None, mask: int) -> bool:
    """Two communicators that at least two of these ranks share."""
    if one is None or other is None or one is other:
        return False
    if one.members == other.members and one.number == other.number == 0 and one.name == other.name == "group":
        return False
    return any(
        mask >> lane & 1 and bin(mine & theirs & mask).count("1") > 1
        for lane, (mine, theirs) in enumerate(zip(one.members, other.members, strict=True))
    )


def note(machine: Machine, what: str, work: Object, **extra: Any) -> None:
    api = work.facts["event"].api
    machine.emit_event("record", what, api, work.birth, subject=work, extra={"work": work, **extra})


# --- ends ------------------------------------------------------------------------------------------------------


def wait(machine: Machine, call: Invocation) -> Value | None:
    given = call.get("handle")  # of a function: `hvd.synchronize(handle)`
    work, named = (call.receiver, receiver_named(call)) if given is None else (given, call.expression("handle"))
    plain = named is not None and names_one(named) and not of_several(machine, named, call.mask)
    if one_of_turns(machine, call):
        return None
    if isinstance(work, Object) and work.kind == KIND and plain and not machine.frame.loops:
        running(machine).pop(work.number, None)
        work.facts["waited"] = True
    else:
        wait_for_all(machine)
    return None


def receiver_named(call: Invocation) -> ir.Expr | None:
    return call.node.func.value if call.node is not None and isinstance(call.node.func, ir.Attr) else None


def names_one(node: ir.Expr) -> bool:
    """`work`, `self.work`, `pending["in"]`: one handle, and which."""
    return isinstance(node, ir.Name | ir.Attr | ir.Call) or (
        isinstance(node, ir.Index) and isinstance(node.index, ir.Const)
    )


def one_of_turns(machine: Machine, call: Invocation) -> bool:
    """`handles[-1].wait()`, `pending[-1][1].wait()`: was one put away in every turn of a loop that is over? Then this
    waits for one of many."""
    named = receiver_named(call)
    while isinstance(named, ir.Index):
        holder = machine.evaluate(named.value, call.mask) if is_number(named.index) else None
        works = works_in(one_item(holder)) if isinstance(holder, Object) and holder.kind == "list" else []
        if works:
            return all(work.facts.get("turns", 0) > turns_around(machine.frame) for work in works)
        named = named.value
    return False


def one_item(holder: Object) -> Value:
    """What a list holds, or any one of many that it holds."""
    held = holder.attributes.get("[]", NONE)
    return held.like if isinstance(held, Unknown) and held.like is not None else held


def is_number(index: ir.Expr) -> bool:
    held = index.value if isinstance(index, ir.Unary) else index
    return isinstance(held, ir.Const) and type(held.value) is int


def turns_around(frame: Frame | None) -> int:
    """How many loops are under way, in this function and in those that have called it?"""
    if frame is None:
        return 0
    outer = frame.caller
    inside = outer is not None and frame.closure is outer and frame.function is outer.function  # a comprehension
    return len(frame.loops) + inside + turns_around(outer)


def of_several(machine: Machine, named: ir.Expr, mask: int) -> bool:
    """`self.work`, where one layer stands for all of a list: each has a handle, and only one of them is waited for."""
    owner = machine.evaluate(named.value, mask) if isinstance(named, ir.Attr) else None
    return isinstance(owner, Object) and not is_one(owner)


def wait_for_all(machine: Machine) -> None:
    for work in machine.facts.get(RUNNING, {}).values():
        work.facts["waited"] = True
    machine.facts.pop(RUNNING, None)


def met(machine: Machine, barrier: Event) -> None:
    """A barrier comes after all that was started on its group: who has passed it finds that done."""
    group = barrier.group
    for number, work in list(machine.facts.get(RUNNING, {}).items()):
        before: Event = work.facts["event"]
        same = before.function == barrier.function and before.path == barrier.path  # what is in use by then is early
        of_group = before.extra["call"].receiver is not None  # of which group, nobody knows
        if same and before.kind == "collective" and not of_group and group is not None and before.group is group:
            work.facts["synchronised"] = work.facts["waited"] = True
            running(machine).pop(number, None)


def synchronise(machine: Machine, call: Invocation) -> Value | None:
    """The device has caught up: what was started on it is done, handle or not. A handle that another function has lost
    is lost all the same: until here nobody knows what is done."""
    for work in machine.facts.get(RUNNING, {}).values():
        before: Event = work.facts["event"]
        if (before.path, before.function) == (machine.frame.path, machine.frame.scope):
            work.facts["synchronised"] = True
    wait_for_all(machine)
    return None


def unknown_method(machine: Machine, receiver: Value, name: str, call: Invocation) -> None:
    if RUNNING in machine.facts and name in ("wait", "synchronize", "wait_all", "join", "result"):
        if not one_of_turns(machine, call):
            wait_for_all(machine)
    if name.endswith("_") and not name.endswith("__"):
        overwritten(machine, receiver, name)


# --- uses ------------------------------------------------------------------------------------------------------


def computed(machine: Machine, what: str, values: tuple[Value, ...], tags: frozenset[Any]) -> None:
    """Something is computed from values, one of which may belong to a call that is still running."""
    numbers = [tag[1] for tag in tags if isinstance(tag, tuple) and tag[0] == RUNNING]
    if not numbers or not reads(what, values):
        return
    if any(isinstance(value, Object) and not is_one(value) for value in values):
        return  # `buffers[1 - current]`: which of them it is, nobody tells
    for number in numbers:
        work = running(machine).get(number)
        if work is not None:
            note(machine, EARLY, work)


def overwritten(machine: Machine, tensor: Value, how: str = "") -> None:
    """A tensor gets new content: `tensor.copy_(…)`, `tensor[0] = …`. It may be on its way to another rank still."""
    if SENDING in machine.facts and how not in KEPT:
        work = running(machine).get(machine.facts[SENDING].get(tensor_key(tensor), 0))
        if work is not None:
            note(machine, EARLY, work, written=True)


def tensor_key(tensor: Value | None) -> object:
    """Which tensor is this? Not one of several that nobody tells apart: `buffers[step % 2]`. One of which nobody knows
    anything is the very value that was sent, which its handle keeps: what is computed in the same way is another."""
    if isinstance(tensor, Object):
        return tensor.number if is_one(tensor) else None
    return ("value", id(tensor)) if isinstance(tensor, Unknown) else None


def is_one(tensor: Object) -> bool:
    return not tensor.instead and MANY not in tensor.facts


def performed(machine: Machine, call: Invocation) -> None:
    """Gradients are clipped, or their scale is taken from them, where they lie."""
    if call.row.record in SCALES_GRADIENTS and RUNNING in machine.facts:
        owners: set[int] = set().union(*(modules_in(value) for value in (call.receiver, *call.values)))
        gradients_used(machine, owners)


def modules_in(value: Value | None) -> set[int]:
    """The modules whose parameters these are, as far as anybody knows."""
    if isinstance(value, Object) and value.kind == "list":
        return modules_in(value.attributes.get("[]"))
    if isinstance(value, Tuple):
        return set().union(*map(modules_in, value.items))
    return modules_of(value.symbol) if isinstance(value, Unknown) else set()


def gradients_used(machine: Machine, owners: AbstractSet[int] = frozenset()) -> None:
    """An optimizer steps: it reads every gradient, those too that are still on their way. Of others it may be known
    whose they are."""
    for work in machine.facts.get(RUNNING, {}).values():
        call = work.facts["event"].extra.get("call")
        tensor = next(iter(call.values), None) if isinstance(call, Invocation) else None
        if isinstance(tensor, Unknown) and tensor.symbol.key[0] == "attr" and tensor.symbol.key[-1] == "grad":
            of_another = owners and owners.isdisjoint(modules_of(tensor.symbol) or owners)
            if not of_another:
                note(machine, EARLY, work)


def parameters_used(machine: Machine, module: Object) -> None:
    """A module has been run whose parameters are still on their way."""
    for work in list(machine.facts.get(RUNNING, {}).values()):
        call = work.facts["event"].extra.get("call")
        tensor = next(iter(call.values), None) if isinstance(call, Invocation) else None
        if isinstance(tensor, Unknown) and module.number in modules_of(tensor.symbol):
            note(machine, EARLY, work)


def on_gradient(machine: Machine, parameter: Symbol) -> frozenset[Any]:
    """The mark of a call that is still running on the gradient of this parameter."""
    number = machine.facts[ON_GRADIENTS].get(parameter) if ON_GRADIENTS in machine.facts else None
    if isinstance(number, Const) and number.value in machine.facts.get(RUNNING, {}):
        return frozenset({(RUNNING, number.value)})
    return frozenset()


def handed(machine: Machine, callee: Value, arguments: tuple[Value, ...]) -> None:
    """A list of tensors that are still on their way is handed to a function that computes with them, rather than give
    them back as they are. So is one that is handed to a module. A handle that is handed to something unknown, the
    `append` of a list that a caller has, say, may be kept there."""
    if isinstance(callee, Unknown):
        for work in (work for value in arguments for work in works_in(value)):
            work.facts["kept elsewhere"] = True
    if is_module(machine, callee):
        computed(machine, "op call", arguments, marks.deep_tags(arguments))
    row = machine.knowledge.api(callee.name) if isinstance(callee, External) else None
    if isinstance(callee, External) and (row is None or row.does != "identity"):
        lists = tuple(value for value in arguments if isinstance(value, Tuple | Object))
        tags = marks.deep_tags(lists)
        if tags:
            computed(machine, machine.knowledge.canonical(callee.name), lists, tags)


def reads(what: str, values: tuple[Value, ...]) -> bool:
    if what.startswith(("op ", "unary ", "compare ")):
        return what not in IDENTITY
    name = asked(what, values)
    if what.startswith("torch."):
        return what.count(".") == 1 and not name.endswith("_like")
    return name in READS or (name.endswith("_") and not name.endswith("__") and name not in KEPT)


def asked(what: str, values: tuple[Value, ...]) -> str:
    """`sum` of `x.sum()`, `torch.sum(x)` and `sum(x)`"""
    if what == "call" and isinstance(values[0], Unknown) and values[0].symbol.key[0] == "attr":
        return str(values[0].symbol.key[-1])
    return what.rpartition(".")[2] if what.startswith(("torch.", "builtins.")) else what


def left(what: str, values: tuple[Value, ...], tags: frozenset[Any]) -> frozenset[Any]:
    """The marks of what was computed. Whatever is asked about a tensor itself does not wait for its content."""
    if asked(what, values) in ABOUT_IT:
        return frozenset(tag for tag in tags if not (isinstance(tag, tuple) and tag[0] == RUNNING))
    return tags


def works_in(value: Value) -> list[Object]:
    """The handles a value is made of: one, one per rank, or those of a batch."""
    if isinstance(value, Row | Tuple):
        parts = value.lanes if isinstance(value, Row) else value.items
        return list({work.number: work for part in parts for work in works_in(part)}.values())
    if isinstance(value, Object) and value.kind == "list":
        return works_in(value.attributes.get("[]", NONE))
    return [value] if isinstance(value, Object) and value.kind == KIND else []


MODELS = {"work_wait": wait, "device_synchronize": synchronise}
