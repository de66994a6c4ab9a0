"""Slurm's nodes, tasks and devices are not what the launchers inside the job expect.

What it finds
-------------
`srun` that starts a launcher once for every device instead of once for every node; `--nnodes` or `--num_machines` that
is not the number of nodes `srun` starts; a launch over several nodes straight from the batch script, which runs on the
first node only; more processes than accelerators; `WORLD_SIZE` written down and not the number of tasks; an `srun`
larger than its job; a trainer of Lightning whose devices or nodes are not the tasks and nodes of the job, or that is
started without `srun` in a job of several tasks; and ranks started by `srun` without `--kill-on-bad-exit`.

Why it is bad
-------------
The launcher waits for nodes that never come, or several launchers of one node fight for a port. Without
`--kill-on-bad-exit` the job outlives its first dead rank: the others wait in a collective, and Slurm keeps all nodes
until the watchdog or the time limit ends it.

Instead
-------
    #SBATCH --nodes=4
    #SBATCH --ntasks-per-node=1
    #SBATCH --gpus-per-node=8
    srun --kill-on-bad-exit=1 torchrun --nnodes="$SLURM_NNODES" --nproc_per_node=8 ...

Limits
------
The site's `slurm.conf` may set `KillOnBadExit`; where a launcher stands between `srun` and the ranks, its absence is
reported with `--strict` only. Options given to `sbatch` on the command line are not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule

RULE = Rule(
    code="DT904",
    slug="slurm-mismatch",
    family="launch",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "accelerate", "deepspeed"),
    title="Slurm's nodes, tasks and devices are not what the launcher expects",
)


def check(run: Any) -> Iterator[Finding]:
    for conflict in run.tasks():
        yield run.finding(RULE, conflict)
