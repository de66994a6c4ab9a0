"""Is the loss as large as the number of batches behind a step demands?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.control.agreeing import TOLD
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.computing.tensors import method_of
from dtlint.machine.library.training.models import ANSWERS
from dtlint.machine.logs import Choice, Loop
from dtlint.machine.values import NONE, Const, Object, Symbol, Unknown, Value
from dtlint.timeline.order import Met, choices_below, inside, loops_over
from dtlint.timeline.steps.stepping import DDP, FSDP, backwards, events, steps
from dtlint.timeline.steps.windows import Window, toggles, windows


def undivided(run: Any) -> Iterator[Window]:
    """Windows that add up means without dividing by their number."""
    for window in windows(run):
        if window.nested and not toggles(run, window.loop) and not says_so(window.loop):
            continue  # a sum over steps of time, tasks or pieces may be meant as it is
        if any(inside(met, window.loop) or inside_outer(met, window) for met in events(run, "record", "grad-write")):
            continue
        subject = window.backward.event.subject
        if isinstance(subject, Unknown):
            told = plain_mean(run, subject.symbol) or (says_so(window.loop) and taken_mean(subject.symbol))
            if told:
                yield window


def by_running_count(run: Any) -> Iterator[Window]:
    """`loss / turn`, and a step where `turn >= window`: each micro-batch is divided by how many there have been so
    far, the first by one, the last by all."""
    for window in windows(run):
        subject = window.backward.event.subject
        divisor = subject.symbol.key[2] if isinstance(subject, Unknown) and subject.symbol.key[0] == "op /" else None
        if isinstance(divisor, Symbol) and any(counts_up(symbol, divisor) for symbol, _ in window.when):
            yield window


def counts_up(asked: Symbol, count: Symbol) -> bool:
    """`turn >= window`, `turn % window == 0`, of a number that one is added to in each turn"""
    running = count.key[0] == "op +" and any(isinstance(one, Symbol) and one.key[0] == "loop" for one in count.key[1:])
    return running and any(one is count for one in symbols_in(asked))


def says_so(loop: Any) -> bool:
    """`for _ in range(options.gradient_accumulation_steps):`"""
    return isinstance(loop, Loop) and "accum" in loop.decision.text.lower()


def taken_mean(symbol: Symbol) -> bool:
    """`torch.mean(errors)`, `errors.mean()`: the mean of all there is, of what the model gave."""
    method = method_of(symbol)
    whole = len(symbol.key) == 2
    name = method[1] if method is not None else str(symbol.key[0]).rpartition(".")[2]
    return whole and name == "mean" and any(one.key[0] == "output" for one in symbols_in(symbol))


def inside_outer(met: Met, window: Window) -> bool:
    around = loops_over(window.backward)
    return len(around) > 1 and inside(met, around[-2])


def plain_mean(run: Any, symbol: Symbol) -> bool:
    """The mean of a loss function as it is, alone or as a term of a sum."""
    key = symbol.key
    if key[0] == "op +":
        return any(isinstance(part, Symbol) and plain_mean(run, part) for part in key[1:])
    name = key[0]
    if name in ("split", "phi"):
        return given_one(run, key[2:])
    if name in ("attr", "item"):
        return mean_of_a_library(run, *key[1:3]) or mean_of_a_forward(run, *key[1:3])
    if name == "output":
        return mean_of_a_forward(run, symbol)
    if name == "call" and len(key) > 1:
        name = text(key[1])
    row = run.knowledge.apis.get(name) if isinstance(name, str) else None
    if row is None or "loss" not in row.extra:
        return False
    return not any(text(part) in ("sum", "none") for part in key)


def given_one(run: Any, sides: tuple[Any, ...]) -> bool:
    """A model that answers with a loss where it was given targets, and with None where not."""
    losses = [side for side in sides if side is not None]
    return len(losses) == 1 and isinstance(losses[0], Symbol) and plain_mean(run, losses[0])


def mean_of_a_library(run: Any, answer: Any, name: Any) -> bool:
    """`output.loss`, of a wrapped model whose library computes it."""
    if not isinstance(answer, Symbol) or answer.key[0] != "output":
        return False
    model = run.facts.get("models", {}).get(answer.key[1])
    inner = model.attributes.get("module", model) if model is not None else None
    kind = inner.kind if isinstance(inner, Object) and isinstance(inner.kind, str) else ""
    means = {
        mean for known in map(run.knowledge.types.get, run.knowledge.ancestors(kind)) if known for mean in known.means
    }
    return (text(name) or name) in means


def mean_of_a_forward(run: Any, answer: Any, name: Any = None) -> bool:
    """What the program's own model, inside of its wrapper, gives; or this part of it."""
    held = run.facts.get(ANSWERS, {}).get(answer) if isinstance(answer, Symbol) else None
    if name is not None:
        part = text(name) or name
        found = held.attributes if isinstance(held, Object) else {}
        held = found.get(("key", part)) or found.get(part)
    return isinstance(held, Unknown) and plain_mean(run, held.symbol)


