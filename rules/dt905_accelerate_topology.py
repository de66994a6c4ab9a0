"""The machines, processes and addresses given to `accelerate launch` contradict each other.

What it finds
-------------
Several machines with no `main_process_ip`, or with `localhost`; `num_processes` that the machines cannot share
equally, or that counts one machine's devices where the total is meant; a `machine_rank` outside the machines, or the
same on all of them, also in a file for each; `distributed_type: NO` with several processes. Command line and
configuration file are read together.

Why it is bad
-------------
Machine 0 waits for machines that wait elsewhere. `num_processes` is the total: accelerate divides it by the machines
and drops the rest without a word, so devices stay idle.

Instead
-------
    accelerate launch --num_machines "$SLURM_NNODES" --num_processes $((SLURM_NNODES * 8)) \\
        --main_process_ip "$head" --main_process_port 29500 --rdzv_backend c10d train.py

Limits
------
A configuration file that no launch of the project names may get its address on the command line; for those a missing
`main_process_ip` is reported with `--strict` only. DeepSpeed's own multi-node launchers find their address themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule

RULE = Rule(
    code="DT905",
    slug="accelerate-topology",
    family="launch",
    effect="hang",
    tier="default",
    since="0.1.0",
    frameworks=("accelerate",),
    title="machines, processes and addresses of accelerate contradict each other",
)


def check(run: Any) -> Iterator[Finding]:
    for conflict in run.machines():
        yield run.finding(RULE, conflict)
