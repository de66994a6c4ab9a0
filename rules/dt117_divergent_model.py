"""The model is not the same on the ranks that train it together.

What it finds
-------------
Layers are built, replaced or frozen under a rank guard, made with sizes that depend on the rank, or run by some ranks
only, in a model whose gradients are shared by data parallelism. An optimizer or a learning rate schedule of such a
model steps on some ranks only.

Why it is bad
-------------
The wrapper compares or reduces parameter lists that do not match: it fails, hangs in the first backward pass, or adds
gradients of different layers. What an optimizer makes of the gradients is sent to nobody: the copies of the model drift
apart, and nothing fails.

Instead
-------
    network = Network(with_probe=True)       # the same on every rank
    model = DDP(network)
    if rank == 0:
        log(network.probe.weight.norm())     # what differs is what is done with it

Limits
------
Pipeline stages and tensor-parallel slices differ by design: only ranks of one data-parallel group are compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Apart, Finding, Rule, Run, Span, Step, differing_models, stepped_apart, who

RULE = Rule(
    code="DT117",
    slug="divergent-model",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning"),
    title="the model differs between ranks that share its gradients",
)
SPOKEN = {
    "built": "a part of the model is built or replaced on some ranks only",
    "frozen": "parameters are frozen on some ranks only",
    "run": "a layer of the wrapped model is run by some ranks only",
    "made": "the model is made differently from rank to rank",
}
REMEDY = (
    "build, freeze and run the same model on every rank of the group; let only what is done with it depend on the rank"
)


def check(run: Run) -> Iterator[Finding]:
    for found in differing_models(run):
        one, wrap = found.difference, found.wrap
        decision = one.decision
        path, at = (one.path, one.at) if decision is None else (decision.path, decision.at)
        if one.made_at is not None:
            path, at = one.made_at
        trail = [*(one.cause.steps() if one.cause is not None else ())]
        if decision is not None:
            trail.append(Step.of(decision, f"decides on `{decision.text}`"))
        trail.append(Step.of(one, SPOKEN[one.kind]))
        trail.append(Step.of(wrap, "the ranks share the gradients of this model"))
        message = f"{SPOKEN[one.kind]}, but its gradients are shared by all ranks of the group"
        scope = decision.function if decision is not None else one.scope
        guard = decision.text if decision is not None else ""
        yield RULE.finding(Span(path, *at), message, REMEDY, scope=scope, guard_text=guard, trail=tuple(trail))
    for apart in stepped_apart(run):
        yield told_apart(run, apart)


def told_apart(run: Run, apart: Apart) -> Finding:
    event, decision, wrap = apart.event, apart.decision, apart.wrap
    ranks = who(run, apart.lanes)
    what = "the optimizer" if event.op == "optimizer-step" else "the learning rate schedule"
    trail = (
        *(decision.cause.steps() if decision.cause is not None else ()),
        Step.of(decision, f"decides on `{decision.text}`"),
        Step.of(event, f"{what} steps on {ranks}"),
        Step.of(wrap, "the ranks share the gradients of this model"),
    )
    message = f"{what} steps on {ranks} only, and the copies of the model drift apart"
    remedy = "step on every rank, and leave what is shown or saved below the question for the rank"
    return RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
