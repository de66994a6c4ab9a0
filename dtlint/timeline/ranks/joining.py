"""Do ranks that have nothing more to walk over take part in what the others still do, until all are there?"""

from __future__ import annotations

from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Event, Log, Loop, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.spoken import first_in
from dtlint.timeline.ranks.parting import Divergence, Path

TAKES_PART = "takes_part"  # of a row: until all ranks have made this call, those in it answer the calls of the others


def joined(run: Run, divergence: Divergence) -> bool:
    """Is it only how often a loop turns, or in how many turns something is done, which is made up for behind it?"""
    if divergence.shape not in ("trip", "local") or divergence.way_out == "return":
        return False
    loops = [place for place, node in enumerate(divergence.path) if isinstance(node, Loop)]
    if divergence.loop is not None:
        loops = [place for place in loops if divergence.path[place] is divergence.loop]
    return bool(loops) and waited_for(run, divergence.path[: loops[-1] + 1], divergence.here)


def waited_for(run: Run, path: Path, mask: int) -> bool:
    """`for batch in mine: step(batch)`, and `hvd.join()` behind it: whoever is done first waits in there."""
    following = after(run, path, mask)
    call = following.extra.get("call") if following is not None else None
    return isinstance(call, Invocation) and bool(call.row.extra.get(TAKES_PART))


def after(run: Run, path: Path, mask: int) -> Event | None:
    """The first call behind a loop, there or where its function was called."""
    for depth in range(len(path) - 1, -1, -1):
        logs: tuple[Log, ...] = inner_logs(path[depth - 1]) if depth else (run.log,)
        for log in logs:
            place = next((number for number, node in enumerate(log.nodes) if node is path[depth]), None)
            rest = log.nodes[place + 1 :] if place is not None else []
            for node in rest:
                found = first_in(node, mask) if node.mask & mask else None
                if found is not None:
                    return found[0]
        if depth and isinstance(path[depth - 1], Loop):
            return None
    return None
