"""A program for a whole TPU pod is started on one of its workers.

What it finds
-------------
`gcloud ... tpu-vm ssh NAME --command=...` that starts a training program without `--worker=all`, or with one number,
where the pod has several hosts: the accelerator type in the script says so (`v4-32`), other commands of the script go
to all workers, or the program itself is made for several hosts (`jax.distributed.initialize`, `jax.process_index`).

Why it is bad
-------------
Without `--worker` the command goes to worker 0. The first thing a program on a pod does is to wait for all hosts, so
it hangs at start, with the whole slice held.

Instead
-------
    gcloud compute tpus tpu-vm ssh "$NAME" --zone="$ZONE" --worker=all --command="cd app && python train.py"

Limits
------
Without a sign of several hosts the finding is of the strict tier: a `v3-8` has one host. Programs whose names speak of
setting up, downloading or watching are left alone, and so is a worker number that a loop provides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule

RULE = Rule(
    code="DT902",
    slug="tpu-single-worker",
    family="launch",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("jax", "torch_xla"),
    title="a program for all workers of a TPU pod starts on one",
)


def check(run: Any) -> Iterator[Finding]:
    for conflict in run.workers():
        yield run.finding(RULE, conflict)
