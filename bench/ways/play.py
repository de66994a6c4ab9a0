"""Do the ranks part? Four of them run the program, one after the other, for both things that all may be told."""

from __future__ import annotations

import sys
from itertools import product
from types import CodeType, ModuleType, SimpleNamespace
from unittest.mock import patch

from bench.drawn.play import RANKS, Call, Rank, all_come


def parted(source: str) -> bool:
    """What is drawn is another number on each rank, or the same."""
    code = compile(source, "way", "exec")
    situations = product((False, True), ((0.1, 0.9, 0.1, 0.9), (0.1,) * RANKS, (0.9,) * RANKS))
    return not all(
        all_come(calls_of(code, Rank(number, []), told, drawn[number]) for number in range(RANKS))
        for told, drawn in situations
    )


def calls_of(code: CodeType, rank: Rank, told: bool, drawn: float) -> tuple[Call, ...]:
    package, library, way = ModuleType("torch"), ModuleType("torch.distributed"), ModuleType("way")
    vars(library).update(get_rank=rank.get_rank, barrier=rank.barrier)
    vars(package).update(distributed=library)
    vars(way).update(print=lambda *words: None)
    modules = {"torch": package, "torch.distributed": library, "way": way}
    with patch.dict(sys.modules, modules), patch("random.random", lambda: drawn):
        exec(code, vars(way))
        vars(way)["run"](SimpleNamespace(a=told))
    return tuple(rank.calls)
