"""Where do backward, clip, step and clear happen?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node, functions_of
from dtlint.machine.library.computing.marks import deep_tags
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.computing.tensors import method_of
from dtlint.machine.library.feeding.own_rows import ALONG
from dtlint.machine.library.training.gradient_parts import PART
from dtlint.machine.library.training.group_options import BESIDE, IN_GROUP, READ
from dtlint.machine.library.training.stepping import BY_HAND, GATHERED, LEARNED_FROM, PLAIN
from dtlint.machine.library.training.wrapping import KEEPS_PARTS
from dtlint.machine.logs import Choice, Event, told
from dtlint.machine.values import Object, Symbol, Tuple, Unknown, Value
from dtlint.timeline.arrays.lives import NOTHING, Use, guarding
from dtlint.timeline.order import Met, exclusive, ordered
from dtlint.timeline.steps.plain_models import contradicts
from dtlint.timeline.symbols import objects_in

TORCH = "torch."
SCALES = ("mul_", "div_")
NORMS = ("norm", "vector_norm", "get_total_norm")
DDP = "torch.nn.parallel.DistributedDataParallel"
FSDP = "torch.distributed.fsdp.FullyShardedDataParallel"


def events(run: Any, kind: str, *ops: str) -> list[Met]:
    """The events of one kind, in order; sorted into a table once."""
    table: dict[tuple[str, str], list[Met]] | None = run.cache.get("events by kind")
    if table is None:
        table = {}
        for met in ordered(run):
            table.setdefault((met.event.kind, met.event.op), []).append(met)
        run.cache["events by kind"] = table
    found = [met for op in ops for met in table.get((kind, op), ())]
    return sorted(found, key=lambda met: met.number) if len(ops) > 1 else found


def backwards(run: Any) -> list[Met]:
    """`loss.backward()` of torch, and what hands the loss on to it as it is; other frameworks divide and switch by
    themselves."""
    return [met for met in events(run, "step", "backward") if handed_on(met)]


def handed_on(met: Met) -> bool:
    return met.event.api == "Tensor.backward" or bool(met.event.extra.get("as it is"))


def reducing(run: Any) -> list[Met]:
    """Backward passes that reduce the gradients unless a context around them holds that back: the framework may divide
    the loss, but counts no turns."""
    passes = events(run, "step", "backward")
    return [met for met in passes if handed_on(met) or met.event.extra.get("in each turn")]


def options_beside(run: Any) -> Iterator[Met]:
    """`optimizer.lr = rate`, where nobody reads it and nothing writes it into the groups of an optimizer."""
    used = {met.event.api for met in events(run, "record", READ, IN_GROUP)}
    yield from (met for met in events(run, "record", BESIDE) if met.event.api not in used)


def symbol_of(value: Value | None) -> Symbol | None:
    return value.symbol if isinstance(value, Unknown) else None


def steps(run: Any) -> list[Met]:
    """Optimizer steps; of things nobody knows only those that are cleared like an optimizer, too."""
    found: list[Met] | None = run.cache.get("steps")
    if found is None:
        cleared = {which(met.event.subject): guessed(met) for met in events(run, "record", "zero-grad")}
        made = [met for met in events(run, "record", "optimizer-step") if met.event.api.startswith(TORCH)]
        found = run.cache["steps"] = [
            step for met in made if (step := of_a_guess(met, cleared) if guessed(met) else met) is not None
        ]
    return found


def of_a_guess(met: Met, cleared: Mapping[Symbol | int | None, bool]) -> Met | None:
    """A step of what is cleared, or of what is handed over: `scaler.step(optimizer)`, whatever the scaler is."""
    if cleared.get(which(met.event.subject)):
        return met
    call = met.event.extra["call"]
    handed = call.arguments[0] if len(call.arguments) == 1 else None
    if not isinstance(handed, Unknown | Object) or which(handed) not in cleared:
        return None
    stepped = copy(met.event)
    stepped.subject = handed
    return replace(met, event=stepped)


def guessed(met: Met) -> bool:
    return bool(met.event.extra.get("guess"))


def which(subject: Value | None) -> Symbol | int | None:
    """What tells the thing an event speaks of from others."""
    return subject.number if isinstance(subject, Object) else symbol_of(subject)


def live_parameters(run: Any) -> Iterator[Met]:
    for met in ordered(run):
        if met.event.extra.get("live parameter"):
            yield met


def gathers_in_losses(run: Any) -> Iterator[tuple[Event, Met]]:
    gathers = run.facts.get("gathers", {})
    for met in (*events(run, "step", "backward"), *events(run, "record", "loss")):
        loss = differentiated(met.event.subject)
        tags = deep_tags((loss,)) if loss is not None else frozenset()
        numbers = sorted(tag[1] for tag in tags if isinstance(tag, tuple) and tag[0] == GATHERED)
        found = [gathers[number] for number in numbers if number in gathers]
        if any(isinstance(tag, tuple) and tag[0] in (*LEARNED_FROM, PLAIN) for tag in tags):
            found = [event for event in found if not is_one_number(event.extra["source"])]
        if found and not any(event.extra.get(BY_HAND) for event in found):
            yield found[0], met  # one loss, told once


def is_one_number(source: Value) -> bool:
    """`scores.mean()`: a loss that learns from more than this compares itself with what all ranks have on average."""
    symbol = symbol_of(source)
    method = method_of(symbol) if symbol is not None else None
    return symbol is not None and method is not None and method[1] in ALONG and len(symbol.key) == 2


def differentiated(answer: Value | None) -> Value | None:
    """The loss in what a step answers with: `return loss, outputs`, `return {"loss": loss, "scores": scores}`."""
    if isinstance(answer, Tuple) and answer.items:
        return answer.items[0]
    if isinstance(answer, Object) and answer.kind == "dict":
        return answer.attributes.get(("key", "loss"), answer)
    return answer


def sharded_clips(run: Any) -> Iterator[tuple[Met, Met]]:
    """torch's own clip on parameters that FSDP1 has divided, and where it was told to."""
    sharded = dict(in_parts(run))
    for met in events(run, "record", "clip"):
        call = met.event.extra["call"]
        given, norm = call.get("parameters"), call.get(str(call.row.extra.get("norm", "")))
        if norm is not None and not any(tag[:1] == (PART,) for tag in deep_tags((norm,)) if isinstance(tag, tuple)):
            continue  # a norm that was found some other way
        plain = given is not None and call.row.name.startswith("torch.nn.utils.")
        if plain and not lacks_its_own(met, call.row.last) and not has_another_way(run, met.event, call.row.last):
            wraps = (sharded[number] for number in sorted(objects_in(given) & sharded.keys()))
            wrap = next((one for one in wraps if not never_both(run, one, met)), None)
            if wrap is not None:
                yield met, wrap


