"""A rank that failed skips collectives and goes on.

What it finds
-------------
An exception around a step or a collective is swallowed (`continue`, `pass`, logging, `contextlib.suppress`): the rank
that failed goes on without the calls the others are waiting in.

Why it is bad
-------------
One rank runs out of memory in the backward pass, frees its cache and takes the next batch; the others wait in the
gradient reduction for ever. From then on calls of different steps meet.

Instead
-------
    except torch.cuda.OutOfMemoryError:
        logger.error("out of memory with a batch of %d", len(batch))
        raise                                  # stop the job, or agree with all ranks before skipping

Limits
------
Silent where an exchange follows directly that tells all ranks about the failure.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, diverging, short, told

RULE = Rule(
    code="DT106",
    slug="swallowed-failure",
    family="DT1",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "lightning", "deepspeed", "transformers", "jax", "horovod", "torch_xla"),
    title="a rank that failed skips collectives and goes on",
)


def check(run: Run) -> Iterator[Finding]:
    for divergence, tier in diverging(run, "DT106"):
        message = f"a rank that fails in the body goes on without {short(divergence.event)}; the others wait there"
        if divergence.choice is not None and divergence.decision is not None:
            text = divergence.decision.text
            message = f"`{text}` depends on what a rank caught alone: it goes on without {short(divergence.event)}"
        remedy = (
            "re-raise, or agree with all ranks that the step is skipped: all_reduce a flag before the step's first "
            "collective"
        )
        yield told(RULE, run, divergence, tier, message, remedy)
