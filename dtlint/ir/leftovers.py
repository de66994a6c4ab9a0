"""Is something made that is given to nobody?

`sampler = DistributedSampler(data)` divides nothing until a loader has it. Asking how long it is, whether it is there,
or telling it the epoch hands it to nobody.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.examples import Way, names_below, of_its_own, way_to


def given_to_nobody(module: ir.Module, line: int, column: int) -> bool:
    """Does a name of its own hold the result of the call that stands there, and is that all?"""
    way = way_to(module, line, column)
    statement = way[-2] if len(way) > 1 else None
    if not isinstance(statement, ir.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, ir.Name):
        return False
    scope = next(node for node in reversed(way) if isinstance(node, ir.Function | ir.Module))
    if isinstance(scope, ir.Function) and target.id in scope.globals:
        return False
    reads = (read for read in names_below(scope, ()) if read[-1].id == target.id and not of_its_own(read))
    return all(only_asked(read) for read in reads)


def only_asked(read: Way) -> bool:
    """`sampler.set_epoch(3)`, `len(sampler)`, `sampler is None`, `if sampler:`"""
    above, name = read[-2], read[-1]
    if isinstance(above, ir.Call):
        return isinstance(above.func, ir.Name) and above.func.id == "len"
    return isinstance(above, ir.Attr | ir.Compare) or (isinstance(above, ir.If | ir.IfExp) and above.test is name)
