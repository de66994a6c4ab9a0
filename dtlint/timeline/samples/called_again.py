"""Is a function that nobody was seen calling called in turns somewhere in the program?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import called_names, every_node
from dtlint.machine.functions.reaching import EVERYWHERE
from dtlint.machine.run import Run
from dtlint.timeline.programs import in_a_test

LOOPS = (ir.For, ir.While)


def in_a_loop(run: Run) -> bool:
    """Its name is all there is to tell by, so it has to be one that says something."""
    name = run.entry.name.rpartition(".")[2]
    if run.entry.kind != "function" or name in EVERYWHERE or name.startswith("__"):
        return False
    known: bool | None = run.cache.get("called in a loop")
    if known is None:
        paths = [path for path in run.project.mentioning(f"{name}(") if not in_a_test(path)]
        run.project.looked.update(paths)
        known = run.cache["called in a loop"] = any(turns(run, path, name) for path in paths)
    return known


def turns(run: Run, path: str, name: str) -> bool:
    loops = (node for node in every_node(run.project.tree(path).body) if isinstance(node, LOOPS))
    return any(name in called_names(loop.body) for loop in loops)
