"""Models and how they are wrapped: whose forward and backward communicate?"""

from __future__ import annotations

from typing import Any

from dtlint.machine import attributes
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.groups import group_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import NONE, ClassRef, Const, FunctionRef, Object, Tuple, Unknown, Value

DDP = "torch.nn.parallel.DistributedDataParallel"
FSDP = "torch.distributed.fsdp.FullyShardedDataParallel"


def wrap(machine: Machine, call: Invocation, kind: str, sharded: bool) -> Value:
    inner = call.get("module") or (call.arguments[0] if call.arguments else NONE)
    group = group_in(machine, call.get("process_group"))
    machine.emit_event(
        "collective", "wrap", call.name, call.mask, group=group, implicit=True, subject=inner, extra={"wrap": kind}
    )
    made = machine.new(kind, call.mask)
    made.attributes["module"] = inner
    made.facts.update(wrapped=True, sharded=sharded, group=group, call=call.keywords)
    if sharded:
        machine.facts["sharded"] = True
    return made


def wrap_ddp(machine: Machine, call: Invocation) -> Value:
    return wrap(machine, call, DDP, False)


def wrap_fsdp(machine: Machine, call: Invocation) -> Value:
    return wrap(machine, call, FSDP, True)


def wrap_dp(machine: Machine, call: Invocation) -> Value:
    return call.arguments[0] if call.arguments else NONE


def unwrap(machine: Machine, call: Invocation) -> Value:
    if isinstance(call.receiver, Object):
        return call.receiver.attributes.get("module", call.receiver)
    return call.receiver or NONE


def forward(machine: Machine, model: Object, call: Invocation) -> Value:
    """The wrapped model is called: every rank of its group takes part, and the loss remembers whom it came from."""
    group = model.facts.get("group") or machine.world_group
    if not machine.facts.get("join"):
        machine.emit_event(
            "collective",
            "forward",
            call.name,
            call.mask,
            group=group,
            implicit=True,
            subject=model,
            extra={"model": model},
        )
    inner = model.attributes.get("module")
    result: Value | None = None
    if isinstance(inner, Object) and isinstance(inner.kind, ClassRef):
        result = call_module(machine, inner, call.arguments, call.keywords, call.mask, call.node)
    cause = next((value.cause for value in call.values if value.cause is not None), None)
    tags = frozenset({("wrapped", model.number)}) | frozenset(tag for value in call.values for tag in value.tags)
    machine.facts.setdefault("models", {})[model.number] = model
    if isinstance(result, Tuple | Object) and not (isinstance(result, Object) and result.kind == "torch.Tensor"):
        return with_tags(machine, result, tags)
    cause = cause or (result.cause if result is not None else None)
    return machine.unknown("output", model.number, machine.symbols.fresh("time"), cause=cause, tags=tags)


def with_tags(machine: Machine, value: Value, tags: frozenset[Any]) -> Value:
    if isinstance(value, Tuple):
        return Tuple(tuple(with_tags(machine, item, tags) for item in value.items))
    if isinstance(value, Unknown):
        return Unknown(value.symbol, value.cause, value.tags | tags, value.like)
    return machine.unknown("output", token(value), cause=value.cause, tags=tags)


def call_module(
    machine: Machine, model: Object, arguments: tuple[Value, ...], keywords: Any, mask: int, node: Any
) -> Value:
    """A project's nn.Module is called: its forward runs."""
    from dtlint.machine import calls
    from dtlint.machine.expressions import opaque

    assert isinstance(model.kind, ClassRef)
    method = attributes.in_class(machine, model.kind, "forward")
    if isinstance(method, FunctionRef):
        return calls.follow(machine, method, model, arguments, keywords, mask)
    return opaque(machine, "call", model, *arguments)


def wrapped_models(machine: Machine, value: Value | None) -> list[Object]:
    """The wrapped models a loss was computed with."""
    if value is None:
        return []
    known = machine.facts.get("models", {})
    return [known[tag[1]] for tag in sorted(value.tags, key=repr) if isinstance(tag, tuple) and tag[1] in known]


def backward(machine: Machine, call: Invocation) -> Value:
    """`loss.backward()` through a wrapped model reduces gradients over its group."""
    loss = call.receiver
    held = loss.attributes.get("content") if isinstance(loss, Object) else loss
    models = wrapped_models(machine, held)
    if models and not machine.facts.get("no_sync") and not machine.facts.get("join"):
        group = models[0].facts.get("group") or machine.world_group
        machine.emit_event(
            "collective",
            "backward",
            "Tensor.backward",
            call.mask,
            group=group,
            implicit=True,
            subject=models[0],
            extra={"model": models[0]},
        )
    machine.emit_event("step", "backward", "Tensor.backward", call.mask, subject=held)
    return NONE


def no_sync(machine: Machine, call: Invocation) -> Value:
    made = machine.new("<no_sync>", call.mask)
    made.facts["context"] = "no_sync"
    return made


def join_context(machine: Machine, call: Invocation) -> Value:
    made = machine.new("<join>", call.mask)
    made.facts["context"] = "join"
    return made


MODELS = {
    "wrap_ddp": wrap_ddp,
    "wrap_fsdp": wrap_fsdp,
    "wrap_dp": wrap_dp,
    "unwrap": unwrap,
    "backward": backward,
    "join": join_context,
}
__all__ = ["MODELS", "Const", "call_module", "forward", "wrapped_models"]
