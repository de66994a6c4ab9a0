"""A loss of gathered tensors that carry no gradient.

What it finds
-------------
`all_gather` collects features of the model, and a loss is computed from what came back.

Why it is bad
-------------
The gathered tensors are constants for autograd, the own part included: gradients of the other ranks' terms are
missing, and a contrastive loss trains only half of what it seems to.

Instead
-------
    gathered = [torch.empty_like(features) for _ in range(world)]
    dist.all_gather(gathered, features.detach())
    gathered[rank] = features                                  # put the own part back
    # or, with gradients of all parts:
    everything = torch.cat(torch.distributed.nn.functional.all_gather(features))

Limits
------
Silent under `torch.no_grad()`, for detached features, and where the own part is put back.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, stepping

RULE = Rule(
    code="DT513",
    slug="non-differentiable-gather",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="a loss of gathered tensors that carry no gradient",
)


def check(run: Run) -> Iterator[Finding]:
    for event, backward in stepping.gathers_in_losses(run):
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{event.op}` cuts the gradient, and the loss (line {backward.event.at[0]}) is made of what it gathered",
            "put this rank's features back into the gathered list, or use torch.distributed.nn.functional.all_gather",
            scope=event.function,
            trail=(
                Step.of(event, "what comes back are constants for autograd"),
                Step.of(backward.event, "the loss is made of it"),
            ),
        )
