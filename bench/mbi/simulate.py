"""Is a label true? Runs a program on four simulated ranks; needs no framework and takes milliseconds."""

from __future__ import annotations

import builtins
import importlib
from typing import Any

from bench.mbi.stand_ins import Rank
from bench.mbi.world import World, run


def simulate(text: str) -> World:
    """The world after the program; its verdict is finished, mismatch, hang or crash."""
    code = compile(text, "<program>", "exec")

    def program(world: World, rank: int) -> None:
        namespace = {"__name__": "__main__", "__builtins__": builtins_for(Rank(world, rank).modules())}
        exec(code, namespace)

    return run(program)


def builtins_for(modules: dict[str, Any]) -> dict[str, Any]:
    """The usual ones, but imports of frameworks give stand-ins and nothing is printed."""

    def import_module(name: str, _globals: Any = None, _locals: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if name in modules:
            return modules[name] if wanted else modules[name.partition(".")[0]]
        return importlib.import_module(name)

    return {**vars(builtins), "__import__": import_module, "print": lambda *values, **options: None}
