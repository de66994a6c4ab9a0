"""A checkpoint with the wrapper's keys, or with what belongs to one rank only, loaded by all.

What it finds
-------------
The state of the wrapped model is saved with its `module.` prefix, or one rank saves its own random state or options
with its rank inside, and the other ranks load them.

Why it is bad
-------------
The prefixed keys do not fit the plain model. With the random state of one rank all draw the same numbers after a
resume; with one rank's options every rank believes to be that one.

Instead
-------
    torch.save(model.module.state_dict(), "model.pt")
    torch.save(torch.get_rng_state(), f"rng_{rank}.pt")        # what is personal goes to a file of its own

Limits
------
Reported with `--strict` only: a program that loads into a wrapped model gets along with the prefix.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Span, Step, distributed, questionable_saves

RULE = Rule(
    code="DT706",
    slug="wrapped-state-dict",
    family="DT7",
    effect="wrong",
    tier="strict",
    since="0.1.0",
    frameworks=("torch",),
    title="a checkpoint holds the wrapper's keys or one rank's own state",
)


def check(run: Run) -> Iterator[Finding]:
    if not distributed(run):
        return
    for found in questionable_saves(run):
        event, write = found.event, found.write
        if found.kind == "prefixed":
            message = "the state of the wrapped model is saved: every key begins with `module.`"
            remedy = "save `model.module.state_dict()`"
            trail: tuple[Step, ...] = (Step.of(write, "the wrapper's state goes into the file"),)
        else:
            message = f"`{found.what}` in this file belongs to the rank that saved it, but other ranks load it"
            remedy = "keep what is personal in a file with the rank in its name, and leave it out of the shared one"
            trail = (
                Step.of(write, f"one rank saves its own `{found.what}`"),
                Step.of(event, "and the others load it as theirs"),
            )
        yield RULE.finding(Span(event.path, *event.at), message, remedy, scope=event.function, trail=trail)
