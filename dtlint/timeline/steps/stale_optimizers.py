"""Which optimizers hold parameters that a wrap has replaced since?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.library.computing.provenance import parts
from dtlint.machine.library.training.parameters import owners_of
from dtlint.machine.values import TRUE, Object, Unknown, Value
from dtlint.timeline.order import Met, exclusive
from dtlint.timeline.steps.stepping import FSDP, events
from dtlint.timeline.symbols import parameters_of

DEEP = 6  # groups are dictionaries in a list, and hold lists


def stale(run: Any) -> Iterator[tuple[Met, Met, Met]]:
    """Optimizers that hold parameters which a wrap has replaced since: the optimizer, the wrap, and where the
    parameters were asked for, if that is not where the optimizer is made."""
    made = events(run, "record", "optimizer")
    for wrap in (*events(run, "collective", "wrap"), *copies(run)):
        model = wrap.event.subject
        if wrap.event.op == "wrap" and not replaces(wrap):
            continue
        for met in made:
            call = met.event.extra["call"]
            if not optimises(call, model) or exclusive(met, wrap):
                continue
            if met.number > wrap.number:
                taken = taken_before(run, met, wrap)
                if taken is not None:
                    yield met, wrap, taken
                continue
            outer = model.facts.get("wrapper") if isinstance(model, Object) else None
            later = [other.event.extra["call"] for other in made if other.number > wrap.number]
            again = any(optimises(other, one) for other in later for one in (model, outer))  # steps in its place
            if again or handed_over(wrap, call) or (is_engines(wrap) and not steps_itself(run, call)):
                continue
            yield met, wrap, met


def is_engines(wrap: Met) -> bool:
    return bool(wrap.event.extra.get("wrap") == "deepspeed")


def steps_itself(run: Any, optimizer: Any) -> bool:
    """`optimizer.step()` in the program; the engine has one of its own to step."""
    subjects = (met.event.subject for met in events(run, "record", "optimizer-step"))
    return any(
        getattr(one.facts.get("call"), "node", None) is optimizer.node for one in subjects if isinstance(one, Object)
    )


def taken_before(run: Any, made: Met, wrap: Met) -> Met | None:
    """`params = [p for p in net.parameters() if p.requires_grad]`, then the wrap, then an optimizer of `params`: the
    list was made of the old ones, and nobody has asked any model for its parameters since."""
    model, given = wrap.event.subject, made.event.extra["call"].get("params")
    if not isinstance(model, Object) or ("object", model.number) not in owners_in(given):
        return None
    asked = [met for met in events(run, "record", "parameters") if met.number < made.number]
    first = [met for met in asked if met.number < wrap.number and met.event.subject is model]
    return first[-1] if first and asked[-1].number < wrap.number else None


def owners_in(given: Value) -> set[Any]:
    """The models that have given these parameters, also in groups and lists."""
    return {owner for part in parts(given, DEEP) for owner in owners_of(part)}


def optimises(optimizer: Any, model: Value | None) -> bool:
    given = optimizer.get("params")
    return given is not None and model is not None and parameters_of(given, model)


def copies(run: Any) -> Iterator[Met]:
    """Models that go to a device whose memory is its own, for the first time: their parameters are other ones then."""
    gone: set[int] = set()
    for met in events(run, "record", "move"):
        call = met.event.extra["call"]
        where = call.arguments[0] if call.arguments else call.get("device")
        row = run.knowledge.apis.get(where.symbol.key[0]) if isinstance(where, Unknown) else None
        subject = met.event.subject
        if row is not None and row.extra.get("copies") and isinstance(subject, Object) and subject.number not in gone:
            gone.add(subject.number)
            yield met


def replaces(wrap: Met) -> bool:
    call, kind = wrap.event.extra.get("call"), wrap.event.extra.get("wrap")
    if call is not None and call.row.extra.get("replaces"):
        return True
    if kind == FSDP:
        return call is None or call.get("use_orig_params") != TRUE
    if kind == "prepare":
        owner = call.receiver if call is not None else None
        return isinstance(owner, Object) and bool(owner.facts.get("sharded"))
    if is_engines(wrap):
        return call is not None and flattens(call.get("config") or call.get("config_params"))
    return kind == "fully_shard" and wrap.event.api.endswith("fully_shard")


FLATTENING = ("zero_optimization", "fp16", "bf16")  # sections of a configuration of DeepSpeed's


def flattens(config: Value | None) -> bool:
    """Does the engine keep the parameters in a form of its own, unless its configuration is seen to ask for nothing?"""
    if not isinstance(config, Object) or config.kind != "dict":
        return True
    return any(("key", name) in config.attributes for name in FLATTENING)


def handed_over(wrap: Met, optimizer: Any) -> bool:
    """The wrapper gets the optimizer as well, or whichever of several was made, and exchanges its parameters."""
    call = wrap.event.extra.get("call")
    given = call.values if call is not None else ()
    held = [value.like if isinstance(value, Unknown) else value for value in given]
    several = [one for value in held if isinstance(value, Object) for one in (value, *value.instead)]
    return any(getattr(one.facts.get("call"), "node", None) is optimizer.node for one in several)
