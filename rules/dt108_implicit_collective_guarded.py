"""A call that hides a collective is made by some ranks only.

What it finds
-------------
A framework call that talks to all ranks inside (sharded state dicts, checkpoints of DeepSpeed, FSDP, DCP, Accelerate,
Lightning or orbax, `gather`, the forward or backward of a wrapped model, a JAX program over the devices of all hosts)
is reached by some ranks only.

Why it is bad
-------------
It looks like a local call and hangs like a barrier.

Instead
-------
    state = get_model_state_dict(model, options=full)   # all ranks gather
    if rank == 0:
        torch.save(state, path)                          # one rank writes
    dist.barrier()

For evaluation on one rank call the inner module: `model.module(x)`.

Limits
------
Whether a call communicates may depend on the configuration; calls that do so only for sharded models are reported when
the program shows a sharded model.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, does, missing, short, told

RULE = Rule(
    code="DT108",
    slug="implicit-collective-guarded",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="a call that hides a collective is made by some ranks only",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT108"):
        decision = divergence.decision
        guard = f" because of `{decision.text}` in line {decision.at[0]}" if decision is not None else ""
        gone = does(missing(run, divergence), "never comes", "never come")
        message = f"{short(divergence.event)} talks to all ranks inside, but {gone}{guard}"
        remedy = f"call {short(divergence.event)} on every rank and guard only what one rank does with the result"
        if "save" in divergence.event.op:
            remedy = f"call {short(divergence.event)} on every rank: the framework decides itself who writes"
        yield told(RULE, run, divergence, tier, message, remedy)
