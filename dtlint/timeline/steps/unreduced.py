"""Are the gradients of the model that is trained reduced at all, and does the optimizer know the wrapped parameters?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_name, every_node
from dtlint.ir.text import render
from dtlint.machine.library.computing.provenance import parts, symbols_in
from dtlint.machine.library.computing.tensors import ALIASES, COPIES, FIGURES, REVEALS, method_of
from dtlint.machine.library.meeting.spawning import APART
from dtlint.machine.library.meeting.unread import UNREAD
from dtlint.machine.library.training.own_gradients import GRADIENT
from dtlint.machine.library.training.stepping import INNER, PLAIN
from dtlint.machine.library.training.wrapping import IN_ONE_PROCESS
from dtlint.machine.logs import Choice, Event, LogNode, Loop, Site
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value
from dtlint.timeline.order import Met, choices_below, inside, loops_over
from dtlint.timeline.ranks.arrivals import instead_of_start
from dtlint.timeline.records import calls_around, recorded
from dtlint.timeline.steps.stepping import DDP, FSDP, backwards, events, handed_on, steps
from dtlint.timeline.symbols import objects_in

EXCHANGES = (
    "all_reduce",
    "all_reduce_coalesced",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "all_gather",
    "all_gather_into_tensor",
    "broadcast",
)
OF_THE_CPU = ("torch.nn.", "torchvision.models.")  # what they make stands there, unless they are told a device
LAYERS = 8  # how deep the layers of a model lie
SENDS = ("send", "isend", "batch_isend_irecv")  # weights may be mixed with those of a neighbour


def moved_after_wrap(run: Any) -> Iterator[Met]:
    """DDP notes the parameters where they are; the model goes to its device afterwards."""
    for met in events(run, "record", "move"):
        subject, call = met.event.subject, met.event.extra["call"]
        if not (isinstance(subject, Object) and subject.kind == DDP and subject.facts.get("wrapped")):
            continue
        made, inner = subject.facts.get("call"), subject.attributes.get("module")
        if made is None or made.row.name != DDP or not isinstance(inner, Object) or was_moved(run, inner, met):
            continue
        given = made.get("device_ids")
        if given is None or given == Const(None) or stands_where_it_was_made(run, inner, met):
            if not is_type(call.arguments[0] if call.arguments else None):
                yield met


def was_moved(run: Any, inner: Object, before: Met) -> bool:
    return any(met.event.subject is inner and met.number < before.number for met in events(run, "record", "move"))


def stands_where_it_was_made(run: Any, model: Object, before: Met) -> bool:
    """Is it certain that this was put together on the CPU, and that nothing of it was moved? Whoever names the devices
    for DDP has mostly brought the model there, by whatever way, and moves it once more."""
    held = list(layers_of(model))
    if run.project.mentioning("set_default_device") or run.project.mentioning("set_default_tensor_type"):
        return False
    layers = [part for part in held if isinstance(part.kind, str) and "call" in part.facts]
    plain = all(
        str(part.facts.get("api", "")).startswith(OF_THE_CPU) and part.facts["call"].get("device") is None
        for part in layers
    )
    moved = {met.event.subject for met in events(run, "record", "move") if met.number < before.number}
    return bool(layers) and plain and moved.isdisjoint(held)


def layers_of(model: Value) -> Iterator[Object]:
    """The model and what it was made of: `Sequential(Linear(3, 3))` keeps what it was given."""
    for part in parts(model, LAYERS):
        if isinstance(part, Object):
            yield part
            if isinstance(part.kind, str) and "call" in part.facts:
                for given in part.facts["call"].arguments:
                    yield from layers_of(given)


def is_type(value: Any) -> bool:
    """`.to(torch.bfloat16)` moves nothing, `.to("cpu")` neither."""
    name = getattr(value, "name", "")
    return bool(name.startswith("torch.")) or value == Const("cpu")


def inner_calls(run: Any) -> Iterator[tuple[Site, Met]]:
    """Training through `model.module`: the call, and the backward pass that nobody reduces."""
    calls = run.facts.get("inner calls", {})
    ways = {id(event): path for event, path in recorded(run, "<step>")}
    for met in events(run, "step", "backward"):  # what divides the loss first hands it on as well
        if instead_of_start(run, ways.get(id(met.event), ()), met.event):
            continue  # where there is one process, the model is not wrapped
        tags = met.event.subject.tags if met.event.subject is not None else frozenset()
        inner = sorted(tag[1] for tag in tags if isinstance(tag, tuple) and tag[0] == INNER)
        for number in inner:
            if ("wrapped", number) in tags or number not in calls or reduces_by_hand(run, innermost(met)):
                continue
            wrapper = calls[number].subject
            if (handed_on(met) or wrapper.kind == DDP) and not trains_another(run, met, wrapper):
                yield went_by(run, calls[number]), met


def went_by(run: Any, call: Event) -> Site:
    """Where the wrapper is left: `model.module.loss(batch)`, though it is a method of the module that calls it."""
    place = (call.path, call.at, call.function)
    above = next((path for event, path in recorded(run, "inner-forward") if event is call), ())
    for node in reversed(calls_around(call, above)):
        if (node.callee_path, node.function) not in call.extra["methods"]:
            break
        place = (node.path, node.at, node.caller)
    return place


def trains_another(run: Any, backward: Met, model: Value | None) -> bool:
    """Is it certain that the step which uses these gradients is one of another model's parameters? A generator learns
    through a critic whose own gradients are cleared before anybody uses them."""
    around = loops_over(backward)[-1:]
    later = [met.number for met in events(run, "step", "backward") if met.number > backward.number]
    following = [
        met
        for met in steps(run)
        if loops_over(met)[-1:] == around and backward.number < met.number < min(later, default=met.number + 1)
    ]
    held = tuple(parts(model)) if model is not None else ()
    own: set[Any] = {part.number for part in held if isinstance(part, Object)}
    own |= {part.symbol for part in held if isinstance(part, Unknown)}  # what was prepared may come from anywhere
    return bool(following) and all(trained(met) and not trained(met) & own for met in following)


def reduces_by_hand(run: Any, around: LogNode | None) -> bool:
    """Is anything communicated in the loop around backward and step, that could be gradients?"""
    collectives = (met for met in events(run, "collective", *EXCHANGES) if not of_figures(run, met))
    exchanged = (*collectives, *events(run, "p2p", *SENDS))
    if any(around is None or inside(met, around) for met in exchanged):
        return True
    return any(around is None or inside(met, around) for met in events(run, "record", "reduce-gradients"))


def of_figures(run: Any, exchange: Met) -> bool:
    """Numbers that are shown, or the loss itself and what it was computed from: no gradient."""
    tensor = exchange.event.extra.get("tensor")
    if isinstance(tensor, Object):
        return bool(tensor.facts.get(FIGURES))
    if not isinstance(tensor, Unknown) or GRADIENT in tensor.tags:
        return False
    if not any(isinstance(tag, tuple) and tag[0] in (INNER, PLAIN, "wrapped") for tag in tensor.tags):
        return False
    passed = (met.event.subject for met in events(run, "step", "backward"))
    losses = [loss.symbol for loss in passed if isinstance(loss, Unknown)]
    if not set(losses).isdisjoint(symbols_in(tensor.symbol)):
        return True  # `isnan(loss)`
    known = {one for loss in losses for one in symbols_in(loss)}
    side_by_side = tensor.symbol.key[1:] if tensor.symbol.key[0] in ("torch.stack", "torch.cat") else (tensor.symbol,)
    return all(isinstance(one, Symbol) and copied_from(one) in known for one in side_by_side)


OF_SAME = ALIASES | COPIES | REVEALS


def copied_from(symbol: Symbol) -> Symbol:
    """`loss.clone().detach()`, `losses.mean() / world`: the loss, or the losses."""
    while True:
        method, word = method_of(symbol), symbol.key[0]
        owner = method[0] if method is not None and method[1] in OF_SAME else None
        if (word == "attr" and symbol.key[2] == "data") or word in ("op /", "op *"):
            owner = symbol.key[1]
        if not isinstance(owner, Symbol):
            return symbol
        symbol = owner


def innermost(met: Met) -> Loop | None:
    loops = loops_over(met)
    return loops[-1] if loops else None


def wrapped_in_loop(run: Any) -> Iterator[Met]:
    """A wrapper made anew around the same model in each step, or around the last one in each epoch."""
    around = [loops_over(met) for met in events(run, "step", "backward")]
    inner = {id(loops[-1]) for loops in around if loops}
    outer = {id(loop) for loops in around for loop in loops}
    for met in events(run, "collective", "wrap"):
        loops = loops_over(met)
        if not loops or met.event.api not in (DDP, FSDP) or not older(run, met, loops[-1]):
            continue
        if id(loops[-1]) in inner or (id(loops[-1]) in outer and takes_its_name(run, met)):
            yield met


def takes_its_name(run: Any, wrap: Met) -> bool:
    """`model = DDP(model)`, or `self.model = self.wrapped()` where that returns `DDP(self.model)`: in the next turn the
    wrapper is what is wrapped."""
    lines = list(every_node(run.project.tree(wrap.event.path).body))
    given = {one.name: made for one in lines if isinstance(one, ir.Function) for made in calls_returned(one)}
    for line in lines:
        if isinstance(line, ir.Assign) and isinstance(line.value, ir.Call):
            made = given.get(called_name(line.value), line.value)
            if wrap.event.at in (line.value.at, made.at) and made.args:
                return any(render(target) == render(made.args[0]) for target in line.targets)
    return False


def calls_returned(function: ir.Function) -> Iterator[ir.Call]:
    for line in every_node(function.body):
        if isinstance(line, ir.Return) and isinstance(line.value, ir.Call):
            yield line.value


def older(run: Any, wrap: Met, loop: Loop) -> bool:
    """Is the model older than the loop? An optimizer outside of it holds its parameters."""
    model = wrap.event.subject
    return isinstance(model, Object) and any(
        met.number < wrap.number and not inside(met, loop) and model.number in optimised(met)
        for met in events(run, "record", "optimizer")
    )


def optimised(made: Met) -> set[int]:
    first = made.event.extra["call"].get("params")
    return objects_in(first) if first is not None else set()


PARAMETERS = frozenset({"parameters", "named_parameters", "state_dict", "parameters_to_vector"})


def averages_models(run: Any) -> bool:
    """Is a model that each rank has trained for a while averaged over the ranks?"""
    for met in events(run, "collective", *(op for op in EXCHANGES if op != "broadcast")):
        tensor = met.event.extra.get("tensor")
        inner = symbols_in(tensor.symbol) if isinstance(tensor, Unknown) else ()
        for symbol in inner:
            name = symbol.key[2] if symbol.key[0] == "attr" and len(symbol.key) == 3 else symbol.key[0]
            if str(name).rpartition(".")[2] in PARAMETERS:
                return True
    return False


@dataclass(frozen=True, slots=True)
class Alone:
    """A pass whose gradients are used by a step of this rank, what it takes to reduce them, and what looks as if it
    did."""

    backward: Met
    step: Met
    remedy: str
    seeming: Met | None = None


def each_for_itself(run: Any) -> str:
    """Do the ranks begin so that each trains for itself? What it takes to do it together. Where one program speaks for
    all devices, the compiler adds what reduces."""
    if events(run, "record", "one-program"):
        return ""
    started = (run.knowledge.apis.get(met.event.api) for met in events(run, "record", "init"))
    found = [str(row.extra[APART]) for row in started if row is not None and APART in row.extra]
    return found[0] if found else str(run.facts.get(APART, ""))


def never_reduced(run: Any) -> Iterator[Alone]:
    """Sharded data, ranks that work together, an optimizer, a model called as it is, and nothing that reduces."""
    remedy = each_for_itself(run)
    if not remedy or events(run, "collective", "wrap", "optimizer_step") or averages_models(run):
        return
    for met in backwards(run):
        subject = met.event.subject
        if (
            subject is None
            or subject.cause is None
            or subject.cause.kind != "data"
            or reduces_by_hand(run, innermost(met))
        ):
            continue
        plain: set[Any] = {tag[1] for tag in subject.tags if isinstance(tag, tuple) and tag[0] == PLAIN}
        plain |= set(symbols_in(subject.symbol)) if isinstance(subject, Unknown) else set()
        around = loops_over(met)[-1:]
        step = next((step for step in steps(run) if plain & trained(step) and loops_over(step)[-1:] == around), None)
        if plain and step is not None and met.event.mask == run.world.full and around:
            yield Alone(met, step, remedy, in_one_process(run, plain))


def in_one_process(run: Any, models: set[Any]) -> Met | None:
    """Where `DataParallel` wraps one of these models: it reduces over the devices of one process only."""
    return next((met for met in events(run, "record", IN_ONE_PROCESS) if models & named(met.event.subject)), None)


def named(model: Value | None) -> set[Any]:
    if model is None:
        return set()
    return {*objects_in(model), *(symbols_in(model.symbol) if isinstance(model, Unknown) else ())}


def reduced_too_late(run: Any) -> Iterator[tuple[Alone, Met]]:
    """Gradients are reduced when the optimizer has made its step, and cleared before it makes another."""
    if not each_for_itself(run) or events(run, "collective", "wrap", "optimizer_step"):
        return
    for met in backwards(run):
        around = loops_over(met)[-1:]
        step = next((one for one in steps(run) if one.number > met.number and loops_over(one)[-1:] == around), None)
        if not around or step is None or choices_below(step, around[0]) != choices_below(met, around[0]):
            continue
        reduced = [one for one in events(run, "collective", "all_reduce") if inside(one, around[0])]
        cleared = [one for one in events(run, "record", "zero-grad") if inside(one, around[0])]
        if (
            reduced
            and all(of_gradient(one) and one.number > step.number for one in reduced)
            and any(one.number < met.number or one.number > reduced[-1].number for one in cleared)
            and not any(inside(one, around[0]) for one in events(run, "record", "reduce-gradients"))
        ):
            yield Alone(met, step, "reduce the gradients between `backward()` and the optimizer's step"), reduced[0]


def reduced_in_a_copy(run: Any) -> Iterator[Met]:
    """What was reduced is a copy of the gradients, and is gone when the optimizer steps with them."""
    if not events(run, "collective", "wrap"):
        yield from events(run, "record", UNREAD)


def of_gradient(met: Met) -> bool:
    tensor = met.event.extra.get("tensor")
    return isinstance(tensor, Unknown) and GRADIENT in tensor.tags


def wrapped_sometimes(run: Any) -> Iterator[tuple[Met, Met]]:
    """The only wrap depends on an option that nothing else of the job depends on: neither the process group nor the
    training. The wrap, and the backward pass that is left alone without it."""
    wraps = events(run, "collective", "wrap")
    started = [met for met in events(run, "record", "init") if met.event.api.startswith("torch.distributed")]
    if len(wraps) != 1 or not started or wraps[0].event.extra.get("wrap") not in (DDP, FSDP):
        return
    choices = [(node, side) for node, side in wraps[0].above if isinstance(node, Choice)]
    if len(choices) != 1 or choices[0][0].cause is not None or not is_option(choices[0][0].symbol):
        return
    option = choices[0][0].symbol
    samplers = events(run, "record", "sampler")
    needed = [*started, *samplers]
    if not samplers or any(depends(met, option) for met in needed):
        return
    for met in backwards(run):
        subject = met.event.subject
        learns = subject is not None and subject.cause is not None and subject.cause.kind == "data"
        if learns and loops_over(met) and not depends(met, option) and not reduces_by_hand(run, innermost(met)):
            yield wraps[0], met
            return


def is_option(symbol: Symbol | None) -> bool:
    """An attribute of the options, asked as it is."""
    return symbol is not None and symbol.key[0] == "attr"


def depends(met: Met, option: Symbol | None) -> bool:
    """Does it happen under a branch on the same option, or behind one that left?"""
    return any(isinstance(node, Choice) and node.symbol is option for node, _ in met.above)


def trained(step: Met) -> set[Any]:
    """The models whose parameters the stepped optimizer holds: numbers, and symbols of models that libraries made."""
    optimizer = stepped(step)
    call = optimizer.facts.get("call") if isinstance(optimizer, Object) else None
    if call is None or not call.arguments:
        return set()
    given = call.arguments[0]
    held = [part.symbol for part in parts(given, 2) if isinstance(part, Unknown)]
    asked = {
        one.key[1]
        for symbol in held
        for one in symbols_in(symbol)
        if one.key[0] == "attr" and one.key[2:] == ("parameters",)
    }
    return {*objects_in(given), *(one for one in asked if isinstance(one, Symbol))}


def stepped(step: Met) -> Value | None:
    """The optimizer itself; a scaler is told which one to step."""
    call = step.event.extra.get("call")
    given: Value | None = call.get("optimizer") if call is not None else None
    return step.event.subject if given is None else given
