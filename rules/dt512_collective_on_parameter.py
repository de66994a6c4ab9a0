"""An in-place collective on a parameter that requires grad.

What it finds
-------------
`all_reduce`, `broadcast` or another collective writes into a live parameter, outside `torch.no_grad()` and without
`.data`.

Why it is bad
-------------
The write changes a leaf behind the back of autograd: a graph that is still needed computes wrong gradients, or
backward fails with a version error; some backends refuse the tensor.

Instead
-------
    with torch.no_grad():
        dist.all_reduce(parameter)
    dist.broadcast(parameter.data, src=0)

Limits
------
Only parameters that are visible as such: an item of `model.parameters()` or an `nn.Parameter`.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, stepping

RULE = Rule(
    code="DT512",
    slug="collective-on-parameter",
    family="DT5",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="an in-place collective on a parameter that requires grad",
)


def check(run: Run) -> Iterator[Finding]:
    for met in stepping.live_parameters(run):
        event = met.event
        yield RULE.finding(
            run.span(event.path, event.at),
            f"`{event.op}` writes into a parameter that requires grad, outside of `torch.no_grad()`",
            "pass `parameter.data`, or do it under `torch.no_grad()`",
            scope=event.function,
            trail=(Step.of(event, "the tensor is a live parameter"),),
        )
