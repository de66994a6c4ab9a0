"""A process forked after the runtime has started its threads.

What it finds
-------------
A forking loader, pool or process is started after JAX has made its backend, or (with an explicit `fork`, or where its
workers put samples onto a GPU) after CUDA was used.

Why it is bad
-------------
The child inherits locks that threads of the runtime held at that moment, but not the threads. It waits for ever, and
its rank with it; CUDA refuses to work in a forked child.

Instead
-------
    loader = DataLoader(dataset, num_workers=4, multiprocessing_context="spawn")
    process = multiprocessing.get_context("spawn").Process(target=watch)

Limits
------
Loaders that fork after CUDA was used are common and work as long as the workers stay on the CPU; they are not
reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.api import Finding, Rule, Run, Step, late_forks

RULE = Rule(
    code="DT601",
    slug="fork-after-runtime",
    family="DT6",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=(
        "torch",
        "jax",
    ),
    title="a process forked after the runtime has started its threads",
)


def check(run: Run) -> Iterator[Finding]:
    for met, started, reader in late_forks(run):
        event = met.event
        what = "its workers are" if event.op == "loader" else "it is"
        yield RULE.finding(
            run.span(event.path, event.at),
            f"{what} forked after {reader} was started in line {started.at[0]}",
            'start processes with "spawn" or "forkserver", or before the runtime is used',
            scope=event.function,
            trail=(
                Step.of(started, f"{reader} starts its threads here"),
                Step.of(event, "and is forked with them"),
            ),
        )
