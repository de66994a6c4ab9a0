"""A launch command ends before its options do.

What it finds
-------------
A command that starts a program and is meant to go on in the next line, where the backslash is followed by a blank, or
by a comment.

Why it is bad
-------------
A backslash continues a line only as its last character; before a blank it makes an argument of the blank. The program
starts without the options of the following lines, trains with its defaults, and what follows fails afterwards as a
command of its own, when nobody looks any more.

Instead
-------
    # 64 samples in all, sharded parameters
    python train.py \\
        --batch-size 64 \\
        --fsdp

Limits
------
Only where the next line begins with an option.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.api import Finding, Rule

RULE = Rule(
    code="DT906",
    slug="cut-command",
    family="launch",
    effect="wrong",
    tier="default",
    since="0.1.0",
    frameworks=("torch", "jax", "accelerate", "deepspeed", "torch_xla"),
    title="a launch command ends before its options do",
)


def check(run: Any) -> Iterator[Finding]:
    for conflict in run.cut():
        yield run.finding(RULE, conflict)
