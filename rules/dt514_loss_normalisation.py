"""A loss that is normalised by the wrong number.

What it finds
-------------
The loss is divided by the number of ranks, although DDP or FSDP averages the gradients over the ranks already; or a sum
over the tokens or valid samples of a rank is divided by their number on this rank only.

Why it is bad
-------------
Divided by the ranks twice, the gradient is smaller by their number: with 64 ranks the learning rate is in effect a
64th of what was chosen, and it changes with the size of the job. Divided by counts of their own, a token weighs more
on a rank that has few of them: the mean of means is not the mean, and it changes with how the data are dealt out.

Instead
-------
    loss.backward()                     # DDP averages over the ranks

    dist.all_reduce(tokens)             # all tokens of the step
    loss = total * dist.get_world_size() / tokens

Limits
------
Counts are recognised as sums over something in the batch; a mean that the loss function takes by itself over the
targets it does not ignore is not told, as hardly anybody avoids it.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, loss_scale

RULE = Rule(
    code="DT514",
    slug="loss-normalisation",
    family="DT5",
    effect="wrong",
    tier="strict",
    since="0.1.0",
    frameworks=("torch",),
    title="a loss divided by the number of ranks twice, or by what this rank counts",
)


def check(run: Run) -> Iterator[Finding]:
    for quotient in loss_scale.scaled_twice(run):
        yield finding(
            run,
            quotient,
            "the loss is divided by the number of ranks, and the wrapper averages the gradients once more",
            "leave the division out: the gradients are averaged over the ranks already",
        )
    for quotient in loss_scale.by_own_count(run):
        yield finding(
            run,
            quotient,
            "a sum over this rank's samples is divided by their number on this rank, and the wrapper averages over"
            " ranks that count differently",
            "add the number up over the ranks (`dist.all_reduce(count)`) and multiply the sum by the number of ranks",
        )


def finding(run: Run, quotient: loss_scale.Quotient, message: str, remedy: str) -> Finding:
    event = quotient.backward.event
    trail = (Step.of(event, "backward averages over the ranks"),)
    return RULE.finding(run.span(quotient.path, quotient.at), message, remedy, scope=quotient.scope, trail=trail)