def text(part: Any) -> str:
    """The string a token stands for, or nothing."""
    if isinstance(part, tuple) and len(part) >= 2 and part[0] == "str":
        return str(part[1]).strip("'")
    return part if isinstance(part, str) else ""


def unconfigured(run: Any) -> Iterator[Met]:
    """`accelerator.accumulate()` of an accelerator that was not told how many batches make a step."""
    wanted = ("gradient_accumulation_steps", "gradient_accumulation_plugin", "deepspeed_plugin", "deepspeed_plugins")
    for met in events(run, "record", "accumulate"):
        subject = met.event.subject
        if not isinstance(subject, Object):
            continue
        made = subject.facts.get("call")
        if made is None or made.name != subject.kind:  # a trainer has made its own, and tells it
            continue
        if any(name is None or name in wanted for name, _ in made.keywords):
            continue
        shared = met.event.path != subject.path and any(
            path not in (met.event.path, subject.path) for path in run.project.mentioning(wanted[0])
        )
        if shared or run.project.started.accumulates(run.entry.path):
            continue  # a loop for accelerators of several programs, of which others are told
        if len(made.arguments) <= 3 and not any(name in subject.attributes for name in wanted):
            if not put_in(run, subject.path, wanted) and not asked_for(run, met, wanted[0]):
                yield met


def asked_for(run: Any, met: Met, wanted: str) -> bool:
    """`accelerator.gradient_accumulation_steps` beside `accelerator.accumulate(model)`: who asks how many there are
    lets the launcher say so."""
    nodes = list(every_node(run.project.tree(met.event.path).body))
    named = {one.value.id for one in nodes if is_attribute(one, "accumulate")}
    return any(is_attribute(one, wanted) and one.value.id in named for one in nodes)


def is_attribute(node: Any, name: str) -> bool:
    return isinstance(node, ir.Attr) and node.name == name and isinstance(node.value, ir.Name)


def put_in(run: Any, path: str, wanted: tuple[str, ...]) -> bool:
    """`if count > 1: options.update(gradient_accumulation_steps=count)` before `Accelerator(**options)`"""
    return any(
        any(name in wanted for name, _ in node.keywords)
        for node in every_node(run.project.tree(path).body)
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in ("update", "setdefault")
    )


def never_accumulated(run: Any) -> Iterator[tuple[Met, Met]]:
    """An accelerator that was told how many batches make a step, and a loop that steps after each of them without
    `accumulate()`: every loss is divided all the same. The backward and the step."""
    if events(run, "record", "accumulate") or events(run, "record", "no-sync"):
        return
    for met in events(run, "record", "backward"):
        made = met.event.subject.facts.get("call") if isinstance(met.event.subject, Object) else None
        count = made.get("gradient_accumulation_steps") if made is not None else None
        around = loops_over(met)
        if not several(count) or not around:
            continue
        for step in steps(run):
            own = choices_below(step, around[-1]) if inside(step, around[-1]) else None
            if own is not None and sides(own) <= sides(choices_below(met, around[-1])) and loops_over(step) == around:
                yield met, step
                break


def sides(choices: list[tuple[Choice, int]]) -> set[tuple[Any, int]]:
    """What has to be so for it to happen. A count of turns is a condition of its own."""
    return {(node.symbol, side) for node, side in choices}


def several(count: Value | None) -> bool:
    """More than one, or as many as an option or a setting says, which is there to be set to more than one."""
    if isinstance(count, Const):
        return isinstance(count.value, int) and count.value > 1
    return isinstance(count, Unknown) and count.cause is None


