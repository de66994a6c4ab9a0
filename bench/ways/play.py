"""Do the ranks part? Four of them run the program, one after the other, for both things that all may be told."""

from __future__ import annotations

import sys
from types import CodeType, ModuleType, SimpleNamespace
from unittest.mock import patch

from bench.drawn.play import RANKS, Call, Rank, all_come


def parted(source: str) -> bool:
    code = compile(source, "way", "exec")
    return not all(
        all_come(calls_of(code, Rank(number, []), told) for number in range(RANKS)) for told in (False, True)
    )


def calls_of(code: CodeType, rank: Rank, told: bool) -> tuple[Call, ...]:
    package, library, way = ModuleType("torch"), ModuleType("torch.distributed"), ModuleType("way")
    vars(library).update(get_rank=rank.get_rank, barrier=rank.barrier)
    vars(package).update(distributed=library)
    vars(way).update(print=lambda *words: None)
    with patch.dict(sys.modules, {"torch": package, "torch.distributed": library, "way": way}):
        exec(code, vars(way))
        vars(way)["run"](SimpleNamespace(a=told))
    return tuple(rank.calls)
