"""Is a wrapper made when somebody first asks for it, in a property, and have all ranks asked for it somewhere?

Who asks again gets what is there. Whether a question in the property says so is more than can be known of every way
that leads there, so one rank that seems to make it once more only asks.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import functions_of
from dtlint.machine.logs import Event
from dtlint.machine.run import Run
from dtlint.timeline.records import recorded


def made_when_asked(run: Run, event: Event) -> bool:
    if event.op != "wrap" or not in_a_property(run, event):
        return False
    return any(
        (other.op, other.path, other.at) == (event.op, event.path, event.at) and other.mask == run.world.full
        for other, _ in recorded(run, "<collective>")
    )


def in_a_property(run: Run, event: Event) -> bool:
    if event.path not in run.project.paths:
        return False
    return any(
        function.qualname == event.function
        and any(isinstance(one, ir.Name) and one.id == "property" for one in function.decorators)
        for function, _ in functions_of(run.project.tree(event.path))
    )