def divided_again(run: Any) -> Iterator[Met]:
    """`accelerator.backward(loss / n)` of an accelerator that was made with n and divides by it as well."""
    for met in events(run, "record", "backward"):
        call, owner = met.event.extra["call"], met.event.subject
        name, loss = call.row.extra.get("window"), call.get("loss")
        if name is None or not isinstance(loss, Unknown) or not isinstance(owner, Object):
            continue
        told = call.get(str(call.row.extra.get("told_not_to", ""))) is not None
        if loss.symbol.key[0] == "op /" and not told:
            if is_window(owner, str(name), loss.symbol.key[2], call.row.extra.get("divides_by", ())):
                yield met


def is_window(owner: Object, name: str, by: Any, options: tuple[str, ...]) -> bool:
    """The number of micro-batches that the owner was made with, itself or in its configuration, or that it tells."""
    made = owner.facts.get("call")
    if made is None:
        return False
    if tells(by, name):
        return not options or any(made.get(option) not in (None, NONE, Const(1)) for option in options)
    if made.get(name) is not None:
        return made.get(name) != Const(1) and by == token(made.get(name))
    config = next((value for key in CONFIGURATION if (value := made.get(key)) is not None), None)
    if isinstance(config, Object) and config.kind == "dict":
        count = config.attributes.get(("key", name))
        return count not in (None, Const(1)) and by == token(count)
    return isinstance(config, Unknown) and isinstance(by, Symbol) and by.key == ("item", config.symbol, name)


CONFIGURATION = ("config", "config_params")


def tells(by: Any, name: str) -> bool:
    """`engine.gradient_accumulation_steps()`, or an attribute of this name."""
    words = by.key[:2] if isinstance(by, Symbol) else ()
    return any(isinstance(word, str) and word.rpartition(".")[2] == name and "." in word for word in words)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A loss that is divided, and whose gradient the wrapper averages over the ranks."""

    total: Any
    by: Any
    backward: Met
    path: str
    at: Any
    scope: str


def scaled_twice(run: Any) -> Iterator[Quotient]:
    """A loss divided by the number of ranks, of a model whose wrapper averages over them already."""
    return (one for one in quotients(run) if is_world(run, one.by))


def by_own_count(run: Any) -> Iterator[Quotient]:
    """A sum over the samples of a rank divided by how many of them this rank counts, of a model whose wrapper takes
    the mean over ranks that count differently."""
    for one in quotients(run):
        count = the_count(one.by)
        if count is not None and counted_here(count) and summed(run, one.total):
            yield one


def quotients(run: Any) -> Iterator[Quotient]:
    models, places = run.facts.get("models", {}), run.facts.get("quotients", {})
    for met in backwards(run):
        event, subject = met.event, met.event.subject
        if not isinstance(subject, Unknown) or subject.symbol.key[0] != "op /":
            continue
        numbers = [tag[1] for tag in subject.tags if isinstance(tag, tuple) and tag[0] == "wrapped"]
        if any(number in models and models[number].kind in (DDP, FSDP) for number in numbers):
            path, at, scope = places.get(subject.symbol, (event.path, event.at, event.function))
            _, total, by = subject.symbol.key[:3]
            yield Quotient(total, by, met, path, at, scope)


def is_world(run: Any, part: Any) -> bool:
    """The number of ranks itself; what was divided by it, as the turns of a window, is another number."""
    return isinstance(part, tuple) and len(part) == 3 and part[1:] == (repr(run.world.size), "world")


KEEPING = frozenset({"clamp", "clamp_min", "clip", "float", "to", "item", "type_as", "detach", "double", "long"})


def the_count(by: Any) -> Symbol | None:
    """`mask.sum()`, behind what only keeps it from being zero or gives it another type."""
    while isinstance(by, Symbol) and (method := method_of(by)) is not None:
        if method[1] in ("sum", "count_nonzero"):
            return by
        if method[1] not in KEEPING:
            return None
        by = method[0]
    return None


def counted_here(count: Symbol) -> bool:
    """Counted in the batch of this rank, and not added up over the ranks."""
    heads = {one.key[0] for one in symbols_in(count)}
    return "batch" in heads and heads.isdisjoint({*TOLD, "output"})


def summed(run: Any, total: Any) -> bool:
    """A sum of what the model gave, of this rank's samples only."""
    if not isinstance(total, Symbol):
        return False
    row = run.knowledge.apis.get(total.key[0]) if isinstance(total.key[0], str) else None
    method = method_of(total)
    added = (method is not None and method[1] == "sum") or (
        row is not None and "loss" in row.extra and any(text(part) == "sum" for part in total.key)
    )
    heads = {one.key[0] for one in symbols_in(total)}
    return added and "output" in heads and heads.isdisjoint(TOLD)
