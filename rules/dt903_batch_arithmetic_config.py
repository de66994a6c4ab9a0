"""Batch sizes or parallel degrees do not multiply out to the number of processes.

What it finds
-------------
A DeepSpeed configuration whose `train_batch_size` is not `train_micro_batch_size_per_gpu` x
`gradient_accumulation_steps` x processes, as far as the file, or the file and the launch that uses it, fix the
numbers; the same three in a dictionary that a program gives its engine; values that differ from what the Hugging Face
Trainer is given on the command line or by the program; tensor, pipeline, context and data parallel degrees whose
product is not the number of processes; a global batch that is not a multiple of micro batch x replicas.

Why it is bad
-------------
The job waits in the queue, starts, loads the model and is refused by an assertion; after a change of the number of
nodes more often than not.

Instead
-------
Write down two of the three batch numbers and let the library compute the third, or `"auto"` with the Trainer:

    {"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8}

Limits
------
The number of processes is known only where the launch says it; `deepspeed train.py` on all devices of a machine says
nothing. With model parallelism DeepSpeed's numbers count groups, and the rule is silent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule

RULE = Rule(
    code="DT903",
    slug="batch-arithmetic-config",
    family="launch",
    effect="crash",
    tier="default",
    since="0.1.0",
    frameworks=("deepspeed", "transformers", "megatron"),
    title="batch sizes or parallel degrees do not multiply out",
)


def check(run: Any) -> Iterator[Finding]:
    for conflict in run.batch():
        yield run.finding(RULE, conflict)