def never_both(run: Any, wrap: Met, met: Met) -> bool:
    """Was one made where a question has one answer, and is the other done where it has another one? A strategy that
    shards and a strategy that does not have their own ways to clip."""
    if exclusive(wrap, met):
        return True
    where, here = (Use(NOTHING, one.event, tuple(node for node, _ in one.above)) for one in (wrap, met))
    answers = frozenset(pair for choice, side in guarding(here) for pair in told(choice.symbol, side))
    return contradicts(run, where, answers)


def lacks_its_own(met: Met, name: str) -> bool:
    """The `else` of `if hasattr(model, "clip_grad_norm_")`: what FSDP makes has it, and does not come here."""
    return any(
        not answer and isinstance(asked, Symbol) and asked.key[0] == "hasattr" and asked.key[-1] == name
        for node, side in met.above
        if isinstance(node, Choice)
        for asked, answer in told(node.symbol, side == 0)
    )


def has_another_way(run: Any, event: Event, name: str) -> bool:
    """Does the same function call a method of this name as well, `model.clip_grad_norm_(most)`? Whoever knows both ways
    has a setting that tells which one is right for the wrapper."""
    here = (one for one, _ in functions_of(run.project.tree(event.path)) if one.qualname == event.function)
    called = (one for function in here for one in every_node(function.body) if isinstance(one, ir.Call))
    others = (one.func for one in called if one.at != event.at)
    owners = (one.value for one in others if isinstance(one, ir.Attr) and one.name == name)
    return any(not isinstance(one, ir.Attr) or one.name != "utils" for one in owners)


def in_parts(run: Any) -> Iterator[tuple[int, Met]]:
    """The models, and their wrappers, of which each rank keeps parts of tensors, by number."""
    for met in events(run, "collective", "wrap", "fit"):
        call, model = met.event.extra.get("call"), met.event.subject
        if met.event.op == "fit":
            model = call.get("model") if call is not None else None
        receiver = getattr(call, "receiver", None)
        by_framework = isinstance(receiver, Object) and receiver.facts.get(KEEPS_PARTS)
        if by_framework or met.event.extra.get("wrap") == FSDP:
            yield from ((number, met) for number in {*objects_of(model), *wrappers(run, call)})


def objects_of(model: Value | None) -> tuple[int, ...]:
    return (model.number, wrapper_number(model)) if isinstance(model, Object) else ()


def wrappers(run: Any, call: Any) -> list[int]:
    """What this call has made and somebody has trained, whatever the model is that it was given."""
    return [number for number, model in run.facts.get("models", {}).items() if model.facts.get("call") is call]


def scaled_by_parts(run: Any) -> list[Met]:
    """Gradients that are scaled by a number which was computed from the parts that this rank holds."""
    return [met for met in events(run, "record", "grad-write") if met.event.api in SCALES and by_number_of_parts(met)]


def by_number_of_parts(met: Met) -> bool:
    """By one number, as a norm is; what is made part by part, such as a mask, fits to the part it is made of."""
    call = met.event.extra.get("call")
    values = call.values if call is not None and met.event.extra.get("by part") else ()
    told = (symbol for value in values if (symbol := symbol_of(value)) is not None)
    return any(gives_number(one) for symbol in told for one in symbols_in(symbol))


def gives_number(symbol: Symbol) -> bool:
    method = method_of(symbol)
    if method is not None:
        return method[1] == "item" or method[1] in ALONG
    owner, _, name = str(symbol.key[0]).rpartition(".")
    return owner in ("builtins", "math") or (owner.startswith("torch") and name in NORMS)


def parts_shown(run: Any) -> list[Met]:
    """Told by some ranks: what was computed from the parts of the gradients that they hold."""
    return events(run, "record", "part-shown")


def wrapper_number(inner: Object) -> int:
    outer = inner.facts.get("wrapper")
    return outer.number if isinstance(outer, Object) else inner.number
