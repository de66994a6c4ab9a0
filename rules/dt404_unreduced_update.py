"""Gradients or state that leave a mapped step without a reduction.

What it finds
-------------
Replicated parameters are updated inside `pmap`/`shard_map` with gradients of this device's part of the batch, without
`pmean`; running statistics go out as each device has them; gradients of mean losses are summed and never divided;
the losses of single examples are summed over the devices, and their mean is taken afterwards;
`pmean` after differentiation inside `shard_map(check_vma=True)`, where JAX has already summed.

Why it is bad
-------------
The replicas drift apart and evaluation takes the first one; or the step is as many times too large as there are
devices.

Instead
-------
    grads = jax.lax.pmean(grads, axis_name="batch")
    batch_stats = jax.lax.pmean(batch_stats, axis_name="batch")

Limits
------
One model per device on purpose (populations, ensembles) is not reported: its parameters are not replicated. Reductions
inside the optimizer are followed into functions of the project; something unknown is assumed to reduce.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, drifting, jax_notes, jax_place

RULE = Rule(
    code="DT404",
    slug="unreduced-update",
    family="DT4",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "flax"),
    title="parameters leave a mapped step without a reduction",
)


def check(run: Run) -> Iterator[Finding]:
    remedy = "reduce before the update: `grads = jax.lax.pmean(grads, axis_name)`"
    for event, trail in jax_notes(run, "unreduced update"):
        message = "the parameters of each device are updated with its own gradients: the replicas drift apart"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "unreduced state"):
        name = event.extra["name"]
        if name in run.facts.get("jax synced", ()):
            continue
        message = f"`{name}` is stored as each device has it, next to parameters that are equal on all devices"
        yield RULE.finding(
            *jax_place(run, event), message, f"reduce it first: `jax.lax.pmean({name}, axis_name)`", trail=trail
        )
    for event, trail in drifting(run):
        message = "state that starts equal on all devices comes out as each device has it, and goes into the next step"
        yield RULE.finding(
            *jax_place(run, event), message, "reduce it with `jax.lax.pmean` before it is returned", trail=trail
        )
    for event, trail in jax_notes(run, "summed"):
        message = "gradients of mean losses are summed over the devices and never divided by their number"
        yield RULE.finding(
            *jax_place(run, event), message, "use `jax.lax.pmean`, or divide by the axis size", trail=trail
        )
    for event, trail in jax_notes(run, "sum meaned"):
        message = (
            "the values of each example are added up over the devices one by one, and the mean is taken over this "
            "device's examples: as many times too large as there are devices"
        )
        yield RULE.finding(
            *jax_place(run, event), message, "take the mean first, and reduce it with `jax.lax.pmean`", trail=trail
        )
    for event, trail in jax_notes(run, "summed twice"):
        message = (
            "inside shard_map, differentiating by replicated parameters has already summed the gradients over "
            "the devices; "
            "this reduction leaves the sum of means, as many times too large as there are devices"
        )
        remedy = "reduce the loss instead (`pmean` inside the loss function), or divide by the axis size"
        yield RULE.finding(*jax_place(run, event), message, remedy, trail=trail)
    for event, trail in jax_notes(run, "varying output"):
        message = "an output that differs between the devices is declared as replicated, and check_vma is off"
        yield RULE.finding(*jax_place(run, event), message, "reduce it, or give its axis in `out_specs`", trail=trail)
