"""Parts of a DDP model that some forward pass leaves out.

What it finds
-------------
A submodule with parameters is never used by `forward`, or only on a path that is taken in some steps, and DDP was not
told to look for unused parameters.

Why it is bad
-------------
DDP waits for the gradient of every parameter. The next forward pass fails with `Expected to have finished reduction
in the prior iteration`; where only some ranks leave the part out, the others wait for ever.

Instead
-------
    model = DDP(network, find_unused_parameters=True)   # or remove the part that is not used

Limits
------
Only parts of project classes, and only decisions that may change from step to step; a part that a configuration
switches off for good is not reported when its attribute is not made. A decision is told by default where it is drawn
in each step, counted by the training, or read from the numbers of a batch; what may change for all that is known, and
a part that is made under an option only and never used, is told with `--strict`.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, models_used

RULE = Rule(
    code="DT504",
    slug="unused-parameters",
    family="DT5",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="parts of a DDP model that some forward pass leaves out",
)


def check(run: Run) -> Iterator[Finding]:
    for (path, at, scope), part in models_used.unused_parts(run):
        if part.without is not None:
            what = f"`forward` uses `{part.name}` in some steps only"
            steps = (Step.of(part.without, "this pass leaves it out"),)
        elif part.use is not None and part.choice is None:
            what = f"`forward` uses not all of `{part.name}` in each step"
            picked = part.use.event
            steps = (Step.of(picked, "which of them is used changes from step to step"),)
        elif part.choice is None:
            what = f"`forward` never uses `{part.name}`"
            steps = (Step(part.module.path, (part.module.at or at)[0], f"`{part.name}` has parameters"),)
        else:
            decision = part.choice.decision
            what = f"`forward` leaves out `{part.name}` in some steps (`{decision.text}`)"
            steps = (Step.of(decision, f"decides whether `{part.name}` is used"),)
        yield RULE.finding(
            run.span(path, at),
            f"{what}: DDP waits for its gradient",
            'pass `find_unused_parameters=True` (Lightning: `strategy="ddp_find_unused_parameters_true"`), '
            "or let every forward pass use all parameters",
            scope=scope,
            tier=RULE.tier if part.sure else "strict",
            trail=(*steps, Step(path, at[0], "wrapped without find_unused_parameters")),
        )
