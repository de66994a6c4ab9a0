"""What do the configurations of `accelerate launch` say of the programs it starts?"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection

from dtlint.project.started import same

KIND = re.compile(r"^distributed_type:\s*[\"']?(\w+)", re.M | re.I)
WINDOW = re.compile(r"^\s+(?:gradient_accumulation_steps:(?!\s*[\"']?1\b)|deepspeed_config_file:)", re.M)
ZERO_3 = re.compile(r"^\s+zero_stage:\s*3\b", re.M)


def told_by(
    answers: dict[str, bool | None],
    configured: dict[str, set[str]],
    programs: Collection[str],
    launched: Collection[str],
) -> frozenset[str]:
    """The programs that a launcher starts with a configuration of which this is so."""
    such = [path for path, answer in answers.items() if answer]
    if not configured:
        others = [path for path, answer in answers.items() if answer is False]
        return frozenset(beside(such, others, programs) - set(launched))
    told = [named for configuration, named in configured.items() if any(same(path, configuration) for path in such)]
    return frozenset().union(*told)


def accumulates(text: str) -> bool | None:
    """Does it say how many batches make a step, or leave that to a file of DeepSpeed's, if this is a configuration of
    Accelerate?"""
    return None if KIND.search(text) is None else WINDOW.search(text) is not None


def divides(text: str) -> bool | None:
    """Does each rank keep a part of the parameters (FSDP, ZeRO-3), if this is a configuration of Accelerate?"""
    kind = KIND.search(text)
    if kind is None:
        return None
    word = kind.group(1).upper()
    return word == "FSDP" or (word == "DEEPSPEED" and ZERO_3.search(text) is not None)


def beside(dividing: Collection[str], others: Collection[str], programs: Collection[str]) -> set[str]:
    """The programs in a folder with one such configuration, which no document names, and none of another kind."""
    told = {posixpath.dirname(path) for path in others}
    folders_of = {posixpath.dirname(path) for path in dividing} - told
    return {path for path in programs if posixpath.dirname(path) in folders_of}
