"""A function that is not called, or a rank that is taken for an answer.

What it finds
-------------
`jax.process_index == 0`, `if dist.is_initialized:` or `f"part_{jax.process_index}"` without the call; `if rank:` (or a
name that says main, set to the truth of a rank) around what the main rank should write; `is_main_process == 0`;
`index or process_index()`, or `f"cuda:{local_rank}" if local_rank else "cpu"`, where 0 counts as missing.

Why it is bad
-------------
A function is never equal to a number and always true: nobody writes the checkpoint, or everybody does. Rank 0 is false:
the work is done by every rank but the main one.

Instead
-------
    if jax.process_index() == 0: …
    index = jax.process_index() if index is None else index

Limits
------
Only functions that are known to answer such a question. `if rank: return` and `if not rank:` are fine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dtlint.api import Finding, Rule, Run, Span, Step, inverted, recorded, without_gpu

RULE = Rule(
    code="DT412",
    slug="uncalled-function",
    family="DT4",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "torch", "accelerate", "lightning", "transformers", "horovod"),
    title="a function that is not called, or a rank taken for an answer",
)


def check(run: Run) -> Iterator[Finding]:
    if run.facts.get("uncalled"):
        for event, _path in recorded(run, "<uncalled>"):
            span = Span(event.path, *event.at)
            found = uncalled(event.op, event.extra["name"], span, event.function)
            if event.extra["asked"] is not None:
                path, line = event.extra["asked"]
                found = replace(found, trail=(*found.trail, Step(path, line, "it is asked here")))
            yield found
    for span, name, _api, trail in inverted(run):
        message = f"`{name}` is true on every rank but 0, which leaves the work of the main rank to all the others"
        yield RULE.finding(span, message, "compare: `rank == 0`", trail=trail)

    for span, name, trail in without_gpu(run):
        yield placed(span, name, trail)


def placed(span: Span, name: str, trail: tuple[Step, ...]) -> Finding:
    message = f"`{name}` is 0 on the first process of each node, which is taken for no GPU: that one works on the CPU"
    return RULE.finding(span, message, f"ask for None: `if {name} is not None`", trail=trail)


def uncalled(op: str, name: str, span: Span, scope: str) -> Finding:
    said = {
        "chosen": "is 0 on the first process",
        "boolean": "is a number, not an answer",
        "answered": "is an answer, true on the main rank",
        "placed": "is a number, and 0 is false",
    }
    trail = (Step(span.path, span.line, f"`{name}` {said.get(op, 'is the function itself here, not its result')}"),)
    if op == "chosen":
        message = f"`{name}` may be 0, which `or` takes for missing: the first process gets its index from elsewhere"
        return RULE.finding(span, message, f"ask for None: `… if {name} is None else {name}`", scope=scope, trail=trail)
    if op == "placed":
        return placed(span, name, trail)
    if op == "boolean":
        message = f"`{name}` is true on every rank but 0"
        return RULE.finding(span, message, "compare: `rank == 0`", scope=scope, trail=trail)
    if op == "answered":
        message = f"`{name} == 0` is true on every rank but the main one"
        return RULE.finding(span, message, f"ask `{name}` itself", scope=scope, trail=trail)
    spoken = {"compared": "is compared with a number, which is never equal", "formatted": "is written out itself"}
    what = spoken.get(op, "is always true")
    message = f"`{name}` is a function that is not called; it {what}"
    return RULE.finding(span, message, f"call it: `{name}()`", scope=scope, trail=trail)
