"""The nodes of a torchrun job do not meet, or meet under the wrong numbers.

What it finds
-------------
A launch over several nodes whose rendezvous cannot work: `--standalone`, `localhost` or no address at all, an address
that every node evaluates for itself or that falls back to `localhost`, a node rank that is missing, the same on all
nodes or evaluated once by the batch script, `--node_rank` where the rendezvous does not read it, and a `--nnodes` that
is not the number of nodes that a PyTorchJob, JobSet, TrainJob or SkyPilot task starts. Also two launches at the same
time on one machine and one port. Shell scripts, Slurm jobs and YAML are read; variables whose values are written down
are followed.

Why it is bad
-------------
Every node waits at an address of its own until the rendezvous times out, fifteen minutes later by default, with all
devices of the job held. With `--nnodes=1` on several nodes nothing waits: as many trainings run as there are nodes, on
the same data, and overwrite each other's checkpoints.

Instead
-------
Give all nodes one reachable address, evaluated once:

    head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    srun torchrun --nnodes="$SLURM_NNODES" --nproc_per_node=8 \\
        --rdzv_backend=c10d --rdzv_endpoint="$head:29500" train.py

Let the script fail when the address cannot be found, rather than fall back to `localhost`.

Limits
------
Values that only the running shell knows (`$1`, `$(...)`) are taken to be right. Several nodes played on one machine
for a test are recognised by their node ranks or by `&`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule

RULE = Rule(
    code="DT901",
    slug="torchrun-topology",
    family="launch",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch",),
    title="nodes of a launch do not meet at one place under numbers of their own",
)


def check(run: Any) -> Iterator[Finding]:
    for conflict in run.rendezvous():
        yield run.finding(RULE, conflict)
